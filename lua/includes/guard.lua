-- Refuses a key that is not a lock: another type, or a hash that would never expire.
-- ttlMs is -2 and holder '' when the lock is free.
-- Reads: lockKey
-- Sets:  ttlMs holder
local ttlMs = call('PTTL', lockKey)
local holder = ''
if ttlMs ~= -2 then
  --@include ./read-holder
  if ttlMs == -1 or not holder then
    return { -3, redis.pcall('TYPE', lockKey).ok or 'value of another type' }
  end
end
