-- Returns whether the step was done, what the latch is like now, and why Redis refused to publish a notice if it did.
-- Reads: code generation first opened left previous noticeError
-- Sets:  nothing
return { code, generation, first, opened, left, previous, noticeError }
