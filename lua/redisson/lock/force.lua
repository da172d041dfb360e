--[[
  Evict the named owner, ours or Redisson's, from a lock that is shared with Redisson.

  KEYS[1]  lock      hash, owner -> hold count; also Redisson's
  KEYS[2]  queue     list, waiting owners, first in line first
  KEYS[3]  waiters   hash, owner -> queue entry or tombstone; turn -> whose turn it is
  ARGV[1]  owner       the holder to evict
  ARGV[2]  inbox       channel of the owner's client, if it is one of ours
  ARGV[3]  publish     PUBLISH or SPUBLISH, as Redisson's clients subscribe
  ARGV[4]  channel     Redisson's channel of the lock

  Returns  1               evicted
           { 1, error }    the same, but Redis refused to publish a message
           0               the lock is free or held by another owner; changes nothing
           { -3, type }    the key is not a lock; changes nothing

  Publishes 'revoked <owner> <lock>' to the inbox, '0' to the channel, and 'free …' as acquire does.
  Safe to run twice: the second time the named owner is no longer the holder.
]]
--@include includes/call
local lockKey, queueKey, waitersKey = KEYS[1], KEYS[2], KEYS[3]
local owner = ARGV[1]
local inbox = ARGV[2]
local publish = ARGV[3]
local channel = ARGV[4]

--@include includes/clock
--@include includes/guard
--@include ./includes/turn
--@include ./includes/free

if holder ~= owner then
  return 0
end
local revoked = redis.pcall('PUBLISH', inbox, 'revoked ' .. owner .. ' ' .. lockKey)
local messageError = free()
local _, noticeError = offerTurn()
if messageError ~= '' then
  noticeError = messageError
elseif noticeError == '' and type(revoked) == 'table' then
  noticeError = revoked.err
end
local mine = true
--@include includes/reply
