-- Queues the owner unless entryTtlMs is 0; a repeated request keeps its ticket. position is 0 for an owner that is not
-- queued.
-- Reads: queueKey waitersKey entryTtlMs nowText owner nowMs grantLeaseMs inbox
-- Sets:  position
local position = 0
if entryTtlMs > 0 then
  local isNew = redis.call('ZADD', queueKey, 'NX', nowText, owner) == 1
  local rank = redis.call('ZRANK', queueKey, owner)
  local lastRank = redis.call('ZCARD', queueKey) - 1
  if isNew and rank < lastRank then
    -- The clock went back.
    local newest = redis.call('ZRANGE', queueKey, '-1', '-1', 'WITHSCORES')[2]
    redis.call('ZADD', queueKey, string.format('%.0f', newest + 1), owner)
    rank = lastRank
  end
  redis.call('HSET', waitersKey, owner, string.format('%.0f %s %s', nowMs + entryTtlMs, grantLeaseMs, inbox))
  -- Twice as long as needed, so that few requests have to extend the two TTLs. The hash lives at least as long as the
  -- queue.
  if redis.call('PTTL', queueKey) < entryTtlMs then
    --@include keep
    redis.call('PEXPIRE', queueKey, 2 * entryTtlMs)
    keepFor(waitersKey, 2 * entryTtlMs)
  end
  position = rank + 1
end
