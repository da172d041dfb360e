-- A queue entry is a member of the sorted set (score = ticket) and, in the waiters hash under the same owner,
-- '<alive until, ms> <lease of the grant, ms> <inbox>'. An owner that was abandoned while one of its requests may still
-- be in flight has a tombstone in that hash instead, 'gone <until, ms>'.
--
-- state is 'alive' for a live entry, 'tombstone', or 'none', also for a stale entry.
-- Reads: waitersKey waiter nowMs
-- Sets:  state entry aliveUntilMs entryLeaseMs entryInbox
local state = 'none'
local entry = redis.call('HGET', waitersKey, waiter) or ''
local aliveUntilMs, entryLeaseMs, entryInbox = string.match(entry, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
  state = 'alive'
elseif not aliveUntilMs then
  local goneUntilMs = string.match(entry, '^gone (%d+)$')
  if goneUntilMs and tonumber(goneUntilMs) > nowMs then
    state = 'tombstone'
  end
end
