--[[
  Set the hold count of a lock that its owner holds, to enter it again or to leave it without releasing it.

  KEYS[1]  lock      hash, owner -> hold count
  ARGV[1]  owner
  ARGV[2]  count     the hold count wanted, above 0
  ARGV[3]  leaseMs   time to live of the hold, milliseconds; a longer one is kept

  Returns  1              the count is the one wanted
           0              not held by owner; changes nothing
           { -3, type }   the key is not a lock; changes nothing

  Publishes nothing. Safe to run twice.
]]
--@include includes/call
local lockKey = KEYS[1]
local owner = ARGV[1]
local count = ARGV[2]
local leaseMs = ARGV[3]

--@include includes/guard

if holder ~= owner then
  return 0
end
--@include includes/replace
replace('HSET', lockKey, owner, count)
if ttlMs < tonumber(leaseMs) then
  call('PEXPIRE', lockKey, leaseMs)
end
return 1
