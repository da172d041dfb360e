-- Writes the hold of the only one that enters, and notifies it. Numbers are given as texts: Redis would convert them in a dearer way.
-- Reads: newHolder newPermits newLeaseMs newProof newInbox isQueued nowText token used nowMs mainKey endsKey waitersKey wasFree hasEntered
-- Sets:  keepMs noticeError granted
call('HSET', mainKey, 'used', string.format('%d', used), newHolder, newPermits .. ' ' .. token)
call('ZADD', endsKey, string.format('%d', nowMs + newLeaseMs), newHolder)
if isQueued then
  call('HDEL', waitersKey, newHolder)
end
local keepMs = newLeaseMs
--@include keep-holds
if newInbox ~= '' then
  local notice = 'entered ' .. token .. ' ' .. nowText .. ' ' .. newHolder .. ':' .. newLeaseMs .. ':' .. newProof .. ' ' .. mainKey
  local received = redis.pcall('PUBLISH', newInbox, notice)
  if type(received) == 'table' then
    noticeError = received.err
  end
end
granted = hasEntered and token
