-- Notes that a waiter, or a requester with '' for an inbox, enters with its permits.
-- Reads: used permits newHolder newPermits newLeaseMs newInbox entrants waiter entryWant entryLeaseMs entryInbox
-- Sets:  used newHolder newPermits newLeaseMs newInbox entrants
used = used + permits
if not newHolder then
  newHolder, newPermits, newLeaseMs, newInbox = waiter, entryWant, entryLeaseMs, entryInbox
else
  entrants = entrants or { newHolder, newPermits, newLeaseMs, newInbox }
  local last = #entrants
  entrants[last + 1], entrants[last + 2] = waiter, entryWant
  entrants[last + 3], entrants[last + 4] = entryLeaseMs, entryInbox
end
