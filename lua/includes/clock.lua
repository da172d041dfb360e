-- The server's clock in microseconds since the epoch: the only clock that scripts use. nowText is concatenated because
-- formatting a number of that size takes Redis as long as a command.
-- Reads: nothing
-- Sets:  time nowUs nowText nowMs
local time = redis.call('TIME')
local nowUs = time[1] * 1000000 + time[2]
local nowText = time[1] .. string.sub('00000' .. time[2], -6)
local nowMs = math.floor(nowUs / 1000)
