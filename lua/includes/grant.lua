-- Hands on what is free, in queue order, up to `before` (to the end when nil) or until a grant ends the loop. Stale entries are
-- dropped, and so are abandoned owners. What a live waiter gets, and which entries keep their positions, each kind of object
-- says in its own hooks: begin-grants, offer, next-waiter and finish-grants.
--
-- A grant stands even when Redis refuses to publish its notice: the waiter learns of it when it next refreshes its entry.
-- noticeError says why Redis refused.
-- Reads: first before granted waitersKey nowText tokenFloor fenceKey lockKey queueKey requester used nowMs mainKey endsKey override leaseMs want ownSize nowMsText
-- Sets:  lacksToken newProof waiter skipped noticeError granted isFull ahead walked kept wasMet hasEntered blocker blockedUntilMs used usedBefore call newHolder newPermits newLeaseMs newInbox entrants subscriptions isQueued
--@include begin-grants
while waiter and waiter ~= before and not granted do
  --@include read-entry
  if state == 'alive' then
    --@include offer
  elseif state == 'none' then
    call('HDEL', waitersKey, waiter)
  end
  --@include next-waiter
end
--@include finish-grants
