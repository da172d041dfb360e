-- Gives back the owner's permits but for the first `left` of them.
-- Reads: countKey holdsKey endsKey owner permits left free dropIds
-- Sets:  dropped free hasRisen
local dropped = dropIds(owner, left + 1, permits)
if free and dropped > 0 then
  free = call('INCRBY', countKey, dropped)
  hasRisen = true
end
if left > 0 then
  call('HSET', holdsKey, owner, left)
else
  call('HDEL', holdsKey, owner)
  call('ZREM', endsKey, owner)
end
