--[[
  Evict the named owner from a lock and hand the lock to the next waiter.

  KEYS[1]  lock      hash, owner -> hold count
  KEYS[2]  queue     sorted set, waiting owners by ticket
  KEYS[3]  waiters   hash, owner -> place
  KEYS[4]  fence     string, last fencing token
  ARGV[1]  owner        the holder to evict
  ARGV[2]  inbox        channel of the owner's client
  ARGV[3]  tokenFloor   largest fencing token the asking client has seen
  ARGV[4]  checkInbox   1: pass over places whose inbox nobody hears; 0: PUBSUB NUMSUB does not tell (Cluster)

  Returns  1               evicted
           { 1, fault }    the same, but Redis refused to publish a message
           0               the lock is free or held by someone else; changes nothing
           { -3, type }    the key is not a lock; changes nothing

  Publishes 'revoked <owner> <lock>' to the evicted owner, and 'granted …' as acquire does.
  Safe to run twice: the second time the named owner no longer holds.
]]
local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local inbox = ARGV[2]
local tokenFloor = tonumber(ARGV[3])
local checkInbox = ARGV[4] == '1'

--@include clock
--@include guard

if holder ~= owner then
  return 0
end
redis.call('DEL', lockKey)
local revoked = redis.pcall('PUBLISH', inbox, 'revoked ' .. owner .. ' ' .. lockKey)
local isFree, before = true, nil
local first = redis.call('ZRANGE', queueKey, '0', '0')[1]
--@include grant
if noticeFault == '' and type(revoked) == 'table' then
  noticeFault = revoked.err
end
local mine = true
--@include answer
