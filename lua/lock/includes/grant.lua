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
    -- Grants the lock to a live waiter. An entry whose inbox has no subscriber here is skipped and keeps its position.
    --
    -- Checked before the grant, so that no notice is published that does not stand: PUBLISH is replicated, and a subscriber at
    -- a replica would believe a grant that was undone because PUBLISH counted no receiver here.
    -- Without a token for it nobody is offered anything.
    local mayGrant = not (skipped and skipped[entryInbox])
    if mayGrant and inboxIsChecked == '1' then
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
