-- The way to a command, which all other includes use: to look it up each time would cost two percent of a hand-off.
-- Reads: nothing
-- Sets:  call
local call = redis.call
