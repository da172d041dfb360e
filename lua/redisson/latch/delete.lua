--[[
  Delete the count of a latch that is shared with Redisson's RCountDownLatch.

  KEYS[1]  count    string, how many have to count down; Redisson's
  KEYS[2]  counted  hash: generation, previous, count, left, keepMs, setter, deleted; party -> 1, those that have counted down
  ARGV[1]  named    the generation to delete
  ARGV[2]  publish  PUBLISH or SPUBLISH, as Redisson's clients subscribe
  ARGV[3]  channel  Redisson's channel of the latch

  Returns  { 1, state … }   deleted
           { 0, state … }   the named generation is not the last one, or has no count any more; changes nothing
           { -3, type }     the key is not a latch of Redisson; changes nothing
           state: generation, first, opened, left, previous, why Redis refused to publish a message or ''; first is above
           generation when there was nothing to delete

  Publishes '1' to the channel when it deletes.
  Safe to run twice: the second time there is nothing to delete.
]]
--@include includes/call
local countKey, countedKey = KEYS[1], KEYS[2]
local named = tonumber(ARGV[1])
local publish = ARGV[2]
local channel = ARGV[3]
local awaited = 0

--@include includes/clock
--@include ./includes/read-latch

if foreign then
  return { -3, foreign }
end
local code, first, happened = 0, 0, nil
if left == 0 then
  first = generation + 1
elseif generation == named then
  code = 1
  left = 0
  opened = generation
  happened = '1'
  call('DEL', countKey)
  --@include ./includes/forget-parties
  call('HSET', countedKey, 'deleted', string.format('%.0f', named))
end
--@include ./includes/keep-counted
--@include ./includes/announce
--@include ./includes/reply-state
