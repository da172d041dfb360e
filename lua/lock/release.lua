--[[
  Lower the hold count of a lock, release it, or stop waiting for it.

  KEYS[1]  lock      hash, owner -> hold count
  KEYS[2]  queue     sorted set, waiting owners by ticket
  KEYS[3]  waiters   hash, owner -> queue entry or tombstone
  KEYS[4]  fence     string, last fencing token
  ARGV[1]  owner
  ARGV[2]  count        the hold count wanted; 0: remove the hold and the queue entry
  ARGV[3]  tombstoneMs  how long late requests of this owner are refused, milliseconds; 0: none can arrive
  ARGV[4]  tokenFloor   largest fencing token that the requesting client has seen
  ARGV[5]  checkInbox   1: skip entries whose inbox has no subscriber; 0: PUBSUB NUMSUB cannot see them all (Cluster)

  Returns  1               the count is the one wanted
           0               not held by owner (never was, expired, forced, or released before); removes its queue entry
           { 1 or 0, error }   the same, but Redis refused to publish a notice
           { -3, type }    the key is not a lock; removes only the owner's queue entry

  Publishes 'granted …' as acquire does, when the lock is free afterwards and has a live waiter.
  Safe to run twice: the second time changes nothing; it returns 1 again for a count above 0, else 0.
]]
local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local count = tonumber(ARGV[2])
local tombstoneMs = tonumber(ARGV[3])
local tokenFloor = tonumber(ARGV[4])
local checkInbox = ARGV[5] == '1'

-- The owner is the only field of the hash: Redis deletes the lock with it. A holder has no queue entry.
local mine = count == 0 and redis.pcall('HDEL', lockKey, owner) == 1
local isFree = mine and tombstoneMs == 0
local first = isFree and redis.call('ZRANGE', queueKey, '0', '0')[1]
if isFree and not first then
  return 1
end

--@include clock

if not isFree then
  --@include abandon
  --@include guard
  if count > 0 then
    mine = holder == owner
    if mine then
      redis.call('HSET', lockKey, owner, count)
    end
    return mine and 1 or 0
  end
  isFree = ttlMs == -2
  first = isFree and redis.call('ZRANGE', queueKey, '0', '0')[1]
end

local before = nil
--@include grant
--@include reply
