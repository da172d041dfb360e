-- Queues the owner unless placeMs is 0; asking again keeps the ticket. Sets position (0: not queued).
local position = 0
if placeMs > 0 then
  local isNew = redis.call('ZADD', queueKey, 'NX', nowText, owner) == 1
  local rank = redis.call('ZRANK', queueKey, owner)
  local lastRank = redis.call('ZCARD', queueKey) - 1
  if isNew and rank < lastRank then
    -- The clock went back.
    local newest = redis.call('ZRANGE', queueKey, '-1', '-1', 'WITHSCORES')[2]
    redis.call('ZADD', queueKey, string.format('%.0f', newest + 1), owner)
    rank = lastRank
  end
  redis.call('HSET', waitersKey, owner, string.format('%.0f %s %s', nowMs + placeMs, grantLeaseMs, inbox))
  -- Longer than needed, so that not every ask has to lengthen both. Whatever keeps the queue keeps the hash as long.
  if redis.call('PTTL', queueKey) < placeMs then
    --@include keep
    redis.call('PEXPIRE', queueKey, 2 * placeMs)
    keepFor(waitersKey, 2 * placeMs)
  end
  position = rank + 1
end
