--[[
  Keep places in queues alive; places of one slot, many in one call.

  KEYS[3i - 2]  lock      hash, owner -> hold count
  KEYS[3i - 1]  queue     sorted set, waiting owners by ticket
  KEYS[3i]      waiters   hash, owner -> place
  ARGV[2i - 1]  owner
  ARGV[2i]      placeMs   how long the place stays alive from now, milliseconds

  Returns  per place, two numbers
           1, ttlMs   waiting; ttlMs of the hold it waits for, -2 when the lock is free
           2, ttlMs   the lock is held by this owner
           0, ttlMs   no such place (stale, or never asked): ask again

  Publishes nothing. Safe to run twice.
]]
--@include clock
local answers = {}
for i = 1, #KEYS / 3 do
  local lockKey, queueKey, waitersKey = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
  local owner = ARGV[2 * i - 1]
  local placeMs = tonumber(ARGV[2 * i])
  local ttlMs = redis.call('PTTL', lockKey)
  local state = 0
  local rest = string.match(redis.call('HGET', waitersKey, owner) or '', '^%d+( .+)$')
  if rest and redis.call('ZSCORE', queueKey, owner) then
    redis.call('HSET', waitersKey, owner, string.format('%.0f', nowMs + placeMs) .. rest)
    for _, key in ipairs({ queueKey, waitersKey }) do
      if redis.call('PTTL', key) < placeMs then
        redis.call('PEXPIRE', key, placeMs)
      end
    end
    state = 1
  elseif ttlMs ~= -2 and type(redis.pcall('HGET', lockKey, owner)) == 'string' then
    state = 2
  end
  answers[2 * i - 1] = state
  answers[2 * i] = ttlMs
end
return answers
