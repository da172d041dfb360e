-- Grants the lock to a live waiter. An entry whose inbox has no subscriber is skipped and keeps its position.
--
-- PUBLISH counts who receives the notice. A grant that nobody receives is undone; its token stays unused. As the count
-- includes pattern subscribers, and a monitor with PSUBSCRIBE * would make every dead inbox look alive, the inbox is
-- checked first where there are patterns.
-- Without a token for it nobody is offered anything.
-- Reads: skipped entryInbox entryProof inboxIsChecked waiter entryLeaseMs nowText tokenFloor fenceKey lockKey waitersKey granted
-- Sets:  mayGrant noticeError granted skipped lacksToken
local mayGrant = not (skipped and skipped[entryInbox])
if mayGrant and inboxIsChecked == '1' and redis.pcall('PUBSUB', 'NUMPAT') ~= 0 then
  --@include check-inbox
  mayGrant = isSubscribed
end
if mayGrant then
  local newHolder, newLeaseMs = waiter, entryLeaseMs
  --@include admit
  if isBeyond then
    lacksToken = lastToken
    noticeError = 'nobody was granted the lock: no token can follow ' .. lastToken .. ' in ' .. fenceKey
  else
    -- Not string.format, which cuts a string at a NUL.
    local notice = 'granted ' .. newHolder .. ' ' .. entryProof .. ' ' .. token .. ' ' .. nowText .. ' ' .. newLeaseMs .. ' ' .. lockKey
    local received = redis.pcall('PUBLISH', entryInbox, notice)
    if received == 0 and inboxIsChecked == '1' then
      call('DEL', lockKey)
    else
      call('HDEL', waitersKey, waiter)
      noticeError = type(received) == 'table' and received.err or ''
      granted = newHolder
    end
  end
end
if not granted then
  -- In order, and each inbox once.
  skipped = skipped or {}
  skipped[#skipped + 1] = waiter
  skipped[entryInbox] = true
end
