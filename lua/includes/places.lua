-- A place in the queue: a member of the sorted set (score = ticket) and, in the waiters hash under
-- the same owner, '<alive until, ms> <lease of the grant, ms> <inbox>', or 'gone <until, ms>' for an
-- owner that gave up while one of its asks may still be on its way.

-- A key lives as long as its longest-lived entry, never forever, and its TTL never shrinks.
local function keepFor(key, ms)
  if redis.call('PTTL', key) < ms then
    redis.call('PEXPIRE', key, ms)
  end
end

local function readPlace(owner)
  local place = redis.call('HGET', waitersKey, owner)
  if not place then
    return nil
  end
  local aliveUntilMs, leaseMs, inbox = string.match(place, '^(%d+) (%d+) (.+)$')
  if not aliveUntilMs or tonumber(aliveUntilMs) <= nowMs then
    return nil
  end
  return { leaseMs = tonumber(leaseMs), inbox = inbox }
end

local function dropPlace(owner)
  redis.call('ZREM', queueKey, owner)
  redis.call('HDEL', waitersKey, owner)
end

local function isGone(owner)
  local untilMs = string.match(redis.call('HGET', waitersKey, owner) or '', '^gone (%d+)$')
  return untilMs ~= nil and tonumber(untilMs) > nowMs
end
