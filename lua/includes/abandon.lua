-- At count 0 removes the owner's queue entry, and leaves a tombstone that refuses its late requests for tombstoneMs.
-- Reads: queueKey waitersKey count owner nowMs tombstoneMs
-- Sets:  nothing
if count == 0 then
  local waiter = owner
  --@include read-entry
  -- The tombstone of an abandoned owner outlives every later request from it.
  if state ~= 'tombstone' then
    --@include drop-entry
  end
  if tombstoneMs > 0 then
    --@include keep
    -- Each new tombstone checks a few fields for expired ones: they cannot pile up, and the cost stays bounded.
    local sample = redis.call('HRANDFIELD', waitersKey, 8, 'WITHVALUES')
    for i = 1, #sample, 2 do
      local untilMs = string.match(sample[i + 1], '^gone (%d+)$')
      if untilMs and tonumber(untilMs) <= nowMs then
        redis.call('HDEL', waitersKey, sample[i])
      end
    end
    redis.call('HSET', waitersKey, owner, string.format('gone %.0f', nowMs + tombstoneMs))
    keepFor(waitersKey, tombstoneMs)
  end
end
