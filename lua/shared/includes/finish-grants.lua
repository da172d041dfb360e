-- Enters a requester that has no position, if it is after all of those that wait and nobody stops it, and writes what the loop has noted. All that enter in a step share
-- a token, which `granted` becomes if the requester is one of them.
-- Reads: isFull newHolder entrants requester wasMet blocker used usedBefore override want leaseMs ownSize newPermits newLeaseMs newProof newInbox nowText tokenFloor fenceKey nowMs mainKey endsKey waitersKey hasEntered walked kept queueKey waiter
-- Sets:  isQueued used walked call newHolder newPermits newLeaseMs newProof newInbox entrants hasEntered noticeError granted waiter
local isQueued = newHolder ~= nil
if requester ~= '' and not wasMet and not blocker and not isFull then
  local permits = tonumber(want)
  if used + permits <= tonumber(override or ownSize) then
    waiter = requester
    local entryWant, entryLeaseMs, entryProof, entryInbox = want, leaseMs, '', ''
    --@include enter
    hasEntered = true
  end
end
if newHolder then
  for i = 3, entrants and #entrants or 0, 5 do
    newLeaseMs = math.max(newLeaseMs, entrants[i])
  end
  -- Without a token nobody enters: what has been given back stays given back, and a requester is refused.
  call = redis.pcall
  --@include next-token
  call = redis.call
  local wasFree = usedBefore == 0
  if type(lastToken) == 'table' then
    if requester ~= '' then
      return lastToken
    end
    newHolder, used, walked = nil, usedBefore, 0
    noticeError = 'no token from ' .. fenceKey .. ': ' .. lastToken.err
  elseif isBeyond then
    if requester ~= '' then
      return { -4, fenceKey, lastToken }
    end
    newHolder, used, walked = nil, usedBefore, 0
    noticeError = 'nobody entered: no token can follow ' .. lastToken .. ' in ' .. fenceKey
  elseif entrants then
    --@include write-grants
  else
    --@include write-grant
  end
end
if walked == 1 and not kept then
  call('LPOP', queueKey)
elseif walked > (kept and #kept or 0) then
  --@include trim-queue
end
