--[[
  Take over a lock that another owner has handed over.

  KEYS[1]  lock      hash, owner -> hold count
  KEYS[2]  queue     list, waiting owners, first in line first
  KEYS[3]  waiters   hash, owner -> queue entry or tombstone
  KEYS[4]  fence     string, last fencing token
  ARGV[1]  owner
  ARGV[2]  leaseMs      time to live of the hold, milliseconds
  ARGV[3]  tokenFloor   largest fencing token that the requesting client has seen
  ARGV[4]  heir         who holds the lock since it was handed over

  Returns  token          held, as text
           '<ttlMs> <nowUs> 0 <holder>'
                          the heir does not hold it; changes nothing; ttlMs -2 and holder '' when it is free
           { -2 }         the owner was abandoned earlier; changes nothing
           { -3, type }   the key is not a lock; changes nothing
           { -4, fence, value }   not acquired, because no token can follow this value of the fence key

  Publishes 'revoked <waiter> <lock>' to the first waiter, which then asks until when the lock is held.
  Safe to run twice, and late: a hold keeps its token and its count.
]]
--@include includes/call
local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local leaseMs = ARGV[2]
local tokenFloor = ARGV[3]
local heir = ARGV[4]

--@include includes/clock
--@include includes/guard

if holder == owner then
  --@include ./includes/held
end
if holder ~= heir then
  local position, noticeError = 0, ''
  --@include includes/busy
end

--@include includes/refuse-abandoned
local newHolder, newLeaseMs = owner, leaseMs
--@include ./includes/admit
if isBeyond then
  return { -4, fenceKey, lastToken }
end
call('HDEL', lockKey, heir)

local waiter = call('LRANGE', queueKey, '0', '0')[1]
if waiter then
  --@include ./includes/ask-again
end
return token
