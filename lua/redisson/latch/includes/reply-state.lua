-- Returns whether the step was done, what the latch is like now, and why Redis refused to publish a message if it did. A latch
-- without a count is open.
-- Reads: code generation first opened left previous noticeError
-- Sets:  nothing
return { code, generation, first, opened, left, previous, noticeError }
