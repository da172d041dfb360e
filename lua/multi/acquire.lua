--[[
  Acquire several locks of one slot in one step, each for an owner of its own. Nobody is queued.

  KEYS[4i - 3]  lock      hash, owner -> hold count
  KEYS[4i - 2]  queue     list, waiting owners, first in line first
  KEYS[4i - 1]  waiters   hash, owner -> queue entry or tombstone
  KEYS[4i]      fence     string, last fencing token
  ARGV[1]  mode         'all': enter all locks or none; 'first': enter those before the first that is busy
  ARGV[2]  leaseMs      time to live of the holds, milliseconds
  ARGV[2i + 1]  owner       of the i-th lock
  ARGV[2i + 2]  tokenFloor  largest fencing token of that lock that the requesting client has seen

  Returns  { token, … }     all held, as texts
           { busy, token, … }, where busy is '<n> <ttlMs> <nowUs> 0 <holder>'
                            the n-th lock is busy; tokens of those that were entered. Without a holder the lock is free,
                            and a live waiter is ahead whose inbox may have a subscriber
           { -2 }           an owner was abandoned earlier; changes nothing
           { -3, type, n }  the n-th key is not a lock; changes nothing
           { -4, fence, value, n }
                            not acquired, because no token can follow this value of the fence key of the n-th lock

  Publishes nothing. Safe to run twice, and late: a hold keeps its token and its count. A lock that is named twice is busy the second time.
]]
--@include includes/call
local mode = ARGV[1]
local leaseMs = ARGV[2]
local owners = {}
for i = 1, #KEYS / 4 do
  owners[i] = ARGV[2 * i + 1]
end

--@include includes/clock

local mine, seen, deaf = {}, {}, {}
local function guard(lockKey)
  --@include includes/guard
  return nil, ttlMs, holder
end
local enterable = #owners
local busy = nil

for i, owner in ipairs(owners) do
  local lockKey, queueKey, waitersKey = KEYS[4 * i - 3], KEYS[4 * i - 2], KEYS[4 * i - 1]
  if seen[lockKey] then
    busy = string.format('%d 0 %s 0 %s', i, nowText, seen[lockKey])
  elseif call('EXISTS', lockKey, waitersKey) > 0 then
    local foreign, ttlMs, holder = guard(lockKey)
    if foreign then
      foreign[3] = i
      return foreign
    end
    if holder == owner then
      mine[i] = true
    else
      --@include includes/refuse-abandoned
      if holder ~= '' then
        busy = string.format('%d %d %s 0 %s', i, ttlMs, nowText, holder)
      end
      -- A waiter for a free lock goes first; the lock's own acquire request grants it.
      local rank, waiter = 0, not busy and call('LRANGE', queueKey, 0, 0)[1]
      while waiter do
        --@include includes/read-entry
        if state == 'alive' and inboxIsChecked == '1' and deaf[entryInbox] == nil then
          --@include includes/check-inbox
          deaf[entryInbox] = not isSubscribed
        end
        if state == 'alive' and not deaf[entryInbox] then
          busy = string.format('%d 0 %s 0 ', i, nowText)
          break
        end
        rank = rank + 1
        waiter = call('LRANGE', queueKey, rank, rank)[1]
      end
    end
  end
  if busy then
    enterable = mode == 'all' and 0 or i - 1
    break
  end
  seen[lockKey] = owner
end

-- All tokens are drawn before anyone enters. One that is drawn for nothing does no harm.
local reply = { busy }
for i = 1, enterable do
  local fenceKey, tokenFloor = KEYS[4 * i], ARGV[2 * i + 2]
  local knownToken = mine[i] and call('GET', fenceKey)
  if knownToken then
    if not ((tonumber(knownToken) or nowText + 86400000000) - nowText < 86400000000) then
      return { -4, fenceKey, knownToken, i }
    end
    --@include includes/keep
    keepFor(fenceKey, math.max(60000, 2 * leaseMs))
  else
    local newLeaseMs = leaseMs
    --@include includes/next-token
    if isBeyond then
      return { -4, fenceKey, lastToken, i }
    end
    knownToken = token
  end
  reply[#reply + 1] = knownToken
end
for i = 1, enterable do
  local lockKey = KEYS[4 * i - 3]
  if mine[i] then
    --@include includes/keep
    keepFor(lockKey, tonumber(leaseMs))
  else
    call('HSET', lockKey, owners[i], '1')
    call('PEXPIRE', lockKey, leaseMs)
  end
end
return reply
