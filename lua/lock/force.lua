--[[
  Evict the named owner from a lock and hand the lock to the next waiter.

  KEYS[1]  lock      hash, owner -> hold count
  KEYS[2]  queue     list, waiting owners, first in line first
  KEYS[3]  waiters   hash, owner -> queue entry or tombstone
  KEYS[4]  fence     string, last fencing token
  ARGV[1]  owner        the holder to evict
  ARGV[2]  inbox        channel of the owner's client
  ARGV[3]  tokenFloor   largest fencing token that the requesting client has seen

  Returns  1               evicted
           { 1, error }    the same, but Redis refused to publish a notice
           0               the lock is free or held by another owner; changes nothing
           { -3, type }    the key is not a lock; changes nothing

  Publishes 'revoked <owner> <lock>' to the evicted owner, and 'granted …' as acquire does.
  Safe to run twice: the second time the named owner is no longer the holder.
]]
--@include includes/call
local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local inbox = ARGV[2]
local tokenFloor = ARGV[3]

--@include includes/clock
--@include includes/guard

if holder ~= owner then
  return 0
end
call('DEL', lockKey)
local revoked = redis.pcall('PUBLISH', inbox, 'revoked ' .. owner .. ' ' .. lockKey)
local granted, noticeError, before = nil, '', nil
local first = call('LPOP', queueKey)
--@include ./includes/grant
if noticeError == '' and type(revoked) == 'table' then
  noticeError = revoked.err
end
local mine = true
--@include includes/reply
