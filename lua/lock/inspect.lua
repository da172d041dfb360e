--[[
  Read the holder and the waiters of a lock.

  KEYS[1]  lock      hash, owner -> hold count
  KEYS[2]  queue     list, waiting owners, first in line first
  KEYS[3]  waiters   hash, owner -> queue entry or tombstone
  KEYS[4]  fence     string, last fencing token
  ARGV[1]  maxEntries  how many queue entries to list, from the head of the queue; 0: none

  Returns  { ttlMs, owner, count, token, entries, owner 1, its remaining time (ms), owner 2, … }
           ttlMs -2, owner '' and count 0: free; token 0: not known; entries: all, listed or not, stale ones too
           { -3, type }   the key is not a lock

  Changes and publishes nothing.
]]
--@include includes/call
local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local maxEntries = tonumber(ARGV[1])

--@include includes/clock
--@include includes/guard

local token = tonumber(call('GET', fenceKey) or '0')
local reply = { ttlMs, holder, tonumber(call('HGET', lockKey, holder) or '0'), token, call('LLEN', queueKey) }
for _, waiter in ipairs(maxEntries > 0 and call('LRANGE', queueKey, 0, maxEntries - 1) or {}) do
  --@include includes/read-entry
  local remainingMs = state == 'alive' and aliveForMs - (nowText - aliveSinceUs) / 1000 or 0
  reply[#reply + 1] = waiter
  reply[#reply + 1] = math.ceil(remainingMs)
end
return reply
