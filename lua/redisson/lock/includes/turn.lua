-- Redisson's waiters compete for a free lock, so it is not handed to our first waiter. That one is told that the lock
-- is free, and others of ours leave it alone for a moment: its turn. It is the field 'turn' of the waiters hash,
-- '<from, ms> <until, ms> <owner>'; no owner has that name, and the hash lives as long as the place.
local turnMs = 100
-- Our first waiter may be nearer to Redis than any of theirs. So that it does not win every time, one release in so many,
-- by the clock's last digits, leaves them a head start.
local headStartMs = 5
local headStartEvery = 4

local function readPlace(owner)
  --@include read-place
  return state, leaseMs, inbox
end

local function dropPlace(owner)
  --@include drop-place
end

local heard = {}
local function hears(inbox)
  --@include ask-inbox
  return isHeard
end

local function readTurn()
  local turn = redis.call('HGET', waitersKey, 'turn') or ''
  local fromMs, untilMs, owner = string.match(turn, '^(%d+) (%d+) (.+)$')
  fromMs, untilMs = tonumber(fromMs), tonumber(untilMs)
  if fromMs and fromMs > nowMs + headStartMs then
    -- The server's clock was set back since. Until it is there again nobody would get in.
    return nil
  end
  return owner, untilMs, fromMs
end

local function endTurn(owner)
  if readTurn() == owner then
    redis.call('HDEL', waitersKey, 'turn')
  end
end

-- Has the first live waiter ahead of `before` (all waiters when nil) come for the free lock. Whoever let its turn pass
-- loses its place, as a stale one does; a turn still going on is not announced again.
-- Returns how long the turn of the one ahead lasts, ms, or until that of `before` begins, or nil; and why the notice was
-- refused, or ''.
local function offerTurn(before, headStart)
  local offset = 0
  while true do
    local owner = redis.call('ZRANGE', queueKey, offset, offset)[1]
    if not owner then
      return nil, ''
    end
    local turnOwner, untilMs, fromMs = readTurn()
    if owner == before then
      return turnOwner == owner and fromMs > nowMs and fromMs - nowMs or nil, ''
    end
    local state, _, inbox = readPlace(owner)
    if state == 'alive' and turnOwner == owner and untilMs <= nowMs then
      redis.call('HDEL', waitersKey, 'turn')
      dropPlace(owner)
    elseif state == 'none' then
      dropPlace(owner)
      endTurn(owner)
    elseif state == 'gone' then
      redis.call('ZREM', queueKey, owner)
      endTurn(owner)
    elseif not hears(inbox) then
      offset = offset + 1
    elseif turnOwner == owner then
      return untilMs - nowMs, ''
    else
      fromMs = nowMs + (headStart and nowUs % headStartEvery == 0 and headStartMs or 0)
      redis.call('HSET', waitersKey, 'turn', string.format('%.0f %.0f %s', fromMs, fromMs + turnMs, owner))
      local reply = redis.pcall('PUBLISH', inbox, 'free ' .. owner .. ' ' .. lockKey)
      return turnMs, type(reply) == 'table' and reply.err or ''
    end
  end
end
