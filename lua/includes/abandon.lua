-- Removes the owner's queue entry. With tombstoneMs leaves a tombstone, which refuses its late requests for that long.
-- Reads: queueKey waitersKey owner nowText nowMs tombstoneMs
-- Sets:  nothing
do
  local waiter = owner
  --@include read-entry
  -- The tombstone of an abandoned owner outlives every later request from it.
  if state ~= 'tombstone' and call('HDEL', waitersKey, owner) == 1 then
    call('LREM', queueKey, 1, owner)
  end
end
if tombstoneMs then
  --@include keep
  -- Each new tombstone checks a few fields for expired ones: they cannot pile up, and the cost stays bounded.
  local sample = call('HRANDFIELD', waitersKey, 8, 'WITHVALUES')
  for i = 1, #sample, 2 do
    local untilMs = string.match(sample[i + 1], '^gone (%d+)$')
    if untilMs and tonumber(untilMs) <= nowMs then
      call('HDEL', waitersKey, sample[i])
    end
  end
  call('HSET', waitersKey, owner, string.format('gone %.0f', nowMs + tombstoneMs))
  keepFor(waitersKey, tonumber(tombstoneMs))
end
