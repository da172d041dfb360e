--[[
  Read a semaphore that is shared with Redisson's RPermitExpirableSemaphore, and who holds permits.

  KEYS[1]  count   string, free permits; Redisson's
  KEYS[2]  holds   hash, owner of ours -> permits
  KEYS[3]  ends    sorted set, owner of ours by end of its hold, milliseconds
  KEYS[4]  ids     sorted set, permits of both sides by end, milliseconds; Redisson's
  ARGV[1]  maxEntries  how many holders to list; 0: none

  Returns  { held, free, holders, listed,
             owner 1, its permits, its remaining time (ms), owner 2, …, id 1, its remaining time (ms), id 2, … }
           free: '' when there is no semaphore of this name; held: permits of both sides; holders: how many owners of
           ours, and how many permits of Java; listed: how many
           owners follow. Then come permits of Java, as hexadecimal digits; remaining time -1: they do not end
           { -3, type }   a key is not one of a semaphore of Redisson

  Changes and publishes nothing.
]]
--@include includes/call
local countKey, holdsKey, endsKey, idsKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local maxEntries = tonumber(ARGV[1])

--@include includes/clock
--@include includes/clock-ms
--@include redisson/includes/read-free
--@include ./includes/read-ids-type
if foreign then
  return { -3, foreign }
end
--@include ./includes/ids

local held = call('ZCOUNT', idsKey, '(' .. nowMs, '+inf')
local ended = call('ZCARD', idsKey) - held
local owners = call('ZRANGEBYSCORE', endsKey, '(' .. nowMs, '+inf', 'WITHSCORES')
local reply = { held, free and free + ended or '', 0, 0 }
local ours, foreignIds = {}, held
for i = 1, #owners, 2 do
  local permits = tonumber(call('HGET', holdsKey, owners[i]) or '0')
  if permits > 0 then
    reply[3] = reply[3] + 1
    foreignIds = foreignIds - countIds(owners[i], permits)
    if reply[4] < maxEntries then
      reply[4] = reply[4] + 1
      reply[#reply + 1] = owners[i]
      reply[#reply + 1] = permits
      reply[#reply + 1] = owners[i + 1] - nowMs
    end
    for _, id in ipairs(maxEntries > 0 and idsOf(owners[i], 1, permits) or {}) do
      ours[id] = true
    end
  end
end
reply[3] = reply[3] + foreignIds
local left = math.min(maxEntries, foreignIds)
local found = left > 0 and call('ZRANGEBYSCORE', idsKey, '(' .. nowMs, '+inf', 'WITHSCORES') or {}
for i = 1, #found, 2 do
  if left > 0 and not ours[found[i]] then
    left = left - 1
    reply[#reply + 1] = string.gsub(found[i], '.', function(byte)
      return string.format('%02x', string.byte(byte))
    end)
    reply[#reply + 1] = found[i + 1] == '922337203685477' and -1 or found[i + 1] - nowMs
  end
end
return reply
