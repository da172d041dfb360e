-- Refuses a key of ids that does not hold a sorted set.
-- Reads: idsKey
-- Sets:  foreign idsType
local idsType = call('TYPE', idsKey).ok
if idsType ~= 'none' and idsType ~= 'zset' then
  foreign = 'semaphore whose permits have a ' .. idsType .. ' for their ends'
end
