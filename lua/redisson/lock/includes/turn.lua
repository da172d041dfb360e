-- Redisson's waiters compete for a free lock, so a release cannot grant it to our first waiter. It notifies that
-- waiter, and for a moment our other waiters leave the lock alone: its turn. The turn is the field 'turn' of the
-- waiters hash, '<from, ms> <until, ms> <owner>'. No owner has that name, and the hash lives as long as the queue
-- entry.
-- Reads: lockKey queueKey waitersKey nowText
-- Sets:  nowMs turnMs headStartMs headStartEvery readEntry dropEntry subscribed isSubscribedTo readTurn endTurn offerTurn
--@include includes/clock-ms
local turnMs = 100
-- Our first waiter may be nearer to Redis than any of theirs. So that it does not win every time, one release in this
-- many, chosen by the last digits of the clock, gives theirs a head start.
local headStartMs = 5
local headStartEvery = 4

local function readEntry(waiter)
  --@include includes/read-entry
  return state, entryInbox, inboxIsChecked
end

local function dropEntry(waiter)
  call('HDEL', waitersKey, waiter)
  call('LREM', queueKey, 1, waiter)
end

local subscribed = {}
local function isSubscribedTo(entryInbox, inboxIsChecked)
  if inboxIsChecked == '0' then
    return true
  elseif subscribed[entryInbox] == nil then
    --@include includes/check-inbox
    subscribed[entryInbox] = isSubscribed
  end
  return subscribed[entryInbox]
end

local function readTurn()
  local turn = call('HGET', waitersKey, 'turn') or ''
  local fromMs, untilMs, turnOwner = string.match(turn, '^(%d+) (%d+) (.+)$')
  fromMs, untilMs = tonumber(fromMs), tonumber(untilMs)
  if fromMs and fromMs > nowMs + headStartMs then
    -- The server's clock was set back. Until it catches up, this turn would keep every waiter out.
    return nil
  end
  return turnOwner, untilMs, fromMs
end

local function endTurn(waiter)
  if readTurn() == waiter then
    call('HDEL', waitersKey, 'turn')
  end
end

-- Notifies the first live waiter ahead of `before` (any waiter when nil) that the lock is free. A waiter that let its
-- turn pass loses its queue entry, like a stale one; a turn that has not ended is not announced again.
-- Returns how long the turn of the waiter ahead lasts, or how soon that of `before` begins, ms, or nil; and why Redis
-- refused to publish the notice, or ''.
local function offerTurn(before, headStart)
  local offset = 0
  while true do
    local waiter = call('LINDEX', queueKey, offset)
    if not waiter then
      return nil, ''
    end
    local turnOwner, untilMs, fromMs = readTurn()
    if waiter == before then
      return turnOwner == waiter and fromMs > nowMs and fromMs - nowMs or nil, ''
    end
    local state, entryInbox, inboxIsChecked = readEntry(waiter)
    if state == 'alive' and turnOwner == waiter and untilMs <= nowMs then
      call('HDEL', waitersKey, 'turn')
      dropEntry(waiter)
    elseif state == 'none' then
      dropEntry(waiter)
      endTurn(waiter)
    elseif state == 'tombstone' then
      call('LREM', queueKey, 1, waiter)
      endTurn(waiter)
    elseif not isSubscribedTo(entryInbox, inboxIsChecked) then
      offset = offset + 1
    elseif turnOwner == waiter then
      return untilMs - nowMs, ''
    else
      fromMs = nowMs + (headStart and string.sub(nowText, -2) % headStartEvery == 0 and headStartMs or 0)
      call('HSET', waitersKey, 'turn', string.format('%.0f %.0f %s', fromMs, fromMs + turnMs, waiter))
      local reply = redis.pcall('PUBLISH', entryInbox, 'free ' .. waiter .. ' ' .. lockKey)
      return turnMs, type(reply) == 'table' and reply.err or ''
    end
  end
end
