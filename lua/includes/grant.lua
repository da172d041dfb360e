-- If isFree, grants the lock to the first live waiter ahead of `before` (any waiter when nil); `first` is the head of
-- the queue. Drops stale entries. An entry whose inbox has no subscriber is skipped and keeps its ticket. The grant
-- stands even when Redis refuses to publish its notice: the waiter learns of it when it next refreshes its entry.
-- granted is the new holder or nil; noticeError says why Redis refused to publish the notice, or ''.
-- Reads: lockKey queueKey waitersKey fenceKey isFree first before nowMs checkInbox nowUs nowText tokenFloor
-- Sets:  granted noticeError offset subscribed isFree first
local granted, noticeError = nil, ''
local offset = 0
local subscribed = {}
while isFree and first and first ~= before do
  local waiter = first
  --@include read-entry
  if state == 'alive' then
    --@include check-inbox
    if isSubscribed then
      -- First: a server that is out of memory refuses only the first write of a script, and never this one.
      --@include drop-entry
      local newHolder, newLeaseMs = waiter, entryLeaseMs
      --@include admit
      -- Not string.format, which cuts a string at a NUL.
      local notice = 'granted ' .. newHolder .. ' ' .. tokenText .. ' ' .. nowText .. ' ' .. newLeaseMs .. ' ' .. lockKey
      local reply = redis.pcall('PUBLISH', entryInbox, notice)
      noticeError = type(reply) == 'table' and reply.err or ''
      granted = newHolder
      isFree = false
    else
      offset = offset + 1
    end
  elseif state == 'none' then
    --@include drop-entry
  else
    redis.call('ZREM', queueKey, waiter)
  end
  first = isFree and redis.call('ZRANGE', queueKey, offset, offset)[1]
end
