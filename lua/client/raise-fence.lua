--[[
  Raise the last fencing token of a lock, so that a token which another master has drawn is smaller than all later ones
  here too.

  KEYS[1]  fence    string, last fencing token
  ARGV[1]  token    the token to raise it to
  ARGV[2]  keepMs   for how long to keep it at least, milliseconds

  Returns  1  the last token is now at least this one
  Publishes nothing. Safe to run twice. Never lowers a token and never shortens the time to live.
]]
local fenceKey = KEYS[1]
local token = ARGV[1]
local keepMs = tonumber(ARGV[2])

local lastToken = redis.call('GET', fenceKey)
-- Of two integers the longer one is larger, and of two equally long ones that which sorts last.
if not lastToken or #lastToken < #token or #lastToken == #token and lastToken < token then
  keepMs = math.max(keepMs, redis.call('PTTL', fenceKey))
  redis.call('SET', fenceKey, token, 'PX', keepMs)
elseif redis.call('PTTL', fenceKey) < keepMs then
  redis.call('PEXPIRE', fenceKey, keepMs)
end
return 1
