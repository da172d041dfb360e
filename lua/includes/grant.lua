-- If isFree, hands the lock to the first live waiter ahead of `before` (all waiters when nil); `first` is the first in the
-- queue. A stale place is dropped; one whose inbox nobody hears is passed over and keeps its ticket. The grant stands
-- even when its notice is refused: the waiter learns of it when it next refreshes its place.
-- Sets granted, the new holder or nil; noticeFault, why the notice was refused, or ''; and isFree.
local granted, noticeFault = nil, ''
local offset = 0
local heard = {}
while isFree and first and first ~= before do
  local owner = first
  --@include read-place
  if state == 'alive' then
    --@include ask-inbox
    if isHeard then
      -- First: a server that is out of memory refuses a script's first write only, and never this one.
      --@include drop-place
      --@include admit
      -- Not string.format, which ends a text at a NUL.
      local notice = 'granted ' .. owner .. ' ' .. tokenText .. ' ' .. nowText .. ' ' .. leaseMs .. ' ' .. lockKey
      local reply = redis.pcall('PUBLISH', inbox, notice)
      noticeFault = type(reply) == 'table' and reply.err or ''
      granted = owner
      isFree = false
    else
      offset = offset + 1
    end
  elseif state == 'none' then
    --@include drop-place
  else
    redis.call('ZREM', queueKey, owner)
  end
  first = isFree and redis.call('ZRANGE', queueKey, offset, offset)[1]
end
