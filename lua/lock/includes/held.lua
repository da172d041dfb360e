-- Returns the token of a hold that its owner has already, which its lease outlives; a new one if the last token is lost.
-- Reads: lockKey fenceKey leaseMs nowText tokenFloor
-- Sets:  knownToken newLeaseMs keepFor lifeMs token lastToken isBeyond
--@include includes/keep
keepFor(lockKey, tonumber(leaseMs))
local knownToken = call('GET', fenceKey)
if knownToken then
  if not ((tonumber(knownToken) or nowText + 86400000000) - nowText < 86400000000) then
    return { -4, fenceKey, knownToken }
  end
  keepFor(fenceKey, math.max(60000, 2 * leaseMs))
  return knownToken
end
local newLeaseMs = leaseMs
--@include includes/next-token
if isBeyond then
  return { -4, fenceKey, lastToken }
end
return token
