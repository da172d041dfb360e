--@include places
--@include holds
--@include heard

-- Redisson's waiters compete for a free lock, so it is not handed to our first waiter. That one is told that the lock
-- is free, and others of ours leave it alone for a moment: its turn. It is the field 'turn' of the waiters hash,
-- '<until, ms> <owner>'; no owner has that name, and the hash lives as long as the place.
local turnMs = 100

local function readTurn()
  local untilMs, owner = string.match(redis.call('HGET', waitersKey, 'turn') or '', '^(%d+) (.+)$')
  return owner, tonumber(untilMs)
end

local function endTurn(owner)
  if readTurn() == owner then
    redis.call('HDEL', waitersKey, 'turn')
  end
end

-- Has the first live waiter ahead of `before` (all waiters when nil) come for the free lock. Whoever let its turn pass
-- loses its place, as a stale one does; a turn still going on is not announced again.
-- Returns how long the turn of the one ahead lasts, ms, or nil; and why the notice was refused, or ''.
local function offerTurn(before)
  local offset = 0
  while true do
    local owner = redis.call('ZRANGE', queueKey, offset, offset)[1]
    if not owner or owner == before then
      return nil, ''
    end
    local place = readPlace(owner)
    local turnOwner, untilMs = readTurn()
    if place and turnOwner == owner and untilMs <= nowMs then
      redis.call('HDEL', waitersKey, 'turn')
      dropPlace(owner)
    elseif not place then
      redis.call('ZREM', queueKey, owner)
      if not isGone(owner) then
        redis.call('HDEL', waitersKey, owner)
      end
      endTurn(owner)
    elseif not isHeard(place.inbox) then
      offset = offset + 1
    elseif turnOwner == owner then
      return untilMs - nowMs, ''
    else
      redis.call('HSET', waitersKey, 'turn', string.format('%.0f %s', nowMs + turnMs, owner))
      local reply = redis.pcall('PUBLISH', place.inbox, 'free ' .. owner .. ' ' .. lockKey)
      return turnMs, type(reply) == 'table' and reply.err or ''
    end
  end
end
