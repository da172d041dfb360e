-- Reads what the waiters hash has under the name of a waiter. A queue entry is '<alive until, ms> <lease of the grant, ms> <1 or 0>
-- <permits wanted> <size> <proof> <inbox>', where 0 says that nobody can tell whether the inbox has a subscriber: a node of a Cluster
-- knows only its own. The size is that which the waiter's client knows. For an owner that was abandoned while one of its
-- requests may still be in flight, there is a tombstone instead, 'gone <until, ms>'.
--
-- state is 'alive' for a live entry, 'tombstone', or 'none', also for a stale entry. Times are compared as texts, all of the
-- same length: to convert one takes Redis longer.
-- Reads: waitersKey waiter nowMsText
-- Sets:  state entry aliveUntilMs entryLeaseMs inboxIsChecked entryWant entrySize entryProof entryInbox
local state = 'none'
local entry = call('HGET', waitersKey, waiter) or ''
local aliveUntilMs, entryLeaseMs, inboxIsChecked, entryWant, entrySize, entryProof, entryInbox =
  string.match(entry, '^(%d+) (%d+) ([01]) (%d+) (%d+) (%S+) (.+)$')
if not aliveUntilMs then
  local goneUntilMs = string.match(entry, '^gone (%d+)$')
  if goneUntilMs and goneUntilMs > nowMsText then
    state = 'tombstone'
  end
elseif aliveUntilMs > nowMsText then
  state = 'alive'
end
