-- Reads what the waiters hash has under the name of a waiter. A queue entry is '<alive since, µs> <alive for, ms> <lease of
-- the grant, ms> <1 or 0> <proof> <inbox>', where 0 says that nobody can tell whether the inbox has a subscriber: a node of a Cluster
-- knows only its own; a grant's notice repeats the proof. For an owner that was abandoned while one of its requests may still be in flight, there is a
-- tombstone instead, 'gone <until, ms>'.
--
-- state is 'alive' for a live entry, 'tombstone', or 'none', also for a stale entry.
-- Reads: waitersKey waiter nowText
-- Sets:  state entry aliveSinceUs aliveForMs entryLeaseMs inboxIsChecked entryProof entryInbox
local state = 'none'
local entry = call('HGET', waitersKey, waiter) or ''
local aliveSinceUs, aliveForMs, entryLeaseMs, inboxIsChecked, entryProof, entryInbox =
  string.match(entry, '^(%d+) (%d+) (%d+) ([01]) (%S+) (.+)$')
if not aliveSinceUs then
  local goneUntilMs = string.match(entry, '^gone (%d+)$')
  if goneUntilMs and 1000 * goneUntilMs > tonumber(nowText) then
    state = 'tombstone'
  end
elseif nowText - aliveSinceUs < 1000 * aliveForMs then
  state = 'alive'
end
