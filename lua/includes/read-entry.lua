-- Reads what the waiters hash has under the name of a waiter: a queue entry, '<alive since, µs> <alive for, ms> <lease of
-- the grant, ms> <1: its inbox is checked before a grant; 0: not> <inbox>'; or, for an owner that was abandoned while one
-- of its requests may still be in flight, a tombstone, 'gone <until, ms>'.
--
-- state is 'alive' for a live entry, 'tombstone', or 'none', also for a stale entry.
-- Reads: waitersKey waiter nowText
-- Sets:  state entry aliveSinceUs aliveForMs entryLeaseMs inboxIsChecked entryInbox
local state = 'none'
local entry = call('HGET', waitersKey, waiter) or ''
local aliveSinceUs, aliveForMs, entryLeaseMs, inboxIsChecked, entryInbox =
  string.match(entry, '^(%d+) (%d+) (%d+) ([01]) (.+)$')
if not aliveSinceUs then
  local goneUntilMs = string.match(entry, '^gone (%d+)$')
  if goneUntilMs and 1000 * goneUntilMs > tonumber(nowText) then
    state = 'tombstone'
  end
elseif nowText - aliveSinceUs < 1000 * aliveForMs then
  state = 'alive'
end
