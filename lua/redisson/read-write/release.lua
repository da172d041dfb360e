--[[
  Release one side of a read/write lock that is shared with Redisson, or turn a hold of the write side into one of the read
  side.

  KEYS[1]  lock      hash, mode -> read or write; reader -> count, or '<writer>:write' -> count; also Redisson's
  KEYS[2]  hold      string, lives as long as the owner's hold of the read side; also Redisson's
  KEYS[3]  gone      string, tombstone of the owner
  ARGV[1]  owner
  ARGV[2]  left        1: keep the read side; 0: give up the hold
  ARGV[3]  slot        what the names of all keys of holds begin with
  ARGV[4]  publish     PUBLISH or SPUBLISH, as Redisson's clients subscribe
  ARGV[5]  channel     Redisson's channel of the lock
  ARGV[6]  tombstoneMs  how long late requests of this owner are refused, milliseconds; left out when none can arrive

  Returns  1               released
           0               not held by owner (never was, expired, forced, or released before)
           { 1 or 0, error }   the same, but Redis refused to publish a message
           { -3, type }    the key is not a read/write lock; leaves only the tombstone

  Publishes '1' to the channel when the write side is left, also for the read side, so that waiting readers in Java look for
  themselves; '0' when the last reader leaves. Looks at the keys of other readers' holds, which are in the same slot.
  Safe to run twice: the second time finds the hold given back, or on the read side already.
]]
--@include includes/call
local lockKey, holdKey, goneKey = KEYS[1], KEYS[2], KEYS[3]
local owner = ARGV[1]
local left = ARGV[2]
local slot = ARGV[3]
local publish = ARGV[4]
local channel = ARGV[5]
local tombstoneMs = ARGV[6]

--@include ./includes/hold-time
--@include ./includes/publish

if tombstoneMs then
  call('SET', goneKey, '1', 'PX', tombstoneMs)
end
--@include ./includes/guard
--@include ./includes/held

if not held then
  return 0
end
local mine = true
if left == '1' then
  local noticeError = ''
  if held == 'write' then
    call('HDEL', lockKey, owner .. ':write')
    call('HSET', lockKey, 'mode', 'read', owner, '1')
    call('SET', holdKey, '1', 'PX', math.max(1, ttlMs))
    noticeError = notify('1')
  end
  --@include includes/reply
end
--@include ./includes/leave
--@include includes/reply
