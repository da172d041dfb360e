--[[
  Raise the last fencing token of a lock, so that a token which another master has drawn is smaller than all later ones
  here too.

  KEYS[1]  fence    string, last fencing token
  ARGV[1]  token    the token to raise it to
  ARGV[2]  keepMs   for how long to keep it at least, milliseconds

  Returns  1  the last token is now at least this one
           { -4, value }   the token, or the last one, is more than a day ahead of the server's clock; changes nothing
  Publishes nothing. Safe to run twice. Never lowers a token and never shortens the time to live.
]]
--@include includes/call
local fenceKey = KEYS[1]
local token = ARGV[1]
local keepMs = tonumber(ARGV[2])

--@include includes/clock

local lastToken = call('GET', fenceKey)
for _, value in ipairs({ token, lastToken or nil }) do
  if not ((tonumber(value) or nowText + 86400000000) - nowText < 86400000000) then
    return { -4, value }
  end
end
-- Of two integers the longer one is larger, and of two equally long ones that which sorts last.
if not lastToken or #lastToken < #token or #lastToken == #token and lastToken < token then
  keepMs = math.max(keepMs, call('PTTL', fenceKey))
  call('SET', fenceKey, token, 'PX', keepMs)
elseif call('PTTL', fenceKey) < keepMs then
  call('PEXPIRE', fenceKey, keepMs)
end
return 1
