--[[
  Evict an owner of ours, or end a permit of Java, of a semaphore that is shared with Redisson's RPermitExpirableSemaphore.

  KEYS[1]  count   string, free permits; Redisson's
  KEYS[2]  holds   hash, owner of ours -> permits
  KEYS[3]  ends    sorted set, owner of ours by end of its hold, milliseconds
  KEYS[4]  ids     sorted set, permits of both sides by end, milliseconds; Redisson's
  ARGV[1]  owner       the holder to evict, or the id of a permit of Java in hexadecimal digits
  ARGV[2]  inbox       channel of the owner's client
  ARGV[3]  publish     PUBLISH or SPUBLISH, as Redisson's clients subscribe
  ARGV[4]  channel     Redisson's channel of the semaphore

  Returns  1               evicted
           { 1, error }    the same, but Redis refused to publish a message
           0               the owner holds nothing; changes nothing
           { -3, type }    a key is not one of a semaphore of Redisson; changes nothing

  Publishes 'revoked <owner> <count>' to the inbox, and the free permits to the channel.
  Safe to run twice: the second time the named owner holds nothing.
]]
--@include includes/call
local countKey, holdsKey, endsKey, idsKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local inbox = ARGV[2]
local publish = ARGV[3]
local channel = ARGV[4]

--@include includes/clock
--@include includes/clock-ms
--@include redisson/includes/read-free
--@include ./includes/read-ids-type
if foreign then
  return { -3, foreign }
end
--@include ./includes/ids
--@include ./includes/return-ended
--@include ./includes/read-hold

local mine = false
local revoked = 0
if permits then
  local left = 0
  mine = true
  --@include ./includes/give-back
  revoked = redis.pcall('PUBLISH', inbox, 'revoked ' .. owner .. ' ' .. countKey)
elseif #owner == 32 and not string.find(owner, '%X') then
  local id = string.gsub(owner, '%x%x', function(byte)
    return string.char(tonumber(byte, 16))
  end)
  mine = call('ZREM', idsKey, id) == 1
  if mine and free then
    free = call('INCRBY', countKey, 1)
    hasRisen = true
  end
end
--@include redisson/includes/announce-free
if noticeError == '' and type(revoked) == 'table' then
  noticeError = revoked.err
end
--@include includes/reply
