-- Queues the owner, unless `waiting` is ''; a repeated request keeps its position. position is 0 for an owner that is not
-- queued. An abandoned owner is refused.
-- Reads: queueKey waitersKey owner waiting nowText
-- Sets:  position
local position = 0
if waiting == '' then
  --@include ./refuse-abandoned
else
  local newEntry = nowText .. ' ' .. waiting
  local rank = nil
  if call('HSETNX', waitersKey, owner, newEntry) == 0 then
    --@include ./refuse-abandoned
    call('HSET', waitersKey, owner, newEntry)
    rank = call('LPOS', queueKey, owner)
  end
  position = rank and rank + 1 or call('RPUSH', queueKey, owner)
  if position == 1 and not rank then
    --@include ./drop-orphans
  end
  local entryTtlMs = string.match(waiting, '^%d+')
  --@include ./keep-queue
end
