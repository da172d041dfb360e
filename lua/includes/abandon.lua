-- Removes the owner's queue entry. With tombstoneMs leaves a tombstone, which refuses its late requests for that long.
-- Reads: queueKey waitersKey owner nowText nowMs tombstoneMs
-- Sets:  nothing
do
  local waiter = owner
  --@include ./read-entry
  -- The tombstone of an abandoned owner outlives every later request from it.
  if state ~= 'tombstone' and call('HDEL', waitersKey, owner) == 1 then
    call('LREM', queueKey, 1, owner)
  end
end
if tombstoneMs then
  --@include ./bury
end
