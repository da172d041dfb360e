-- A new fencing token: larger than the last one, than the server's time and than any that the requesting client has
-- seen, so that tokens grow even when the fence key is lost. Redis is faster with tokenText than with the number.
-- Reads: fenceKey newLeaseMs nowUs nowText tokenFloor
-- Sets:  lifeMs token tokenText lastToken
local lifeMs = 2 * newLeaseMs > 60000 and 2 * newLeaseMs or '60000'
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
