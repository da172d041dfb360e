--[[
  Set how many permits a semaphore has in all that is shared with Redisson's RPermitExpirableSemaphore, as its setPermits
  does.

  KEYS[1]  count   string, free permits; Redisson's
  KEYS[2]  holds   hash, owner of ours -> permits
  KEYS[3]  ends    sorted set, owner of ours by end of its hold, milliseconds
  KEYS[4]  ids     sorted set, permits of both sides by end, milliseconds; Redisson's
  KEYS[5]  size    string, '<version> <id of the call that set it>'
  ARGV[1]  newSize  0: nobody enters
  ARGV[2]  keepMs   how long late calls find that this one was made, milliseconds
  ARGV[3]  seen     the version that the caller has seen; 0: none
  ARGV[4]  callId   made by the caller for this call alone, the same when it is repeated
  ARGV[5]  publish  PUBLISH or SPUBLISH, as Redisson's clients subscribe
  ARGV[6]  channel  Redisson's channel of the semaphore

  Returns  { 1, version, newSize }   set, now or by this very call before
           { 0, version, newSize }   the version is not the one seen: changes nothing
           { 1, version, newSize, error }   set, but Redis refused to publish a message
           { -3, type }   a key is not one of a semaphore of Redisson; changes nothing

  Publishes the free permits to the channel. Evicts nobody: the free permits may be fewer than none.
  Safe to run twice: the second time finds its own id and changes nothing.
]]
--@include includes/call
local countKey, holdsKey, endsKey, idsKey, sizeKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local newSize = tonumber(ARGV[1])
local keepMs = ARGV[2]
local seen = ARGV[3]
local callId = ARGV[4]
local publish = ARGV[5]
local channel = ARGV[6]

--@include includes/clock
--@include includes/clock-ms
--@include redisson/includes/read-free
--@include ./includes/read-ids-type
if foreign then
  return { -3, foreign }
end
local version, lastId = string.match(redis.pcall('GET', sizeKey) or '0 ', '^(%d+) (.*)$')
if lastId == callId then
  return { 1, tonumber(version), newSize }
elseif version ~= seen then
  return { 0, tonumber(version), newSize }
end
--@include ./includes/return-ended

version = version + 1
call('SET', sizeKey, version .. ' ' .. callId, 'PX', keepMs)
free = call('INCRBY', countKey, newSize - (free or 0) - call('ZCARD', idsKey))
hasRisen = true
--@include redisson/includes/announce-free
local reply = { 1, version, newSize }
if noticeError ~= '' then
  reply[4] = noticeError
end
return reply
