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
--@include call
--@include clock
--@include clock-ms

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
    --@include read-entry
    -- A live entry is in the queue, which lives longer than its entries, unless the queue was deleted.
    if state == 'alive' and call('PTTL', queueKey) ~= -2 then
      local wantsAndInbox = entryWant .. ' ' .. entrySize .. ' ' .. entryProof .. ' ' .. entryInbox
      if entryTtlMs ~= lastTtlMs then
        lastTtlMs = entryTtlMs
        aliveUntil = string.format('%d', nowMs + entryTtlMs)
      end
      local grant = entryLeaseMs .. ' ' .. inboxIsChecked
      call('HSET', waitersKey, owner, aliveUntil .. ' ' .. grant .. ' ' .. wantsAndInbox)
      --@include keep-queue
      code = 1
    elseif type(redis.pcall('HGET', mainKey, owner)) == 'string' then
      local endMs = call('ZSCORE', endsKey, owner)
      code = endMs and tonumber(endMs) > nowMs and 2 or 0
    end
  end
  -- The same for all entries of one object, but for that which stops the others.
  local outlook = outlooks[mainKey]
  if not outlook then
    --@include look-ahead
    outlook.holder = used > 0 and firstHold[1] or ''
    outlooks[mainKey] = outlook
  end
  local ttlMs = outlook.blocker ~= owner and outlook.blockedTtlMs or outlook.ttlMs
  local said, holder = ttlMs, outlook.holder
  if code == 1 and ttlMs ~= -2 then
    --@include standing
  end
  replies[2 * i - 1] = code
  replies[2 * i] = said
end
return replies
