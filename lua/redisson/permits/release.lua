--[[
  Give back permits of a semaphore that is shared with Redisson's RPermitExpirableSemaphore, all or some.

  KEYS[1]  count   string, free permits; Redisson's
  KEYS[2]  holds   hash, owner of ours -> permits
  KEYS[3]  ends    sorted set, owner of ours by end of its hold, milliseconds
  KEYS[4]  ids     sorted set, permits of both sides by end, milliseconds; Redisson's
  KEYS[5]  waiters hash, owner of ours -> tombstone
  ARGV[1]  owner
  ARGV[2]  left         permits to keep, if it holds more
  ARGV[3]  publish      PUBLISH or SPUBLISH, as Redisson's clients subscribe
  ARGV[4]  channel      Redisson's channel of the semaphore
  ARGV[5]  tombstoneMs  how long late requests of this owner are refused, milliseconds; left out when none can arrive

  Returns  1               released
           0               not held by owner (never was, expired, forced, or released before), or not all of it
           { 1 or 0, error }   the same, but Redis refused to publish a message
           { -3, type }    a key is not one of a semaphore of Redisson; changes nothing

  Publishes the free permits to the channel when it returned some. A semaphore that was deleted stays so.
  Safe to run twice: the second time finds the permits given back and changes nothing.
]]
--@include includes/call
local countKey, holdsKey, endsKey, idsKey, waitersKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local owner = ARGV[1]
local left = tonumber(ARGV[2])
local publish = ARGV[3]
local channel = ARGV[4]
local tombstoneMs = ARGV[5]

--@include includes/clock
--@include includes/clock-ms
--@include redisson/includes/read-free
--@include ./includes/read-ids-type
if foreign then
  return { -3, foreign }
end
--@include ./includes/ids
--@include ./includes/return-ended

local permits = tonumber(call('HGET', holdsKey, owner)) or 0
local mine = permits > 0 and countIds(owner, permits) == permits
if permits > 0 and not mine then
  left = 0
end
if permits > left then
  --@include ./includes/give-back
end
if tombstoneMs then
  --@include includes/bury
end
--@include redisson/includes/announce-free
--@include includes/reply
