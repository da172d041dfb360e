-- A new fencing token: larger than the last one, than the server's time and than any that the requesting client has
-- seen, so that tokens grow even when the fence key is lost. Tokens are compared as texts: of two integers the longer one
-- is larger, and of two equally long ones that which sorts last.
-- Reads: fenceKey newLeaseMs nowText tokenFloor
-- Sets:  lifeMs token lastToken
local lifeMs = 2 * newLeaseMs > 60000 and 2 * newLeaseMs or '60000'
local token = nowText
if #tokenFloor > #token or #tokenFloor == #token and tokenFloor >= token then
  token = string.format('%.0f', tokenFloor + 1)
end
local lastToken = call('SET', fenceKey, token, 'PX', lifeMs, 'GET')
if lastToken and (#lastToken > #token or #lastToken == #token and lastToken >= token) then
  token = string.format('%.0f', lastToken + 1)
  call('SET', fenceKey, token, 'PX', lifeMs)
end
