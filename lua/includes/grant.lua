-- Grants a free lock to the first live waiter ahead of `before` (any waiter when nil). `first` was the head of the queue
-- and has been taken off it. Drops stale entries. An entry whose inbox has no subscriber is skipped and keeps its position.
-- If nobody is granted the lock, `before` is no longer in the queue afterwards.
--
-- PUBLISH counts who receives the notice. A grant that nobody receives is undone; its token stays unused. As the count
-- includes pattern subscribers, and a monitor with PSUBSCRIBE * would make every dead inbox look alive, the inbox is checked
-- first where there are patterns. A grant stands even when Redis refuses to publish its notice: the waiter learns of it when
-- it next refreshes its entry.
--
-- granted becomes the new holder; noticeError says why Redis refused to publish the notice.
-- Reads: lockKey queueKey waitersKey fenceKey before first nowText tokenFloor granted
-- Sets:  waiter skipped granted noticeError
local waiter, skipped = first, nil
while waiter and waiter ~= before and not granted do
  --@include read-entry
  if state == 'alive' then
    local mayGrant = not (skipped and skipped[entryInbox])
    if mayGrant and inboxIsChecked == '1' and redis.pcall('PUBSUB', 'NUMPAT') ~= 0 then
      --@include check-inbox
      mayGrant = isSubscribed
    end
    if mayGrant then
      local newHolder, newLeaseMs = waiter, entryLeaseMs
      --@include admit
      -- Not string.format, which cuts a string at a NUL.
      local notice = 'granted ' .. newHolder .. ' ' .. token .. ' ' .. nowText .. ' ' .. newLeaseMs .. ' ' .. lockKey
      local received = redis.pcall('PUBLISH', entryInbox, notice)
      if received == 0 and inboxIsChecked == '1' then
        call('DEL', lockKey)
      else
        call('HDEL', waitersKey, waiter)
        noticeError = type(received) == 'table' and received.err or ''
        granted = newHolder
      end
    end
    if not granted then
      -- In order, and each inbox once.
      skipped = skipped or {}
      skipped[#skipped + 1] = waiter
      skipped[entryInbox] = true
    end
  elseif state == 'none' then
    call('HDEL', waitersKey, waiter)
  end
  waiter = not granted and call('LPOP', queueKey)
end
if skipped then
  for i = #skipped, 1, -1 do
    call('LPUSH', queueKey, skipped[i])
  end
  -- A queue that was empty in between has lost its TTL.
  call('PEXPIRE', queueKey, call('PTTL', waitersKey))
end
