--[[
  Lower the hold count of a lock that is shared with Redisson, release it, or give up waiting for it.

  KEYS[1]  lock      hash, owner -> hold count; also Redisson's
  KEYS[2]  queue     sorted set, waiting owners by ticket
  KEYS[3]  waiters   hash, owner -> place; turn -> whose turn it is
  ARGV[1]  owner
  ARGV[2]  count       the hold count wanted; 0: give up the hold and the place in the queue
  ARGV[3]  goneMs      how long a late ask of this owner is refused, milliseconds; 0: none can come
  ARGV[4]  checkInbox  1: pass over places whose inbox nobody hears; 0: PUBSUB NUMSUB does not tell (Cluster)
  ARGV[5]  publish     PUBLISH or SPUBLISH, whichever Redisson's clients listen to
  ARGV[6]  channel     Redisson's channel of the lock

  Returns  1               the count is the one wanted
           0               not held by owner (never was, expired, forced, or released before); only its place is gone
           { 1 or 0, fault }   the same, but Redis refused to publish a message
           { -3, type }    the key is not a lock; only the owner's place is gone

  Publishes '0' to the channel when it frees the lock, and 'free …' as acquire does when the lock is free afterwards.
  Safe to run twice: the second time changes nothing; it answers 1 again for a count above 0, else 0.
]]
local lockKey, queueKey, waitersKey = KEYS[1], KEYS[2], KEYS[3]
local owner = ARGV[1]
local count = tonumber(ARGV[2])
local goneMs = tonumber(ARGV[3])
local checkInbox = ARGV[4] == '1'
local publish = ARGV[5]
local channel = ARGV[6]

--@include clock
--@include turn
--@include free

--@include give-up
--@include guard

local mine = holder == owner
if count > 0 then
  if mine then
    redis.call('HSET', lockKey, owner, count)
  end
  return mine and 1 or 0
end

endTurn(owner)
local messageFault = ''
if mine then
  messageFault = free()
  ttlMs = -2
end
local noticeFault = ''
if ttlMs == -2 then
  local _
  _, noticeFault = offerTurn(nil, mine)
end
if messageFault ~= '' then
  noticeFault = messageFault
end
--@include answer
