--[[
  Acquire a lock or queue for it.

  KEYS[1]  lock      hash, owner -> hold count
  KEYS[2]  queue     list, waiting owners, first in line first
  KEYS[3]  waiters   hash, owner -> queue entry or tombstone
  KEYS[4]  fence     string, last fencing token
  ARGV[1]  owner
  ARGV[2]  leaseMs      time to live of the hold, milliseconds
  ARGV[3]  tokenFloor   largest fencing token that the requesting client has seen
  ARGV[4]  waiting      the queue entry from '<alive for, ms>' on; '': do not queue

  Returns  token          held, as text
           '<ttlMs> <nowUs> <position> <holder>'
                          held by another owner; position 0: not queued
           { 0, the same, error }   the same, but Redis refused to publish a notice
           { -2 }         the owner was abandoned earlier; changes nothing
           { -3, type }   the key is not a lock; changes nothing
           { -4, fence, value }   not acquired, because no token can follow this value of the fence key

  Publishes 'granted <owner> <proof> <token> <nowUs> <leaseMs> <lock>' to a live waiter that was ahead on a free lock.
  Safe to run twice, and late: an entry keeps its position, a hold its token and its count.
]]
--@include includes/call
local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local leaseMs = ARGV[2]
local tokenFloor = ARGV[3]

--@include includes/clock

-- Most locks are free and have neither waiters nor tombstones. All that queue are in the waiters hash.
if call('EXISTS', lockKey, waitersKey) > 0 then
  local waiting = ARGV[4]

  --@include includes/guard

  if holder == owner then
    --@include ./includes/held
  end

  local granted, noticeError = nil, ''
  local isFree = ttlMs == -2
  if isFree then
    --@include includes/refuse-abandoned
    local first, before = call('LPOP', queueKey), owner
    --@include ./includes/grant
    if lacksToken then
      return { -4, fenceKey, lacksToken }
    end
    if granted then
      holder = granted
      ttlMs = call('PTTL', lockKey)
      isFree = false
    end
  end
  if not isFree then
    --@include includes/enqueue
    --@include includes/busy
  end
  call('HDEL', waitersKey, owner)
end

local newHolder, newLeaseMs = owner, leaseMs
--@include ./includes/admit
if isBeyond then
  return { -4, fenceKey, lastToken }
end
return token
