-- All waiters that fit enter, in queue order, up to the first that does not: it stops those behind it. `first` is the head of
-- the queue. A requester, '' if there is none, is judged at its position like the others; without a queue
-- entry it comes after all of them. `override` is what the object was resized to, nil or false if it was not.
--
-- Those that enter are noted in the loop and written at the end, with few commands. As one notice tells several owners of their
-- holds, a grant that nobody receives cannot be undone by itself. So each inbox is checked beforehand, once.
--
-- Mostly one enters, or none: it is noted in variables, and only those after it in a table, five values each.
-- Reads: first override used
-- Sets:  isFull usedBefore walked ahead newHolder newPermits newLeaseMs newProof newInbox entrants subscriptions kept wasMet hasEntered blocker blockedUntilMs waiter
local usedBefore = used
local walked, ahead = 0, nil
local newHolder, newPermits, newLeaseMs, newProof, newInbox, entrants
local subscriptions, kept
local isFull, wasMet, hasEntered, blocker, blockedUntilMs = false, false, false, nil, nil
-- While the object is paused, those that wait, however many, are not looked at.
local waiter = override ~= '0' and first
