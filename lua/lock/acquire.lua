--[[
  Acquire a lock or queue for it, or set the hold count of one already held.

  KEYS[1]  lock      hash, owner -> hold count
  KEYS[2]  queue     sorted set, waiting owners by ticket
  KEYS[3]  waiters   hash, owner -> queue entry or tombstone
  KEYS[4]  fence     string, last fencing token
  ARGV[1]  owner
  ARGV[2]  count         the hold count wanted: 1 to acquire, more to re-enter
  ARGV[3]  leaseMs       time to live of the hold, milliseconds
  ARGV[4]  entryTtlMs    time to live of the queue entry, milliseconds; 0: do not queue
  ARGV[5]  grantLeaseMs  time to live of a hold that is granted to the queue entry, milliseconds
  ARGV[6]  inbox         channel for the notice of a grant
  ARGV[7]  tokenFloor    largest fencing token that the requesting client has seen
  ARGV[8]  checkInbox    1: skip entries whose inbox has no subscriber; 0: PUBSUB NUMSUB cannot see them all (Cluster)

  Returns  token          held; 0 when re-entered and no longer known
           '<ttlMs> <nowUs> <position> <holder>'
                          held by another owner; position 0: not queued
           { 0, the same, error }   the same, but Redis refused to publish a notice
           { -1 }         count above 1 and not held: lost; changes nothing
           { -2 }         the owner was abandoned earlier; changes nothing
           { -3, type }   the key is not a lock; changes nothing

  Publishes 'granted <owner> <token> <nowUs> <leaseMs> <lock>' to a live waiter that was ahead on a free lock.
  Safe to run twice: the count is the one wanted, an entry keeps its ticket, a hold keeps its token.
]]
local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local count = tonumber(ARGV[2])
local leaseMs = ARGV[3]
local tokenFloor = tonumber(ARGV[7])

--@include clock

-- Most locks are free and have neither waiters nor tombstones.
if count > 1 or redis.call('EXISTS', lockKey, queueKey, waitersKey) > 0 then
  local entryTtlMs = tonumber(ARGV[4])
  local grantLeaseMs = ARGV[5]
  local inbox = ARGV[6]
  local checkInbox = ARGV[8] == '1'

  --@include guard

  if holder == owner then
    --@include keep
    redis.call('HSET', lockKey, owner, count)
    keepFor(lockKey, tonumber(leaseMs))
    local last = tonumber(redis.call('GET', fenceKey) or '0')
    if count == 1 and last == 0 then
      local newLeaseMs = leaseMs
      --@include next-token
      return token
    elseif count == 1 then
      keepFor(fenceKey, math.max(60000, 2 * leaseMs))
    end
    return last
  end
  if count > 1 then
    return { -1 }
  end

  do
    local waiter = owner
    --@include read-entry
    if state == 'tombstone' then
      return { -2 }
    end
  end

  local isFree = ttlMs == -2
  local before = owner
  local first = isFree and redis.call('ZRANGE', queueKey, '0', '0')[1]
  --@include grant
  if granted then
    holder = granted
    ttlMs = redis.call('PTTL', lockKey)
  end
  if not isFree then
    --@include enqueue
    --@include busy
  end
  local waiter = owner
  --@include drop-entry
end

local newHolder, newLeaseMs = owner, leaseMs
--@include admit
return token
