--[[
  Evict the named owner, ours or Redisson's, from a read/write lock that is shared with Redisson.

  KEYS[1]  lock      hash, mode -> read or write; reader -> count, or '<writer>:write' -> count; also Redisson's
  ARGV[1]  owner       the holder to evict
  ARGV[2]  inbox       channel of the owner's client, if it is one of ours
  ARGV[3]  slot        what the names of all keys of holds begin with
  ARGV[4]  publish     PUBLISH or SPUBLISH, as Redisson's clients subscribe
  ARGV[5]  channel     Redisson's channel of the lock

  Returns  1               evicted
           { 1, error }    the same, but Redis refused to publish a message
           0               the owner holds nothing; changes nothing
           { -3, type }    the key is not a read/write lock; changes nothing

  Publishes 'revoked <owner> <lock>' to the inbox, and to the channel what release does. Uses the keys of readers' holds,
  which are in the same slot.
  Safe to run twice: the second time the named owner holds nothing.
]]
--@include includes/call
local lockKey = KEYS[1]
local owner = ARGV[1]
local inbox = ARGV[2]
local slot = ARGV[3]
local publish = ARGV[4]
local channel = ARGV[5]

--@include ./includes/hold-time
--@include ./includes/publish
--@include ./includes/guard
--@include ./includes/held

if not held then
  return 0
end
local revoked = redis.pcall('PUBLISH', inbox, 'revoked ' .. owner .. ' ' .. lockKey)
--@include ./includes/leave
if noticeError == '' and type(revoked) == 'table' then
  noticeError = revoked.err
end
local mine = true
--@include includes/reply
