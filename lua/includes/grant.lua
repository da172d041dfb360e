--@include places

local function holds(owner)
  return redis.call('HGET', lockKey, owner)
end

-- A new fencing token: larger than the last one, than the server's time and than any that the asking client
-- has seen, so that it grows over a lost fence key too.
local function nextToken(leaseMs)
  local last = tonumber(redis.call('GET', fenceKey) or '0')
  local token = math.max(last + 1, nowUs, tokenFloor + 1)
  redis.call('SET', fenceKey, string.format('%.0f', token), 'PX', math.max(60000, 2 * leaseMs))
  return token
end

local function admit(owner, leaseMs)
  local token = nextToken(leaseMs)
  redis.call('HSET', lockKey, owner, 1)
  redis.call('PEXPIRE', lockKey, leaseMs)
  return token
end

-- PUBLISH's own count includes pattern subscribers, so a monitor with PSUBSCRIBE * would make every
-- dead inbox look alive. A user without the right to ask counts as heard.
local heard = {}
local function isHeard(inbox)
  if not checkInbox then
    return true
  end
  if heard[inbox] == nil then
    local reply = redis.pcall('PUBSUB', 'NUMSUB', inbox)
    heard[inbox] = reply.err ~= nil or reply[2] > 0
  end
  return heard[inbox]
end

-- Hands the free lock to the first live waiter ahead of `before` (all waiters when nil). A stale place is
-- dropped; one whose inbox nobody hears is passed over and keeps its ticket. The grant stands even
-- when its notice is refused: the waiter learns of it when it next refreshes its place.
-- Returns the new holder, or nil; and why the notice was refused, or ''.
local function grantNext(before)
  local offset = 0
  while true do
    local owner = redis.call('ZRANGE', queueKey, offset, offset)[1]
    if not owner or owner == before then
      return nil, ''
    end
    local place = readPlace(owner)
    if not place then
      redis.call('ZREM', queueKey, owner)
      if not isGone(owner) then
        redis.call('HDEL', waitersKey, owner)
      end
    elseif not isHeard(place.inbox) then
      offset = offset + 1
    else
      dropPlace(owner)
      local token = admit(owner, place.leaseMs)
      local notice = string.format('granted %s %.0f %.0f %d %s', owner, token, nowUs, place.leaseMs, lockKey)
      local reply = redis.pcall('PUBLISH', place.inbox, notice)
      return owner, type(reply) == 'table' and reply.err or ''
    end
  end
end
