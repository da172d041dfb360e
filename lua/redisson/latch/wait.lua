--[[
  Wait for latches that are shared with Redisson's RCountDownLatch to open, or go on waiting; many latches of one slot in one
  call.

  KEYS[2i - 1]  count    string, how many have to count down; Redisson's
  KEYS[2i]      counted  hash: generation, previous, count, left, keepMs, setter, deleted; party -> 1, those that have counted down
  ARGV[i]       awaited  the generation waited for, from the last reply; 0 at first

  Returns  per item, two values
           1, generation    it is open: no count is set, or another one than the awaited one
           2, generation    not open; wait for this generation
           -1, generation   one of us deleted the awaited generation
           -3, type         the key is not a latch of Redisson; changes nothing

  Publishes nothing. Safe to run twice.
]]
--@include includes/call
--@include includes/clock

local replies = {}
for i = 1, #KEYS / 2 do
  local countKey, countedKey = KEYS[2 * i - 1], KEYS[2 * i]
  local awaited = tonumber(ARGV[i])
  --@include ./includes/read-latch
  --@include ./includes/keep-counted
  local code = 2
  if foreign then
    code, generation = -3, foreign
  elseif awaited > 0 and awaited == tonumber(deleted or '0') then
    code, generation = -1, awaited
  elseif awaited > 0 and awaited ~= generation then
    code, generation = 1, awaited
  elseif left == 0 then
    code = 1
  end
  replies[2 * i - 1] = code
  replies[2 * i] = generation
end
return replies
