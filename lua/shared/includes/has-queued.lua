-- Has the queue live as long as an entry that is new there, or that had `rank` already.
-- Reads: position waitersKey owner entryTtlMs queueKey rank
-- Sets:  nothing
if position == 1 and not rank then
  --@include includes/drop-orphans
end
--@include includes/keep-queue
