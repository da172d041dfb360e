--@include places

--@include heard

-- Hands the free lock to the first live waiter ahead of `before` (all waiters when nil). A stale place is
-- dropped; one whose inbox nobody hears is passed over and keeps its ticket. The grant stands even
-- when its notice is refused: the waiter learns of it when it next refreshes its place.
-- Returns the new holder, or nil; and why the notice was refused, or ''.
-- `first` is the first in the queue, where that was asked for already.
local function grantNext(before, first)
  local offset = 0
  while true do
    local owner = first or redis.call('ZRANGE', queueKey, offset, offset)[1]
    if not owner or owner == before then
      return nil, ''
    end
    first = nil
    local state, leaseMs, inbox = readPlace(owner)
    if state == 'none' then
      dropPlace(owner)
    elseif state == 'gone' then
      redis.call('ZREM', queueKey, owner)
    elseif not isHeard(inbox) then
      offset = offset + 1
    else
      -- First: a server that is out of memory refuses a script's first write only, and never this one.
      dropPlace(owner)
      local _, token = admit(owner, leaseMs)
      local notice = string.format('granted %s %s %s %s %s', owner, token, nowText, leaseMs, lockKey)
      local reply = redis.pcall('PUBLISH', inbox, notice)
      return owner, type(reply) == 'table' and reply.err or ''
    end
  end
end
