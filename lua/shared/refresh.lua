--[[
  Extend queue entries of live waiters; many entries of one slot in one call.

  KEYS[5i - 4]  main      hash, owner -> permits and token; used -> the sum of permits
  KEYS[5i - 3]  ends      sorted set, owner by end of its hold, milliseconds
  KEYS[5i - 2]  queue     list, waiting owners, first in line first
  KEYS[5i - 1]  waiters   hash, owner -> queue entry or tombstone
  KEYS[5i]      size      string, what the object was resized to
  ARGV[2i - 1]  owner
  ARGV[2i]      entryTtlMs  time to live of the queue entry from now on, milliseconds

  Returns  per entry, two numbers
           1, '<ttlMs> <nowUs> <position> <holder>'
                      waiting, as acquire replies; ttlMs: when it may fit without a notice; position 0: beyond the first
                      100, that far the queue is searched
           1, -2      waiting, and the owner should request now
           2, ttlMs   the owner holds permits
           0, ttlMs   no such entry (dropped as stale, or never queued): send a new acquire request

  Publishes nothing. Safe to run twice.
]]
--@include includes/call
--@include includes/clock
--@include includes/replace
--@include ./includes/clock-ms

local replies = {}
local aliveUntil, lastTtlMs
local outlooks = {}
for i = 1, #KEYS / 5 do
  local mainKey, endsKey, queueKey = KEYS[5 * i - 4], KEYS[5 * i - 3], KEYS[5 * i - 2]
  local waitersKey, sizeKey = KEYS[5 * i - 1], KEYS[5 * i]
  local owner = ARGV[2 * i - 1]
  local entryTtlMs = ARGV[2 * i]
  local code = 0
  do
    local waiter = owner
    --@include ./includes/read-entry
    -- A live entry is in the queue, which lives longer than its entries, unless the queue was deleted.
    if state == 'alive' and call('PTTL', queueKey) ~= -2 then
      local wantsAndInbox = entryWant .. ' ' .. entrySize .. ' ' .. entryProof .. ' ' .. entryInbox
      if entryTtlMs ~= lastTtlMs then
        lastTtlMs = entryTtlMs
        aliveUntil = string.format('%d', nowMs + entryTtlMs)
      end
      local grant = entryLeaseMs .. ' ' .. inboxIsChecked
      replace('HSET', waitersKey, owner, aliveUntil .. ' ' .. grant .. ' ' .. wantsAndInbox)
      --@include includes/keep-queue
      code = 1
    elseif type(redis.pcall('HGET', mainKey, owner)) == 'string' then
      local endMs = call('ZSCORE', endsKey, owner)
      code = endMs and tonumber(endMs) > nowMs and 2 or 0
    end
  end
  -- The same for all entries of one object, but for that which stops the others.
  local outlook = outlooks[mainKey]
  if not outlook then
    -- When the waiters of an object may fit without a notice. -2, when a waiter should request now: a hold has ended or was lost, or
    -- the first waiter that counts is stale or fits, perhaps because the object has its old size again. A waiter that stops
    -- the others has a ttlMs of its own: it need not wait for itself to be stale.
    local sum = redis.pcall('HGET', mainKey, 'used')
    local firstHold = call('ZRANGE', endsKey, 0, 0, 'WITHSCORES')
    local used = tonumber(type(sum) == 'string' and sum or 0)
    --@include ./includes/read-size
    local ttlMs = 60000
    if used > 0 then
      ttlMs = tonumber(firstHold[2] or 0) > nowMs and firstHold[2] - nowMs or -2
    end
    if override then
      ttlMs = math.min(ttlMs, call('PTTL', sizeKey))
    end
    outlook = { ttlMs = ttlMs, blockedTtlMs = ttlMs }
    -- So many that want more than there is are passed over at most: nothing is missed for longer than a hold lasts.
    for rank = 0, override == '0' and -1 or 99 do
      local waiter = call('LINDEX', queueKey, rank)
      if not waiter then
        break
      end
      --@include ./includes/read-entry
      local permits, room = tonumber(entryWant or 0), tonumber(override or entrySize or 0)
      if state ~= 'alive' or used + permits <= room then
        outlook = { ttlMs = -2, blockedTtlMs = -2 }
        break
      elseif permits <= room then
        local leftMs = aliveUntilMs - nowMs
        outlook = { ttlMs = ttlMs, blockedTtlMs = math.min(ttlMs, leftMs), blocker = waiter }
        break
      end
    end
    outlook.holder = used > 0 and firstHold[1] or ''
    outlooks[mainKey] = outlook
  end
  local ttlMs = outlook.blocker ~= owner and outlook.blockedTtlMs or outlook.ttlMs
  local said, holder = ttlMs, outlook.holder
  if code == 1 and ttlMs ~= -2 then
    --@include includes/standing
  end
  replies[2 * i - 1] = code
  replies[2 * i] = said
end
return replies
