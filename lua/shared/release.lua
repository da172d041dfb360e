--[[
  Give back permits, all or some, or stop waiting for them.

  KEYS[1]  main      hash, owner -> permits and token; used -> the sum of permits
  KEYS[2]  ends      sorted set, owner by end of its hold, milliseconds
  KEYS[3]  queue     list, waiting owners, first in line first
  KEYS[4]  waiters   hash, owner -> queue entry or tombstone
  KEYS[5]  fence     string, last fencing token
  KEYS[6]  size      string, what the object was resized to
  ARGV[1]  owner
  ARGV[2]  left          permits to keep, if it holds more; 0 gives up both the hold and the queue entry
  ARGV[3]  tokenFloor    largest fencing token that the requesting client has seen
  ARGV[4]  tombstoneMs   how long late requests of this owner are refused, milliseconds; left out when none can arrive

  Returns  1               released
           0               not held by owner (never was, expired, forced, or released before); with left 0 removes its
                           queue entry
           { 1 or 0, error }   the same, but Redis refused to publish a notice, or nobody could enter for lack of a token
           { -3, type }    the key is not one of ours; removes only the owner's queue entry

  Publishes 'entered …' as acquire does.
  Safe to run twice: the second time finds the permits given back and changes nothing.
]]
--@include includes/call
local mainKey, endsKey, queueKey, waitersKey, fenceKey, sizeKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local owner = ARGV[1]
local left = ARGV[2]
local tokenFloor = ARGV[3]

-- An owner that keeps some permits is not abandoned.
local isLeaving = left == '0'
local tombstoneMs = isLeaving and ARGV[4]

local used, hold, firstOwner, firstEndMs = 0, false, '', 0
local mine, known, first = false, nil, nil
if isLeaving then
  known = redis.pcall('HMGET', mainKey, 'used', owner)
  if known[1] and known[2] then
    mine = true
    used = known[1] - string.match(known[2], '^%d+')
    first = call('LINDEX', queueKey, '0')
    if not first and not tombstoneMs then
      if used == 0 then
        call('DEL', mainKey, endsKey)
      else
        call('ZREM', endsKey, owner)
        call('HDEL', mainKey, owner)
        call('HSET', mainKey, 'used', string.format('%d', used))
      end
      return 1
    end
  end
end

--@include includes/clock
--@include ./includes/clock-ms
--@include ./includes/read-size

if isLeaving and (not mine or tombstoneMs) then
  -- Removes the owner's queue entry. With tombstoneMs leaves a tombstone, which refuses its late requests for that long.
  do
    local waiter = owner
    --@include ./includes/read-entry
    -- The tombstone of an abandoned owner outlives every later request from it.
    if state ~= 'tombstone' and call('HDEL', waitersKey, owner) == 1 then
      call('LREM', queueKey, 1, owner)
    end
  end
  if tombstoneMs then
    --@include includes/bury
  end
end
local staysInUse = mine and used > 0
if not mine then
  --@include ./includes/read-holds
elseif not staysInUse then
  call('DEL', mainKey, endsKey)
elseif call('ZREM', endsKey, owner) == 0 or call('ZCOUNT', endsKey, '-inf', nowMsText) > 0 then
  call('HDEL', mainKey, owner)
  call('HSET', mainKey, 'used', used)
  local held = known
  --@include ./includes/read-ends
end
if not isLeaving and hold then
  mine = true
  local permits, heldToken = string.match(hold, '^(%d+) (%d+)$')
  if tonumber(left) < tonumber(permits) then
    used = used - permits + left
    --@include includes/replace
    replace('HSET', mainKey, 'used', string.format('%d', used), owner, left .. ' ' .. heldToken)
  end
end
first = first or call('LINDEX', queueKey, '0')
local granted, noticeError, before = nil, '', nil
local requester, want, leaseMs, ownSize = '', nil, nil, nil
--@include ./includes/grant
-- The hold goes together with its share of the sum, which the grant has written if a waiter entered.
if staysInUse then
  call('HDEL', mainKey, owner)
  if used > 0 and not newHolder then
    call('HSET', mainKey, 'used', string.format('%d', used))
  end
end
--@include includes/reply
