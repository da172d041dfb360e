-- Refuses a key that is not a lock: another type, or a hash that would never expire.
-- ttlMs is -2 and holder '' when the lock is free.
-- Reads: lockKey
-- Sets:  ttlMs holder
local ttlMs = call('PTTL', lockKey)
local holder = ''
if ttlMs ~= -2 then
  -- A lock has one field. Of the two commands that return it this one is faster; servers that only emulate Redis may bar
  -- what is random from scripts.
  holder = redis.pcall('HRANDFIELD', lockKey)
  if type(holder) == 'table' then
    holder = redis.pcall('HKEYS', lockKey)[1]
  end
  if ttlMs == -1 or not holder then
    return { -3, redis.pcall('TYPE', lockKey).ok or 'value of another type' }
  end
end
