-- The same clock in milliseconds, as text and as a number.
-- Reads: nowText
-- Sets:  nowMsText nowMs
local nowMsText = string.sub(nowText, 1, -4)
local nowMs = nowMsText + 0
