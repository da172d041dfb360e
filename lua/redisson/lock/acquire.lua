--[[
  Ask for a lock that is shared with Redisson, or set the hold count of one already held.

  KEYS[1]  lock      hash, owner -> hold count; also Redisson's
  KEYS[2]  queue     sorted set, waiting owners by ticket
  KEYS[3]  waiters   hash, owner -> place; turn -> whose turn it is
  KEYS[4]  token     string, last fencing token; also Redisson's, by whose rule it never expires
  ARGV[1]  owner
  ARGV[2]  count       the hold count wanted: 1 to get in, more to re-enter
  ARGV[3]  leaseMs     time to live of the hold, milliseconds
  ARGV[4]  placeMs     how long a place in the queue stays alive, milliseconds; 0: do not queue
  ARGV[5]  inbox       channel that hears when the lock is free
  ARGV[6]  checkInbox  1: pass over places whose inbox nobody hears; 0: PUBSUB NUMSUB does not tell (Cluster)
  ARGV[7]  wantsToken  1: for a hold that has no token yet; 0: it has one or needs none

  Returns  token          held; 0 when none was wanted
           '<ttlMs> <nowUs> <position> <holder>'
                          held by someone else, or (holder '') free, but the turn of someone else, or mine that has not
                          begun, for ttlMs; position 0: not queued
           { 0, the same, fault }   the same, but Redis refused to publish a message
           { -1 }         count above 1 and not held: lost; changes nothing
           { -2 }         the owner gave up earlier; changes nothing
           { -3, type }   the key is not a lock; changes nothing

  Publishes 'free <owner> <lock>' to a live waiter that was ahead on a free lock and had no turn.
  Safe to run twice: the count is the one wanted, a place keeps its ticket, a turn its end; an entry draws one token.
]]
local lockKey, queueKey, waitersKey, tokenKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local count = tonumber(ARGV[2])
local leaseMs = tonumber(ARGV[3])
local placeMs = tonumber(ARGV[4])
local inbox = ARGV[5]
local checkInbox = ARGV[6] == '1'
local wantsToken = ARGV[7] == '1'

--@include clock
--@include guard
--@include keep
--@include turn

if holder == owner then
  local token = 0
  if wantsToken then
    -- What entered with a token gets the same one again. A re-entry cannot tell a repetition; a token skipped is no harm.
    token = count == 1 and redis.call('GET', tokenKey) or redis.call('INCR', tokenKey)
  end
  redis.call('HSET', lockKey, owner, count)
  keepFor(lockKey, leaseMs)
  return tonumber(token)
end
if count > 1 then
  return { -1 }
end
if readPlace(owner) == 'gone' then
  return { -2 }
end

local noticeFault = ''
if ttlMs == -2 then
  local restMs
  restMs, noticeFault = offerTurn(owner)
  if not restMs then
    local token = wantsToken and redis.call('INCR', tokenKey) or 0
    redis.call('HSET', lockKey, owner, 1)
    redis.call('PEXPIRE', lockKey, leaseMs)
    dropPlace(owner)
    redis.call('HDEL', waitersKey, 'turn')
    return token
  end
  ttlMs = restMs
else
  -- It came in time and found somebody of Redisson's inside: it keeps its place.
  endTurn(owner)
end

-- Nobody is granted anything here, but places have one form.
local grantLeaseMs = leaseMs
--@include take-place
--@include busy
