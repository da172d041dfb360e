--[[
  Acquire a lock that is shared with Redisson or queue for it, or set the hold count of one already held.

  KEYS[1]  lock      hash, owner -> hold count; also Redisson's
  KEYS[2]  queue     list, waiting owners, first in line first
  KEYS[3]  waiters   hash, owner -> queue entry or tombstone; turn -> whose turn it is
  KEYS[4]  token     string, last fencing token; also Redisson's, by whose rule it never expires
  ARGV[1]  owner
  ARGV[2]  count       the hold count wanted: 1 to acquire, more to re-enter
  ARGV[3]  leaseMs     time to live of the hold, milliseconds
  ARGV[4]  waiting     the queue entry from '<alive for, ms>' on; '': do not queue
  ARGV[5]  wantsToken  1: the hold has no token yet; 0: it has one or needs none

  Returns  token          held; 0 when none was wanted
           '<ttlMs> <nowUs> <position> <holder>'
                          held by another owner; or free (holder ''), but for ttlMs it is the turn of another
                          owner, or the turn of this one has not begun; position 0: not queued
           { 0, the same, error }   the same, but Redis refused to publish a notice
           { -1 }         count above 1 and not held: lost; changes nothing
           { -2 }         the owner was abandoned earlier; changes nothing
           { -3, type }   the key is not a lock; changes nothing

  Publishes 'free <owner> <lock>' to a live waiter that was ahead on a free lock and had no turn.
  Safe to run twice: the count is the one wanted, an entry keeps its position, a turn its end, a hold its
  token; a repeated re-entry may skip a token.
]]
--@include includes/call
local lockKey, queueKey, waitersKey, tokenKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local count = tonumber(ARGV[2])
local leaseMs = tonumber(ARGV[3])
local waiting = ARGV[4]
local wantsToken = ARGV[5] == '1'

--@include includes/clock
--@include includes/guard
--@include ./includes/turn

if holder == owner then
  --@include includes/keep
  local token = 0
  if wantsToken then
    -- A repeated first acquisition returns the token of the hold. A re-entry cannot detect that it is repeated; a
    -- skipped token is harmless.
    token = count == 1 and call('GET', tokenKey) or call('INCR', tokenKey)
  end
  if count > 1 then
    call('HSET', lockKey, owner, count)
  end
  keepFor(lockKey, leaseMs)
  return tonumber(token)
end
if count > 1 then
  return { -1 }
end
if readEntry(owner) == 'tombstone' then
  return { -2 }
end

local noticeError = ''
if ttlMs == -2 then
  local remainingMs
  remainingMs, noticeError = offerTurn(owner)
  if not remainingMs then
    local token = wantsToken and call('INCR', tokenKey) or 0
    call('HSET', lockKey, owner, 1)
    call('PEXPIRE', lockKey, leaseMs)
    dropEntry(owner)
    call('HDEL', waitersKey, 'turn')
    return token
  end
  ttlMs = remainingMs
else
  -- It used its turn, but a client of Redisson was faster: it keeps its queue entry.
  endTurn(owner)
end

--@include includes/enqueue
--@include includes/busy
