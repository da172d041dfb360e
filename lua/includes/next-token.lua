-- A new fencing token: larger than the last one, than the server's time and than any that the requesting client has
-- seen, so that tokens grow even when the fence key is lost. Tokens are compared as texts: of two integers the longer one
-- is larger, and of two equally long ones that which sorts last.
--
-- What is more than a day ahead of the server's clock did not come from here: as a floor it is ignored, and in the fence key
-- it stays, for a day. isBeyond says that there is no token then, and lastToken why.
-- Reads: fenceKey newLeaseMs nowText tokenFloor
-- Sets:  lifeMs token lastToken isBeyond
local lifeMs = 2 * newLeaseMs > 60000 and 2 * newLeaseMs or '60000'
local token = nowText
if (#tokenFloor > #token or #tokenFloor == #token and tokenFloor >= token) and tokenFloor - nowText < 86400000000 then
  token = string.format('%.0f', tokenFloor + 1)
end
local lastToken = call('SET', fenceKey, token, 'PX', lifeMs, 'GET')
local isBeyond = false
if lastToken and (#lastToken > #token or #lastToken == #token and lastToken >= token) then
  isBeyond = not ((tonumber(lastToken) or nowText + 86400000000) - nowText < 86400000000)
  token = isBeyond and lastToken or string.format('%.0f', lastToken + 1)
  call('SET', fenceKey, token, 'PX', isBeyond and '86400000' or lifeMs)
end
