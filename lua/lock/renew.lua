--[[
  Extend the leases of locks that their owners still hold; locks of one slot, many in one call.

  KEYS[i]       lock      hash, owner -> hold count
  ARGV[2i - 1]  owner
  ARGV[2i]      leaseMs   time to live wanted, milliseconds; a longer one stays

  Returns  per lock   1   still held, lives for at least leaseMs
                      0   not held by owner; changes nothing
                     -3   the key is not a lock; changes nothing

  Publishes nothing. Safe to run twice.
]]
local answers = {}
for i, lockKey in ipairs(KEYS) do
  local owner = ARGV[2 * i - 1]
  local leaseMs = ARGV[2 * i]
  local ttlMs = redis.call('PTTL', lockKey)
  local count = ttlMs ~= -2 and redis.pcall('HGET', lockKey, owner)
  if not count then
    answers[i] = 0
  elseif type(count) == 'table' or ttlMs == -1 then
    answers[i] = -3
  else
    if ttlMs < tonumber(leaseMs) then
      redis.call('PEXPIRE', lockKey, leaseMs)
    end
    answers[i] = 1
  end
end
return answers
