-- A place in the queue: a member of the sorted set (score = ticket) and, in the waiters hash under
-- the same owner, '<alive until, ms> <lease of the grant, ms> <inbox>', or 'gone <until, ms>' for an
-- owner that gave up while one of its asks may still be on its way.

-- What there is of the owner: sets state to 'alive', with the lease of its grant and its inbox, to 'gone', or to 'none', also
-- when it is stale.
local state = 'none'
local place = redis.call('HGET', waitersKey, owner) or ''
local aliveUntilMs, leaseMs, inbox = string.match(place, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
  state = 'alive'
elseif not aliveUntilMs then
  local goneUntilMs = string.match(place, '^gone (%d+)$')
  if goneUntilMs and tonumber(goneUntilMs) > nowMs then
    state = 'gone'
  end
end
