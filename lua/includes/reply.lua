-- Returns whether the hold was `mine`, and why Redis refused to publish a message if it did.
-- Reads: mine noticeError
-- Sets:  code
local code = mine and 1 or 0
return noticeError == '' and code or { code, noticeError }
