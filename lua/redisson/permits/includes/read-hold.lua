-- How many permits the owner holds, nil for none. Of a hold of which Java has ended some, by its own clock or
-- on purpose, the others return: it is lost.
-- Reads: countKey holdsKey endsKey owner free countIds dropIds
-- Sets:  permits free hasRisen
local permits = tonumber(call('HGET', holdsKey, owner))
if permits and countIds(owner, permits) < permits then
  local left = 0
  --@include ./give-back
  permits = nil
end
