-- Refuses a key that is not a read/write lock: another type, a hash without a mode, or one that would never expire.
-- ttlMs is -2 and mode nil when the lock is free.
-- Reads: lockKey
-- Sets:  ttlMs mode
local ttlMs = call('PTTL', lockKey)
local mode = nil
if ttlMs ~= -2 then
  mode = redis.pcall('HGET', lockKey, 'mode')
  if ttlMs == -1 or mode ~= 'read' and mode ~= 'write' then
    local keyType = redis.pcall('TYPE', lockKey).ok or 'value of another type'
    return { -3, keyType == 'hash' and ttlMs ~= -1 and 'hash of another object' or keyType }
  end
end
