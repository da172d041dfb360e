-- Enters a live waiter if it fits. If it does not, it ends the loop. A waiter whose inbox has no subscriber, or that wants entrants than
-- there is in all, is passed over: it keeps its position and stops nobody.
-- Reads: requester waiter wasMet entryWant override entrySize inboxIsChecked subscriptions entryInbox used aliveUntilMs kept entryLeaseMs leaseMs newHolder entrants newPermits newLeaseMs newProof newInbox entryProof
-- Sets:  isFull isRequester permits room mayEnter wasMet subscriptions blocker blockedUntilMs kept used newHolder newPermits newLeaseMs newProof newInbox entrants hasEntered entryLeaseMs entryProof entryInbox
local isRequester = waiter == requester
wasMet = wasMet or isRequester
-- Not with tonumber, which takes longer than an addition.
local permits, room = entryWant + 0, (override or entrySize) + 0
local mayEnter = permits <= room
if mayEnter and inboxIsChecked == '1' and not isRequester then
  subscriptions = subscriptions or {}
  mayEnter = subscriptions[entryInbox]
  if mayEnter == nil then
    --@include check-inbox
    mayEnter = isSubscribed
    subscriptions[entryInbox] = isSubscribed
  end
end
if not mayEnter then
  kept = kept or {}
  kept[#kept + 1] = waiter
elseif used + permits > room then
  blocker, blockedUntilMs = waiter, aliveUntilMs
  break
else
  if isRequester then
    hasEntered = true
    entryLeaseMs, entryProof, entryInbox = leaseMs, '', ''
  end
  --@include enter
  isFull = used >= room
end
