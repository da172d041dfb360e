--[[
  Release a lock that is shared with Redisson, or stop waiting for it.

  KEYS[1]  lock      hash, owner -> hold count; also Redisson's
  KEYS[2]  queue     list, waiting owners, first in line first
  KEYS[3]  waiters   hash, owner -> queue entry or tombstone; turn -> whose turn it is
  ARGV[1]  owner
  ARGV[2]  publish      PUBLISH or SPUBLISH, as Redisson's clients subscribe
  ARGV[3]  channel      Redisson's channel of the lock
  ARGV[4]  tombstoneMs  how long late requests of this owner are refused, milliseconds; left out when none can arrive

  Returns  1               released
           0               not held by owner (never was, expired, forced, or released before); removes its queue entry
           { 1 or 0, error }   the same, but Redis refused to publish a message
           { -3, type }    the key is not a lock; removes only the owner's queue entry

  Publishes '0' to the channel when it frees the lock, and 'free …' as acquire does when the lock is free afterwards.
  Safe to run twice: the second time returns 0 and changes nothing.
]]
--@include includes/call
local lockKey, queueKey, waitersKey = KEYS[1], KEYS[2], KEYS[3]
local owner = ARGV[1]
local publish = ARGV[2]
local channel = ARGV[3]
local tombstoneMs = ARGV[4]

--@include includes/clock
--@include ./includes/turn
--@include ./includes/free

--@include includes/abandon
--@include includes/guard

local mine = holder == owner
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
--@include includes/reply
