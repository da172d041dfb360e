-- The server's clock, microseconds since the epoch: the only clock a script believes.
local time = redis.call('TIME')
local nowUs = time[1] * 1000000 + time[2]
local nowMs = math.floor(nowUs / 1000)
