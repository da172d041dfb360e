-- A new fencing token: larger than the last one, than the server's time and than any that the asking client
-- has seen, so that it grows over a lost fence key too. Sets token, and tokenText, which Redis is faster with.
local lifeMs = 2 * leaseMs > 60000 and 2 * leaseMs or '60000'
local token, tokenText = nowUs, nowText
if tokenFloor >= token then
  token = tokenFloor + 1
  tokenText = string.format('%.0f', token)
end
local lastToken = redis.call('SET', fenceKey, tokenText, 'PX', lifeMs, 'GET')
if lastToken and tonumber(lastToken) >= token then
  token = tonumber(lastToken) + 1
  tokenText = string.format('%.0f', token)
  redis.call('SET', fenceKey, tokenText, 'PX', lifeMs)
end
