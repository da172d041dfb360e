--[[
  Release a lock, or stop waiting for it.

  KEYS[1]  lock      hash, owner -> hold count
  KEYS[2]  queue     list, waiting owners, first in line first
  KEYS[3]  waiters   hash, owner -> queue entry or tombstone
  KEYS[4]  fence     string, last fencing token
  ARGV[1]  owner
  ARGV[2]  tokenFloor    largest fencing token that the requesting client has seen
  ARGV[3]  tombstoneMs   how long late requests of this owner are refused, milliseconds; left out, or '' before keepMs, when none can arrive
  ARGV[4]  keepMs        how long the lock stays held by the heir, milliseconds, exactly; left out when it becomes free
  ARGV[5]  heir          who holds it then; '<owner>:kept' when left out

  Returns  1               released, or held by the heir since an earlier run
           0               not held by owner (never was, expired, forced, or released before); removes its queue entry
           { 1 or 0, error }   the same, but Redis refused to publish a notice
           { -3, type }    the key is not a lock; removes only the owner's queue entry

  Publishes 'granted …' as acquire does, when the lock is free afterwards and has a live waiter. When it stays held, it publishes
  'revoked <waiter> <lock>' to the first waiter, which then asks until when.
  Safe to run twice: the second time returns 0, unless it names the heir that holds, and changes nothing.
]]
--@include includes/call
local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local tokenFloor = ARGV[2]
local tombstoneMs = ARGV[3] ~= '' and ARGV[3]
local keepMs = ARGV[4]
local heir = ARGV[5]

-- The owner is the only field of the hash: Redis deletes the lock with it. A holder has no queue entry.
local mine = redis.pcall('HDEL', lockKey, owner) == 1
if mine and keepMs then
  call('HSET', lockKey, heir or owner .. ':kept', '1')
  call('PEXPIRE', lockKey, keepMs)
end
local queueMs = keepMs and call('PTTL', queueKey)
local first = mine and call('LPOP', queueKey)
if mine and not first and not tombstoneMs then
  return 1
end

--@include includes/clock

if not mine or tombstoneMs then
  --@include includes/clock-ms
  --@include includes/abandon
end
if not mine then
  --@include includes/guard
  first = ttlMs == -2 and call('LPOP', queueKey)
  mine = holder == heir
end

local granted, noticeError, before = nil, '', nil
if mine and keepMs and first then
  -- It keeps its place, and the queue its time.
  call('LPUSH', queueKey, first)
  call('PEXPIRE', queueKey, queueMs)
  local waiter = first
  --@include ./includes/ask-again
  first = nil
end
--@include ./includes/grant
--@include includes/reply
