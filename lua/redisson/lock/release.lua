--[[
  Lower the hold count of a lock that is shared with Redisson, release it, or stop waiting for it.

  KEYS[1]  lock      hash, owner -> hold count; also Redisson's
  KEYS[2]  queue     sorted set, waiting owners by ticket
  KEYS[3]  waiters   hash, owner -> queue entry or tombstone; turn -> whose turn it is
  ARGV[1]  owner
  ARGV[2]  count        the hold count wanted; 0: remove the hold and the queue entry
  ARGV[3]  tombstoneMs  how long late requests of this owner are refused, milliseconds; 0: none can arrive
  ARGV[4]  checkInbox   1: skip entries whose inbox has no subscriber; 0: PUBSUB NUMSUB cannot see them all (Cluster)
  ARGV[5]  publish      PUBLISH or SPUBLISH, as Redisson's clients subscribe
  ARGV[6]  channel      Redisson's channel of the lock

  Returns  1               the count is the one wanted
           0               not held by owner (never was, expired, forced, or released before); removes its queue entry
           { 1 or 0, error }   the same, but Redis refused to publish a message
           { -3, type }    the key is not a lock; removes only the owner's queue entry

  Publishes '0' to the channel when it frees the lock, and 'free …' as acquire does when the lock is free afterwards.
  Safe to run twice: the second time changes nothing; it returns 1 again for a count above 0, else 0.
]]
local lockKey, queueKey, waitersKey = KEYS[1], KEYS[2], KEYS[3]
local owner = ARGV[1]
local count = tonumber(ARGV[2])
local tombstoneMs = tonumber(ARGV[3])
local checkInbox = ARGV[4] == '1'
local publish = ARGV[5]
local channel = ARGV[6]

--@include clock
--@include turn
--@include free

--@include abandon
--@include guard

local mine = holder == owner
if count > 0 then
  if mine then
    redis.call('HSET', lockKey, owner, count)
  end
  return mine and 1 or 0
end

endTurn(owner)
local messageError = ''
if mine then
  messageError = free()
  ttlMs = -2
end
local noticeError = ''
if ttlMs == -2 then
  local _
  _, noticeError = offerTurn(nil, mine)
end
if messageError ~= '' then
  noticeError = messageError
end
--@include reply
