-- Refuses a key that is not a lock: another type, or a hash that would never expire.
-- ttlMs is -2 and holder '' when the lock is free.
-- Reads: lockKey
-- Sets:  ttlMs holder
local ttlMs = redis.call('PTTL', lockKey)
local holder = ''
if ttlMs ~= -2 then
  local holders = redis.pcall('HKEYS', lockKey)
  if holders.err or ttlMs == -1 then
    return { -3, redis.pcall('TYPE', lockKey).ok or 'value of another type' }
  end
  holder = holders[1]
end
