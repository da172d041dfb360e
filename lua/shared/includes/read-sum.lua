-- Reads the sum of permits and the owner's hold, as they were written last. Refuses a main key that has something else in it.
-- Reads: mainKey owner used
-- Sets:  held used
local held = redis.pcall('HMGET', mainKey, 'used', owner)
used = not held.err and tonumber(held[1] or 0)
if not used or not held[1] and call('EXISTS', mainKey) == 1 then
  local foreign = redis.pcall('TYPE', mainKey).ok or 'value of another type'
  return { -3, foreign == 'hash' and 'hash with other content' or foreign }
end
