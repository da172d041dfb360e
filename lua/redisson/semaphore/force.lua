--[[
  Evict an owner of ours from a semaphore that is shared with Redisson's RSemaphore. Permits of Java have no owner.

  KEYS[1]  count   string, free permits; Redisson's
  KEYS[2]  holds   hash, owner of ours -> permits
  KEYS[3]  ends    sorted set, owner of ours by end of its hold, milliseconds
  ARGV[1]  owner       the holder to evict
  ARGV[2]  inbox       channel of the owner's client
  ARGV[3]  publish     PUBLISH or SPUBLISH, as Redisson's clients subscribe
  ARGV[4]  channel     Redisson's channel of the semaphore

  Returns  1               evicted
           { 1, error }    the same, but Redis refused to publish a message
           0               the owner holds nothing; changes nothing
           { -3, type }    the key is not a semaphore of Redisson; changes nothing

  Publishes 'revoked <owner> <count>' to the inbox, and the free permits to the channel.
  Safe to run twice: the second time the named owner holds nothing.
]]
--@include includes/call
local countKey, holdsKey, endsKey = KEYS[1], KEYS[2], KEYS[3]
local owner = ARGV[1]
local inbox = ARGV[2]
local publish = ARGV[3]
local channel = ARGV[4]

--@include includes/clock
--@include includes/clock-ms
--@include redisson/includes/read-free
if foreign then
  return { -3, foreign }
end
--@include ./includes/return-ended

local permits = tonumber(call('HGET', holdsKey, owner)) or 0
local mine = permits > 0
local revoked = 0
if mine then
  call('HDEL', holdsKey, owner)
  call('ZREM', endsKey, owner)
  if free then
    free = call('INCRBY', countKey, permits)
    hasRisen = true
  end
  revoked = redis.pcall('PUBLISH', inbox, 'revoked ' .. owner .. ' ' .. countKey)
end
--@include redisson/includes/announce-free
if noticeError == '' and type(revoked) == 'table' then
  noticeError = revoked.err
end
--@include includes/reply
