--[[
  Extend leases that have not ended; many locks of one slot in one call.

  KEYS[i]       lock      hash, owner -> hold count
  ARGV[2i - 1]  owner
  ARGV[2i]      leaseMs   time to live wanted, milliseconds; a longer one is kept

  Returns  per lock   1   still held, lives for at least leaseMs
                      0   not held by owner; changes nothing
                     -3   the key is not a lock; changes nothing

  Publishes nothing. Safe to run twice.
]]
--@include includes/call
local replies = {}
for i, lockKey in ipairs(KEYS) do
  local owner = ARGV[2 * i - 1]
  local leaseMs = ARGV[2 * i]
  local ttlMs = call('PTTL', lockKey)
  local count = ttlMs ~= -2 and redis.pcall('HGET', lockKey, owner)
  if not count then
    replies[i] = 0
  elseif type(count) == 'table' or ttlMs == -1 then
    replies[i] = -3
  else
    if ttlMs < tonumber(leaseMs) then
      call('PEXPIRE', lockKey, leaseMs)
    end
    replies[i] = 1
  end
end
return replies
