--[[
  Acquire permits of a semaphore that is shared with Redisson's RSemaphore, or find out when to try again.

  KEYS[1]  count   string, free permits; Redisson's
  KEYS[2]  holds   hash, owner of ours -> permits
  KEYS[3]  ends    sorted set, owner of ours by end of its hold, milliseconds
  KEYS[4]  waiters hash, owner of ours -> tombstone
  ARGV[1]  owner
  ARGV[2]  want       permits
  ARGV[3]  leaseMs    time to live of the hold, milliseconds
  ARGV[4]  position   what to return as the position: 1 for a waiter that will be notified, or else 0
  ARGV[5]  size       the permits that a semaphore has which does not exist yet
  ARGV[6]  publish    PUBLISH or SPUBLISH, as Redisson's clients subscribe
  ARGV[7]  channel    Redisson's channel of the semaphore

  Returns  { 1, free, error }   held; free: permits that are left; error: why Redis refused to publish a message, or ''
           '<ttlMs> <nowUs> <position> <holder>'
                          not now; ttlMs: when the first hold of ours ends, or a minute; holder: its owner, or ''
           { 0, the same, error }   the same, but Redis refused to publish a message
           { -1 }         the owner holds fewer permits, having given some back since it sent this; changes nothing
           { -2 }         the owner was abandoned earlier; changes nothing
           { -3, type }   the key is not a semaphore of Redisson; changes nothing

  Publishes the free permits to the channel when it returned permits whose holds have ended, or made the semaphore.
  Safe to run twice: a hold keeps its permits, its lease only grows.
]]
--@include includes/call
local countKey, holdsKey, endsKey, waitersKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local want = tonumber(ARGV[2])
local leaseMs = tonumber(ARGV[3])
local position = tonumber(ARGV[4])
local size = tonumber(ARGV[5])
local publish = ARGV[6]
local channel = ARGV[7]

--@include includes/clock
--@include includes/clock-ms
--@include redisson/includes/read-free
if foreign then
  return { -3, foreign }
end
--@include includes/refuse-abandoned
--@include ./includes/return-ended

local permits = tonumber(call('HGET', holdsKey, owner))
if permits and permits < want then
  return { -1 }
end
local isHeld = permits ~= nil
if not isHeld then
  if not free then
    -- Of a semaphore that was deleted, or that Redis lost, we may still hold permits.
    free = size
    for _, heldPermits in ipairs(call('HVALS', holdsKey)) do
      free = free - heldPermits
    end
    free = math.max(0, free)
    call('SET', countKey, string.format('%.0f', free))
    hasRisen = true
  end
  if free >= want then
    free = call('DECRBY', countKey, want)
    isHeld = true
  end
end
if isHeld then
  want = permits or want
  --@include redisson/includes/keep-hold
end
--@include redisson/includes/announce-free
if isHeld then
  return { 1, free or 0, noticeError }
end
--@include redisson/includes/until-end
--@include includes/busy
