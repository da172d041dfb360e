-- Reads how many permits Redisson's semaphore has free; nil when there is none of this name. foreign says what the key holds
-- if that is not a number.
-- Reads: countKey
-- Sets:  count free foreign
local count = redis.pcall('GET', countKey)
local free, foreign = nil, nil
if type(count) == 'table' then
  foreign = 'value of type ' .. redis.call('TYPE', countKey).ok
elseif count then
  free = tonumber(count)
  foreign = not free and 'string that is not a number' or nil
end
