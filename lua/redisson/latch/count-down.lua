--[[
  Count a party down in a latch that is shared with Redisson's RCountDownLatch.

  KEYS[1]  count    string, how many have to count down; Redisson's
  KEYS[2]  counted  hash: generation, previous, count, left, keepMs, setter, deleted; party -> 1, those that have counted down
  ARGV[1]  named    the generation to count down in
  ARGV[2]  party    who counts down; the same when the call is repeated
  ARGV[3]  publish  PUBLISH or SPUBLISH, as Redisson's clients subscribe
  ARGV[4]  channel  Redisson's channel of the latch

  Returns  { 1, state … }   counted, now or earlier, or no count is set
           { 0, state … }   the named generation is not the last one; changes nothing
           { -3, type }     the key is not a latch of Redisson; changes nothing
           state: generation, first, opened, left, previous, why Redis refused to publish a message or ''

  Publishes '0' to the channel when the last one counts down.
  Safe to run twice: a party is counted once in a generation.
]]
--@include includes/call
local countKey, countedKey = KEYS[1], KEYS[2]
local named = tonumber(ARGV[1])
local party = ARGV[2]
local publish = ARGV[3]
local channel = ARGV[4]
local awaited = 0

--@include includes/clock
--@include ./includes/read-latch

if foreign then
  return { -3, foreign }
end
local code, first, happened = 0, 0, nil
if left == 0 then
  code = 1
elseif generation == named then
  code = 1
  if call('HSETNX', countedKey, party, 1) == 1 then
    left = call('DECR', countKey)
    if left == 0 then
      call('DEL', countKey)
      --@include ./includes/forget-parties
      opened = generation
      happened = '0'
    else
      call('HSET', countedKey, 'left', left)
    end
  end
end
--@include ./includes/keep-counted
--@include ./includes/announce
--@include ./includes/reply-state
