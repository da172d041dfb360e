-- Refuses a key that is not a lock: another type, or a hash that would never expire.
-- Sets ttlMs (-2 when the lock is free).
local ttlMs = redis.call('PTTL', lockKey)
if ttlMs ~= -2 then
  local kind = redis.call('TYPE', lockKey).ok
  if kind ~= 'hash' or ttlMs == -1 then
    return { -3, kind }
  end
end
