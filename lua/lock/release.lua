--[[
  Lower the hold count of a lock, release it, or give up waiting for it.

  KEYS[1]  lock      hash, owner -> hold count
  KEYS[2]  queue     sorted set, waiting owners by ticket
  KEYS[3]  waiters   hash, owner -> place
  KEYS[4]  fence     string, last fencing token
  ARGV[1]  owner
  ARGV[2]  count       the hold count wanted; 0: give up the hold and the place in the queue
  ARGV[3]  goneMs      how long a late ask of this owner is refused, milliseconds; 0: none can come
  ARGV[4]  tokenFloor  largest fencing token the asking client has seen
  ARGV[5]  checkInbox  1: pass over places whose inbox nobody hears; 0: PUBSUB NUMSUB does not tell (Cluster)

  Returns  1               the count is the one wanted
           0               not held by owner (never was, expired, forced, or released before); only its place is gone
           { 1 or 0, fault }   the same, but Redis refused to publish a message
           { -3, type }    the key is not a lock; only the owner's place is gone

  Publishes 'granted …' as acquire does, when the lock is free afterwards and somebody waits.
  Safe to run twice: the second time changes nothing; it answers 1 again for a count above 0, else 0.
]]
local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local count = tonumber(ARGV[2])
local goneMs = tonumber(ARGV[3])
local tokenFloor = tonumber(ARGV[4])
local checkInbox = ARGV[5] == '1'

-- The owner is the hash's only field: when it goes, the lock does. Whoever held had no place.
local mine = count == 0 and redis.pcall('HDEL', lockKey, owner) == 1
local isFree = mine and goneMs == 0
local first = isFree and redis.call('ZRANGE', queueKey, '0', '0')[1]
if isFree and not first then
  return 1
end

--@include clock

if not isFree then
  --@include give-up
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
--@include answer
