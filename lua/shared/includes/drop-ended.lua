-- Drops the holds that have ended, and their permits from the sum. Where one of the two keys is missing, because it was deleted or
-- evicted, nobody holds anything: a sum without the ends of its holds would never fall again.
-- Reads: mainKey endsKey owner nowMs held firstHold used
-- Sets:  ended firstHold used hold firstOwner firstEndMs
local ended = call('ZRANGEBYSCORE', endsKey, '-inf', nowMs)
call('ZREMRANGEBYSCORE', endsKey, '-inf', nowMs)
firstHold = held[1] and call('ZRANGE', endsKey, '0', '0', 'WITHSCORES') or {}
if firstHold[1] then
  for from = 1, #ended, 1000 do
    local to = math.min(from + 999, #ended)
    for _, endedHold in ipairs(call('HMGET', mainKey, unpack(ended, from, to))) do
      used = used - (string.match(endedHold or '', '^%d+') or 0)
    end
    call('HDEL', mainKey, unpack(ended, from, to))
  end
  call('HSET', mainKey, 'used', used)
  hold = call('HGET', mainKey, owner)
  firstOwner, firstEndMs = firstHold[1], tonumber(firstHold[2])
else
  call('DEL', mainKey, endsKey)
  used, hold, firstOwner, firstEndMs = 0, false, '', 0
end
