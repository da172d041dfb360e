--[[
  Extend leases that have not ended; many holds of one slot in one call. Returns the permits of those that have,
  of either side.

  KEYS[4i - 3]  count   string, free permits; Redisson's
  KEYS[4i - 2]  holds   hash, owner of ours -> permits
  KEYS[4i - 1]  ends    sorted set, owner of ours by end of its hold, milliseconds
  KEYS[4i]      ids     sorted set, permits of both sides by end, milliseconds; Redisson's
  ARGV[4i - 3]  publish   PUBLISH or SPUBLISH, as Redisson's clients subscribe
  ARGV[4i - 2]  channel   Redisson's channel of the semaphore
  ARGV[4i - 1]  owner
  ARGV[4i]      leaseMs   time to live wanted, milliseconds; a longer one is kept

  Returns  per hold   1   still held, lives for at least leaseMs
                      0   not held by owner, or not all of it any more; then the rest returns
                     -3   a key is not one of a semaphore of Redisson; changes nothing

  Publishes the free permits to a channel when it returned some. Safe to run twice.
]]
--@include includes/call
--@include includes/clock
--@include includes/clock-ms

local replies = {}
for i = 1, #KEYS / 4 do
  local countKey, holdsKey = KEYS[4 * i - 3], KEYS[4 * i - 2]
  local endsKey, idsKey = KEYS[4 * i - 1], KEYS[4 * i]
  local publish = ARGV[4 * i - 3]
  local channel = ARGV[4 * i - 2]
  local owner = ARGV[4 * i - 1]
  local leaseMs = ARGV[4 * i]
  --@include redisson/includes/read-free
  --@include ./includes/read-ids-type
  if foreign then
    replies[i] = -3
  else
    --@include ./includes/ids
    --@include ./includes/return-ended
    --@include ./includes/read-hold
    local want = permits or 0
    replies[i] = want > 0 and 1 or 0
    if want > 0 then
      --@include redisson/includes/keep-hold
      putIds(owner, want, endMs)
    end
    --@include redisson/includes/announce-free
  end
end
return replies
