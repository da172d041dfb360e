-- The owner is alone in the queue. Other entries are of a queue that somebody deleted, or that was evicted: no grant would
-- find them, so they go, and when their owners refresh them they learn that they have none.
-- Reads: waitersKey owner
-- Sets:  nothing
if call('HLEN', waitersKey) > 1 then
  local fields = call('HGETALL', waitersKey)
  for i = 1, #fields, 2 do
    if fields[i] ~= owner and string.sub(fields[i + 1], 1, 5) ~= 'gone ' then
      call('HDEL', waitersKey, fields[i])
    end
  end
end
