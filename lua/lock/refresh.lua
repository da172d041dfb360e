--[[
  Extend queue entries of live waiters; many entries of one slot in one call.

  KEYS[3i - 2]  lock      hash, owner -> hold count
  KEYS[3i - 1]  queue     list, waiting owners, first in line first
  KEYS[3i]      waiters   hash, owner -> queue entry or tombstone
  ARGV[2i - 1]  owner
  ARGV[2i]      entryTtlMs  time to live of the queue entry from now on, milliseconds

  Returns  per entry, two numbers
           1, '<ttlMs> <nowUs> <position> <holder>'
                      waiting, as acquire replies; position 0: beyond the first 100, that far the queue is searched
           1, -2      waiting, and the lock is free
           2, ttlMs   the lock is held by this owner
           0, ttlMs   no such entry (dropped as stale, or never queued): send a new acquire request

  Publishes nothing. Safe to run twice.
]]
--@include includes/call
--@include includes/clock
--@include includes/replace

local replies = {}
local outlooks = {}
for i = 1, #KEYS / 3 do
  local lockKey, queueKey, waitersKey = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
  local owner = ARGV[2 * i - 1]
  local entryTtlMs = ARGV[2 * i]
  -- The same for all entries of one lock.
  local outlook = outlooks[lockKey]
  if not outlook then
    local ttlMs, holder = call('PTTL', lockKey), nil
    if ttlMs >= 0 then
      --@include includes/read-holder
    end
    outlook = { ttlMs = ttlMs, holder = holder }
    outlooks[lockKey] = outlook
  end
  local ttlMs, holder = outlook.ttlMs, outlook.holder
  local code, said = 0, ttlMs
  local waiter = owner
  --@include includes/read-entry
  -- A live entry is in the queue, which lives longer than its entries, unless somebody deleted the queue.
  if state == 'alive' and call('PTTL', queueKey) ~= -2 then
    local leaseAndInbox = entryLeaseMs .. ' ' .. inboxIsChecked .. ' ' .. entryProof .. ' ' .. entryInbox
    replace('HSET', waitersKey, owner, nowText .. ' ' .. entryTtlMs .. ' ' .. leaseAndInbox)
    --@include includes/keep-queue
    code = 1
    if holder then
      --@include includes/standing
    end
  elseif ttlMs ~= -2 and type(redis.pcall('HGET', lockKey, owner)) == 'string' then
    code = 2
  end
  replies[2 * i - 1] = code
  replies[2 * i] = said
end
return replies
