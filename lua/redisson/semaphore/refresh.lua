--[[
  Look whether waiters should request permits again; many of one slot in one call. Returns the permits of holds of ours that
  have ended.

  KEYS[3i - 2]  count   string, free permits; Redisson's
  KEYS[3i - 1]  holds   hash, owner of ours -> permits
  KEYS[3i]      ends    sorted set, owner of ours by end of its hold, milliseconds
  ARGV[3i - 2]  publish   PUBLISH or SPUBLISH, as Redisson's clients subscribe
  ARGV[3i - 1]  channel   Redisson's channel of the semaphore
  ARGV[3i]      owner

  Returns  per waiter, two numbers
           1, ttlMs   waiting; ttlMs: when the first hold of ours ends, or a minute; -2 when permits are free
           2, ttlMs   the owner holds permits, or the key is not a semaphore: send a new acquire request

  Publishes the free permits to a channel when it returned some. Safe to run twice.
]]
--@include includes/call
--@include includes/clock
--@include includes/clock-ms

local replies = {}
for i = 1, #KEYS / 3 do
  local countKey, holdsKey, endsKey = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
  local publish = ARGV[3 * i - 2]
  local channel = ARGV[3 * i - 1]
  local owner = ARGV[3 * i]
  --@include redisson/includes/read-free
  replies[2 * i - 1] = 2
  replies[2 * i] = -2
  if not foreign then
    --@include ./includes/return-ended
    --@include redisson/includes/announce-free
    --@include redisson/includes/until-end
    if call('HEXISTS', holdsKey, owner) == 0 then
      replies[2 * i - 1] = 1
    end
    if free and free <= 0 then
      replies[2 * i] = ttlMs
    end
  end
end
return replies
