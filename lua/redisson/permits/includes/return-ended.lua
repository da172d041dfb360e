-- Returns the permits of both sides that have ended, and drops what is noted of our owners whose holds have.
-- Reads: countKey holdsKey endsKey idsKey nowMs free
-- Sets:  hasRisen free
local hasRisen = false
while true do
  local endedIds = call('ZRANGEBYSCORE', idsKey, 0, nowMs, 'LIMIT', 0, 1000)
  if not endedIds[1] then
    break
  end
  call('ZREM', idsKey, unpack(endedIds))
  if free then
    free = call('INCRBY', countKey, #endedIds)
    hasRisen = true
  end
end
while true do
  local ended = call('ZRANGEBYSCORE', endsKey, '-inf', nowMs, 'LIMIT', 0, 1000)
  if not ended[1] then
    break
  end
  call('HDEL', holdsKey, unpack(ended))
  call('ZREM', endsKey, unpack(ended))
end
