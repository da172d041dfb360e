-- Takes the first `walked` off the queue, but for those of them that keep their positions.
-- Reads: queueKey walked kept waitersKey
-- Sets:  nothing
call('LTRIM', queueKey, walked, '-1')
if kept then
  for from = #kept, 1, -1000 do
    local heads = {}
    for i = from, math.max(from - 999, 1), -1 do
      heads[#heads + 1] = kept[i]
    end
    call('LPUSH', queueKey, unpack(heads))
  end
  -- A queue that was empty in between has lost its TTL.
  call('PEXPIRE', queueKey, call('PTTL', waitersKey))
end
