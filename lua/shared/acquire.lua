--[[
  Acquire permits of an object that several owners hold at once, or queue for them.

  KEYS[1]  main      hash, owner -> permits and token; used -> the sum of permits
  KEYS[2]  ends      sorted set, owner by end of its hold, milliseconds
  KEYS[3]  queue     list, waiting owners, first in line first
  KEYS[4]  waiters   hash, owner -> queue entry or tombstone
  KEYS[5]  fence     string, last fencing token
  KEYS[6]  size      string, what the object was resized to
  ARGV[1]  owner
  ARGV[2]  want         permits
  ARGV[3]  leaseMs      time to live of the hold, milliseconds
  ARGV[4]  tokenFloor   largest fencing token that the requesting client has seen
  ARGV[5]  waiting      the queue entry, with '<alive for, ms>' in place of its end; '': do not queue
  ARGV[6]  ownSize      permits in all, as the requesting client knows it; what the object was resized to beats it

  Returns  token          held, as text
           '<ttlMs> <nowUs> <position> <holder>'
                          not now; ttlMs: when that may change without a notice; holder: the owner whose hold ends
                          first, '' when there is none; position 0: not queued
           { 0, the same, error }   the same, but Redis refused to publish a notice
           { -1 }         the owner holds fewer permits, having given some back since it sent this; changes nothing
           { -2 }         the owner was abandoned earlier; changes nothing
           { -3, type }   the key is not one of ours; changes nothing
           { -4, fence, value }   not acquired, because no token can follow this value of the fence key

  Publishes 'entered <token> <nowUs> <owner>:<leaseMs>:<proof>,… <main>' to live waiters that fitted.
  Safe to run twice: an entry keeps its position, a hold its token.
]]
--@include includes/call
local mainKey, endsKey, queueKey, waitersKey, fenceKey, sizeKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local owner = ARGV[1]
local want = ARGV[2]
local leaseMs = ARGV[3]
local tokenFloor = ARGV[4]
local ownSize = ARGV[6]

--@include includes/clock
--@include ./includes/clock-ms

-- Mostly there are neither holds nor waiters nor tombstones. All that queue are in the waiters hash.
-- The size is counted twice, to tell it from the others.
local existing = call('EXISTS', mainKey, endsKey, waitersKey, sizeKey, sizeKey)
if existing == 0 and want - ownSize <= 0 then
  local newLeaseMs = leaseMs
  --@include includes/next-token
  if isBeyond then
    return { -4, fenceKey, lastToken }
  end
  local endMs = string.format('%d', nowMs + leaseMs)
  call('HSET', mainKey, 'used', want, owner, want .. ' ' .. token)
  call('ZADD', endsKey, endMs, owner)
  call('PEXPIREAT', mainKey, endMs)
  call('PEXPIREAT', endsKey, endMs)
  return token
end

local waiting = ARGV[5]
local used, hold, firstOwner, firstEndMs
local noticeError, blockedTtlMs = '', nil
--@include ./includes/read-sum
hold = held[2]
--@include ./includes/read-first

-- With holds and nothing else, nobody waits, nobody was abandoned, and the size is what clients know.
local besideHolds = existing - (held[1] and 1 or 0) - (firstOwner ~= '' and 1 or 0)
local isQuiet = besideHolds == 0
local override = besideHolds > 1 and string.match(call('GET', sizeKey), '^%d+')

-- One that comes last and does not fit leaves the queue as it is. Those in it look for themselves when a lease has ended.
if not hold and waiting ~= '' and firstEndMs > nowMs and used + want - (override or ownSize) > 0 then
  --@include ./includes/new-entry
  if call('HSETNX', waitersKey, owner, newEntry) == 1 then
    local position, rank = call('RPUSH', queueKey, owner), nil
    --@include ./includes/has-queued
    local holder = firstOwner
    --@include ./includes/until-change
    --@include includes/busy
  end
end

local ownEntry = not isQuiet and call('HGET', waitersKey, owner)
local tombstone = string.match(ownEntry or '', '^gone (%d+)$')
if tombstone and tonumber(tombstone) > nowMs then
  return { -2 }
end
if firstEndMs <= nowMs and (held[1] or firstOwner ~= '') then
  --@include ./includes/drop-ended
end

if hold then
  local permits, heldToken = string.match(hold, '^(%d+) (%d+)$')
  if tonumber(permits) < tonumber(want) then
    return { -1 }
  end
  --@include includes/keep
  local keepMs = tonumber(leaseMs)
  call('HSET', mainKey, owner, hold)
  call('ZADD', endsKey, 'GT', string.format('%d', nowMs + keepMs), owner)
  local wasFree = false
  --@include ./includes/keep-holds
  keepFor(fenceKey, math.max(60000, 2 * keepMs))
  return heldToken
end

local hasEntry = ownEntry and not tombstone
if hasEntry or used + want - (override or ownSize) <= 0 then
  if hasEntry and waiting ~= '' then
    --@include ./includes/new-entry
    call('HSET', waitersKey, owner, newEntry)
  end
  local granted, before, requester = nil, nil, owner
  local first = not isQuiet and call('LINDEX', queueKey, '0')
  --@include ./includes/grant
  if granted then
    if hasEntry and not wasMet then
      call('HDEL', waitersKey, owner)
    end
    return granted
  end
  if newHolder then
    local newFirst = call('ZRANGE', endsKey, '0', '0', 'WITHSCORES')
    firstOwner, firstEndMs = newFirst[1], tonumber(newFirst[2])
  end
  if blocker and blocker ~= owner then
    blockedTtlMs = blockedUntilMs - nowMs
  end
end

-- Queues the owner, unless `waiting` is ''; a repeated request keeps its position, and has extended its entry before.
-- position is 0 for an owner that is not queued.
local position = 0
if waiting ~= '' then
  --@include ./includes/new-entry
  local rank = nil
  if hasEntry then
    rank = call('LPOS', queueKey, owner)
  else
    call('HSET', waitersKey, owner, newEntry)
  end
  position = rank and rank + 1 or call('RPUSH', queueKey, owner)
  --@include ./includes/has-queued
end
--@include ./includes/until-change
local holder = firstOwner
--@include includes/busy
