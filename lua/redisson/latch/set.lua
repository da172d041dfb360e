--[[
  Set the count of a latch that is shared with Redisson's RCountDownLatch, if it has none.

  KEYS[1]  count    string, how many have to count down; Redisson's
  KEYS[2]  counted  hash: generation, previous, count, left, keepMs, setter, deleted; party -> 1, those that have counted down
  ARGV[1]  named    the generation that the caller takes for the last one; 0: none
  ARGV[2]  caller   unique to the call, the same when it is repeated
  ARGV[3]  newCount how many have to count down
  ARGV[4]  keepMs   how long what we keep beside the latch outlives its last use, milliseconds
  ARGV[5]  publish  PUBLISH or SPUBLISH, as Redisson's clients subscribe
  ARGV[6]  channel  Redisson's channel of the latch

  Returns  { 1, state … }   set, now or by an earlier run of the same call
           { 0, state … }   another generation is the last one, or a count is set; changes nothing
           { -3, type }     the key is not a latch of Redisson; changes nothing
           state: generation, first, opened, left, previous, why Redis refused to publish a message or ''

  Publishes '1' to the channel when it sets the count.
  Safe to run twice: the second time it finds its own setter, or another generation than the named one.
]]
--@include includes/call
local countKey, countedKey = KEYS[1], KEYS[2]
local named = tonumber(ARGV[1])
local caller = ARGV[2]
local newCount = ARGV[3]
local keepMs = ARGV[4]
local publish = ARGV[5]
local channel = ARGV[6]
local awaited = 0

--@include includes/clock
--@include ./includes/read-latch

if foreign then
  return { -3, foreign }
end
local code, first, happened = 0, 0, nil
if setter == caller then
  code = 1
elseif left == 0 and generation == named then
  code = 1
  happened = '1'
  previous = generation
  generation = math.max(tonumber(nowText), previous + 1)
  left = tonumber(newCount)
  opened = previous
  call('SET', countKey, newCount)
  call('DEL', countedKey)
  call(
    'HSET', countedKey, 'generation', string.format('%.0f', generation), 'previous', string.format('%.0f', previous),
    'count', newCount, 'left', newCount, 'keepMs', keepMs, 'setter', caller,
    'deleted', deleted or ''
  )
  call('PEXPIRE', countedKey, keepMs)
end
--@include ./includes/announce
--@include ./includes/reply-state
