-- A place in the queue: a member of the sorted set (score = ticket) and, in the waiters hash under
-- the same owner, '<alive until, ms> <lease of the grant, ms> <inbox>', or 'gone <until, ms>' for an
-- owner that gave up while one of its asks may still be on its way.

-- What there is of an owner: 'alive', the lease of its grant and its inbox; 'gone'; or 'none', also when it is stale.
local function readPlace(owner)
  local place = redis.call('HGET', waitersKey, owner) or ''
  local aliveUntilMs, leaseMs, inbox = string.match(place, '^(%d+) (%d+) (.+)$')
  if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
    return 'alive', leaseMs, inbox
  end
  local goneUntilMs = string.match(place, '^gone (%d+)$')
  return goneUntilMs and tonumber(goneUntilMs) > nowMs and 'gone' or 'none'
end

local function dropPlace(owner)
  redis.call('ZREM', queueKey, owner)
  redis.call('HDEL', waitersKey, owner)
end
