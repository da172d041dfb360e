--[[
  Evict the named owner and hand its permits to the next waiters.

  KEYS[1]  main      hash, owner -> permits and token; used -> the sum of permits
  KEYS[2]  ends      sorted set, owner by end of its hold, milliseconds
  KEYS[3]  queue     list, waiting owners, first in line first
  KEYS[4]  waiters   hash, owner -> queue entry or tombstone
  KEYS[5]  fence     string, last fencing token
  KEYS[6]  size      string, what the object was resized to
  ARGV[1]  owner        the holder to evict
  ARGV[2]  inbox        channel of the owner's client
  ARGV[3]  tokenFloor   largest fencing token that the requesting client has seen

  Returns  1               evicted
           { 1, error }    the same, but Redis refused to publish a notice, or nobody could enter for lack of a token
           0               the owner holds nothing; changes nothing
           { -3, type }    the key is not one of ours; changes nothing

  Publishes 'revoked <owner> <main>' to the evicted owner, and 'entered …' as acquire does.
  Safe to run twice: the second time the named owner holds nothing.
]]
--@include includes/call
local mainKey, endsKey, queueKey, waitersKey, fenceKey, sizeKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local owner = ARGV[1]
local inbox = ARGV[2]
local tokenFloor = ARGV[3]

--@include includes/clock
--@include ./includes/clock-ms
local used, hold, firstOwner, firstEndMs
--@include ./includes/read-holds

if not hold then
  return 0
end
local first = call('LINDEX', queueKey, '0')
--@include ./includes/read-size
used = used - string.match(hold, '^%d+')
call('HDEL', mainKey, owner)
call('ZREM', endsKey, owner)
if used > 0 then
  call('HSET', mainKey, 'used', used)
else
  call('DEL', mainKey, endsKey)
end
local revoked = redis.pcall('PUBLISH', inbox, 'revoked ' .. owner .. ' ' .. mainKey)
local granted, noticeError, before = nil, '', nil
local requester, want, leaseMs, ownSize = '', nil, nil, nil
--@include ./includes/grant
if noticeError == '' and type(revoked) == 'table' then
  noticeError = revoked.err
end
local mine = true
--@include includes/reply
