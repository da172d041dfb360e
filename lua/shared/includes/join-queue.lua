-- Queues the owner, unless `waiting` is ''; a repeated request keeps its position, and has extended its entry before.
-- position is 0 for an owner that is not queued.
-- Reads: queueKey waitersKey owner waiting nowMs hasEntry
-- Sets:  position
local position = 0
if waiting ~= '' then
  --@include new-entry
  local rank = nil
  if hasEntry then
    rank = call('LPOS', queueKey, owner)
  else
    call('HSET', waitersKey, owner, newEntry)
  end
  position = rank and rank + 1 or call('RPUSH', queueKey, owner)
  --@include has-queued
end
