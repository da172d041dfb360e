--[[
  Read the holders and the waiters of an object that several owners hold at once.

  KEYS[1]  main      hash, owner -> permits and token; used -> the sum of permits
  KEYS[2]  ends      sorted set, owner by end of its hold, milliseconds
  KEYS[3]  queue     list, waiting owners, first in line first
  KEYS[4]  waiters   hash, owner -> queue entry or tombstone
  KEYS[5]  fence     string, last fencing token
  KEYS[6]  size      string, what the object was resized to
  ARGV[1]  maxEntries  how many holders and how many queue entries to list; 0: none

  Returns  { size, version, used, holders, token, entries, listed,
             owner 1, its permits, its remaining time (ms), owner 2, …,
             waiter 1, the permits that it wants, its remaining time (ms), waiter 2, … }
           version 0: not resized; token 0: not known; holders, entries: all, stale entries too; listed: how many
           holders follow, those whose holds end first
           { -3, type }   the key is not one of ours

  Changes and publishes nothing.
]]
--@include includes/call
local mainKey, endsKey, queueKey, waitersKey, fenceKey, sizeKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local maxEntries = tonumber(ARGV[1])

--@include includes/clock
--@include ./includes/clock-ms
local owner, used = '', 0
--@include ./includes/read-sum

local size, version = string.match(call('GET', sizeKey) or '', '^(%d+) (%d+) ')
local holders = held[1] and call('ZCOUNT', endsKey, '(' .. nowMs, '+inf') or 0
for _, ended in ipairs(holders > 0 and call('ZRANGEBYSCORE', endsKey, '-inf', nowMs) or {}) do
  used = used - (string.match(call('HGET', mainKey, ended) or '', '^%d+') or 0)
end
local listed = maxEntries > 0 and holders > 0
  and call('ZRANGEBYSCORE', endsKey, '(' .. nowMs, '+inf', 'WITHSCORES', 'LIMIT', 0, maxEntries) or {}
local token = tonumber(call('GET', fenceKey) or '0')
local reply = { tonumber(size or 0), tonumber(version or 0), holders > 0 and used or 0, holders, token }
reply[6] = call('LLEN', queueKey)
reply[7] = #listed / 2
for i = 1, #listed, 2 do
  reply[#reply + 1] = listed[i]
  reply[#reply + 1] = tonumber(string.match(call('HGET', mainKey, listed[i]) or '0', '^%d+'))
  reply[#reply + 1] = listed[i + 1] - nowMs
end
for _, waiter in ipairs(maxEntries > 0 and call('LRANGE', queueKey, 0, maxEntries - 1) or {}) do
  --@include ./includes/read-entry
  local remainingMs = state == 'alive' and aliveUntilMs - nowMs or 0
  reply[#reply + 1] = waiter
  reply[#reply + 1] = tonumber(entryWant or 0)
  reply[#reply + 1] = remainingMs
end
return reply
