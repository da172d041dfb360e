-- Notes that a waiter, or a requester with '' for an inbox, enters with its permits.
-- Reads: used permits newHolder newPermits newLeaseMs newProof newInbox entrants waiter entryWant entryLeaseMs entryProof entryInbox
-- Sets:  used newHolder newPermits newLeaseMs newProof newInbox entrants
used = used + permits
if not newHolder then
  newHolder, newPermits, newLeaseMs, newProof, newInbox = waiter, entryWant, entryLeaseMs, entryProof, entryInbox
else
  entrants = entrants or { newHolder, newPermits, newLeaseMs, newProof, newInbox }
  local last = #entrants
  entrants[last + 1], entrants[last + 2] = waiter, entryWant
  entrants[last + 3], entrants[last + 4], entrants[last + 5] = entryLeaseMs, entryProof, entryInbox
end
