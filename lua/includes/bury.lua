-- Leaves a tombstone, which refuses the owner's late requests for tombstoneMs.
-- Reads: waitersKey owner nowMs tombstoneMs
-- Sets:  keepFor sample
--@include ./keep
-- Each new tombstone checks a few fields for expired ones: they cannot pile up, and the cost stays bounded.
local sample = call('HRANDFIELD', waitersKey, 8, 'WITHVALUES')
for i = 1, #sample, 2 do
  local untilMs = string.match(sample[i + 1], '^gone (%d+)$')
  if untilMs and tonumber(untilMs) <= nowMs then
    call('HDEL', waitersKey, sample[i])
  end
end
call('HSET', waitersKey, owner, string.format('gone %.0f', nowMs + tombstoneMs))
keepFor(waitersKey, tonumber(tombstoneMs))
