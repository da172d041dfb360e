--[[
  Extend queue entries of live waiters; many entries of one slot in one call.

  KEYS[3i - 2]  lock      hash, owner -> hold count
  KEYS[3i - 1]  queue     sorted set, waiting owners by ticket
  KEYS[3i]      waiters   hash, owner -> queue entry or tombstone
  ARGV[2i - 1]  owner
  ARGV[2i]      entryTtlMs  time to live of the queue entry from now on, milliseconds

  Returns  per entry, two numbers
           1, ttlMs   waiting; ttlMs of the current hold, -2 when the lock is free
           2, ttlMs   the lock is held by this owner
           0, ttlMs   no such entry (dropped as stale, or never queued): send a new acquire request

  Publishes nothing. Safe to run twice.
]]
--@include clock
local replies = {}
for i = 1, #KEYS / 3 do
  local lockKey, queueKey, waitersKey = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
  local owner = ARGV[2 * i - 1]
  local entryTtlMs = tonumber(ARGV[2 * i])
  local ttlMs = redis.call('PTTL', lockKey)
  local state = 0
  local leaseAndInbox = string.match(redis.call('HGET', waitersKey, owner) or '', '^%d+( .+)$')
  if leaseAndInbox and redis.call('ZSCORE', queueKey, owner) then
    redis.call('HSET', waitersKey, owner, string.format('%.0f', nowMs + entryTtlMs) .. leaseAndInbox)
    for _, key in ipairs({ queueKey, waitersKey }) do
      if redis.call('PTTL', key) < entryTtlMs then
        redis.call('PEXPIRE', key, entryTtlMs)
      end
    end
    state = 1
  elseif ttlMs ~= -2 and type(redis.pcall('HGET', lockKey, owner)) == 'string' then
    state = 2
  end
  replies[2 * i - 1] = state
  replies[2 * i] = ttlMs
end
return replies
