-- Returns those that were skipped to the head of the queue.
-- Reads: skipped queueKey waitersKey
-- Sets:  nothing
if skipped then
  for i = #skipped, 1, -1 do
    call('LPUSH', queueKey, skipped[i])
  end
  -- A queue that was empty in between has lost its TTL.
  call('PEXPIRE', queueKey, call('PTTL', waitersKey))
end
