-- Hands a free lock to the first live waiter, in queue order, up to `before` (to the end when nil). Stale entries are dropped, and so
-- are abandoned owners. `first` was the head of the queue and has been taken off it. If nobody is granted the lock, `before` has left
-- the queue afterwards.
--
-- A grant stands even when Redis refuses to publish its notice: the waiter learns of it when it next refreshes its entry.
-- noticeError says why Redis refused.
-- Reads: first before granted waitersKey nowText tokenFloor fenceKey lockKey queueKey
-- Sets:  lacksToken waiter skipped noticeError granted
local waiter, skipped, lacksToken = first, nil, nil
while waiter and waiter ~= before and not granted do
  --@include includes/read-entry
  if state == 'alive' then
    -- Grants the lock to a live waiter. An entry whose inbox has no subscriber is skipped and keeps its position.
    --
    -- PUBLISH counts who receives the notice. A grant that nobody receives is undone; its token stays unused. As the count
    -- includes pattern subscribers, and a monitor with PSUBSCRIBE * would make every dead inbox look alive, the inbox is
    -- checked first where there are patterns.
    -- Without a token for it nobody is offered anything.
    local mayGrant = not (skipped and skipped[entryInbox])
    if mayGrant and inboxIsChecked == '1' and redis.pcall('PUBSUB', 'NUMPAT') ~= 0 then
      --@include includes/check-inbox
      mayGrant = isSubscribed
    end
    if mayGrant then
      local newHolder, newLeaseMs = waiter, entryLeaseMs
      --@include ./admit
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
  elseif state == 'none' then
    call('HDEL', waitersKey, waiter)
  end
  -- Takes the next waiter off the queue, unless the lock was granted or nobody can be.
  waiter = not granted and not lacksToken and call('LPOP', queueKey)
end
-- Returns those that were skipped to the head of the queue.
if skipped then
  for i = #skipped, 1, -1 do
    call('LPUSH', queueKey, skipped[i])
  end
  -- A queue that was empty in between has lost its TTL.
  call('PEXPIRE', queueKey, call('PTTL', waitersKey))
end
