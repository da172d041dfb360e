-- The same clock as a number, for arithmetic.
-- Reads: nowText
-- Sets:  nowMs
local nowMs = math.floor(nowText / 1000)
