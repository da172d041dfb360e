-- Has queue and waiters live for entryTtlMs and a quarter more, at least. They are set to twice as long as needed, so that
-- few entries have to extend them. The hash lives at least as long as the queue: an owner in the queue is in the hash.
-- Reads: queueKey waitersKey entryTtlMs
-- Sets:  nothing
if call('PTTL', queueKey) < 1.25 * entryTtlMs then
  --@include ./keep
  call('PEXPIRE', queueKey, 2 * entryTtlMs)
  keepFor(waitersKey, 2 * entryTtlMs)
end
