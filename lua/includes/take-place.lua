-- Queues the owner unless placeMs is 0; asking again keeps the ticket. Sets position (0: not queued).
local position = 0
if placeMs > 0 then
  local rank = redis.call('ZRANK', queueKey, owner)
  if not rank then
    local newest = redis.call('ZRANGE', queueKey, -1, -1, 'WITHSCORES')[2] or '0'
    local ticket = math.max(nowUs, tonumber(newest) + 1)
    redis.call('ZADD', queueKey, string.format('%.0f', ticket), owner)
    rank = redis.call('ZCARD', queueKey) - 1
  end
  redis.call('HSET', waitersKey, owner, string.format('%.0f %d %s', nowMs + placeMs, grantLeaseMs, inbox))
  keepFor(queueKey, placeMs)
  keepFor(waitersKey, placeMs)
  position = rank + 1
end
