-- Returns the permits of our holds that have ended.
-- Reads: countKey holdsKey endsKey nowMs free
-- Sets:  hasRisen free
local hasRisen = false
while true do
  local ended = call('ZRANGEBYSCORE', endsKey, '-inf', nowMs, 'LIMIT', 0, 1000)
  if not ended[1] then
    break
  end
  local endedPermits = 0
  for _, permits in ipairs(call('HMGET', holdsKey, unpack(ended))) do
    endedPermits = endedPermits + (tonumber(permits) or 0)
  end
  call('HDEL', holdsKey, unpack(ended))
  call('ZREM', endsKey, unpack(ended))
  if free and endedPermits > 0 then
    free = call('INCRBY', countKey, endedPermits)
    hasRisen = true
  end
end
