--[[
  Set how many permits an object has in all, and let in those that fit now.

  KEYS[1]  main      hash, owner -> permits and token; used -> the sum of permits
  KEYS[2]  ends      sorted set, owner by end of its hold, milliseconds
  KEYS[3]  queue     list, waiting owners, first in line first
  KEYS[4]  waiters   hash, owner -> queue entry or tombstone
  KEYS[5]  fence     string, last fencing token
  KEYS[6]  size      string, '<size> <version> <id of the call that set it>'
  ARGV[1]  newSize     0: nobody enters
  ARGV[2]  sizeMs      how long it is in force, milliseconds; then each waiter's own size is
  ARGV[3]  seen        the version that the caller has seen; 0: none
  ARGV[4]  id          made by the caller for this call alone, the same when it is repeated
  ARGV[5]  tokenFloor  largest fencing token that the requesting client has seen

  Returns  { 1, version, size }   set, now or by this very call before
           { 0, version, size }   the version is not the one seen: changes nothing; 0, 0: there is no size in force
           { 1, version, size, error }   set, but Redis refused to publish a notice, or nobody could enter for lack of a token
           { -3, type }           the key is not one of ours; changes nothing
           error WRONGTYPE        a key beside it is not one of ours, or the size key has no size; changes nothing

  Publishes 'entered …' as acquire does. Evicts nobody.
  Safe to run twice: the second time finds its own id and changes nothing. When another call has come in between,
  it changes nothing either, and says so like one that came too late.
]]
--@include includes/call
local mainKey, endsKey, queueKey, waitersKey, fenceKey, sizeKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local newSize = ARGV[1]
local sizeMs = ARGV[2]
local seen = ARGV[3]
local id = ARGV[4]
local tokenFloor = ARGV[5]

--@include includes/clock
--@include ./includes/clock-ms
local owner, used, hold, firstOwner, firstEndMs = '', 0, false, '', 0
--@include ./includes/read-holds

local size, version, lastId = string.match(call('GET', sizeKey) or '0 0 ', '^(%d+) (%d+) (.*)$')
if not size then
  return redis.error_reply('WRONGTYPE ' .. sizeKey .. ' has no size')
elseif lastId == id then
  return { 1, tonumber(version), tonumber(size) }
elseif version ~= seen then
  return { 0, tonumber(version), tonumber(size) }
end
local first = call('LINDEX', queueKey, '0')
version = version + 1
call('SET', sizeKey, newSize .. ' ' .. version .. ' ' .. id, 'PX', sizeMs)
local override = newSize
local granted, noticeError, before = nil, '', nil
local requester, want, leaseMs, ownSize = '', nil, nil, nil
--@include ./includes/grant
local reply = { 1, version, tonumber(newSize) }
if noticeError ~= '' then
  reply[4] = noticeError
end
return reply
