-- Reads a latch, and finds out whether it is still the one that one of us saw last. Redisson's latch is a number, which falls to
-- 0 and goes: one that is larger than it was, or is there again, was set since. It is a generation of its own, and those
-- that counted down before it are forgotten.
-- opened is the last generation that is over. foreign says what a key holds if that is not part of a latch.
-- Reads: countKey countedKey nowText awaited
-- Sets:  count left foreign fields generation previous deleted setter seen opened
local count = redis.pcall('GET', countKey)
local fields = redis.pcall('HMGET', countedKey, 'generation', 'previous', 'deleted', 'setter', 'left')
local foreign = nil
if type(count) == 'table' then
  foreign = 'value of type ' .. call('TYPE', countKey).ok
elseif count and not tonumber(count) then
  foreign = 'string that is not a number'
elseif fields.err then
  foreign = 'latch, but ' .. countedKey .. ' is something else'
end
local left = not foreign and math.max(0, tonumber(count or '0')) or 0
local generation, previous, deleted = tonumber(fields[1] or '0'), tonumber(fields[2] or '0'), fields[3]
local setter, seen = fields[4], tonumber(fields[5] or '0')
if foreign then
  left = 0
elseif left > seen then
  previous = generation
  -- A waiter knows which one it was if what we keep beside the latch is lost: that must not let it pass.
  generation = generation == 0 and awaited > 0 and awaited or math.max(tonumber(nowText), generation + 1)
  call('DEL', countedKey)
  call(
    'HSET', countedKey, 'generation', string.format('%.0f', generation), 'previous', string.format('%.0f', previous),
    'count', string.format('%.0f', left), 'left', string.format('%.0f', left), 'keepMs', 86400000
  )
  if deleted then
    call('HSET', countedKey, 'deleted', deleted)
  end
elseif left < seen then
  call('HSET', countedKey, 'left', string.format('%.0f', left))
end
local opened = left == 0 and generation or previous
