--[[
  Read a semaphore that is shared with Redisson's RSemaphore, and who of us holds permits.

  KEYS[1]  count   string, free permits; Redisson's
  KEYS[2]  holds   hash, owner of ours -> permits
  KEYS[3]  ends    sorted set, owner of ours by end of its hold, milliseconds
  ARGV[1]  maxEntries  how many holders to list; 0: none

  Returns  { held, free, holders, owner 1, its permits, its remaining time (ms), owner 2, … }
           free: '' when there is no semaphore of this name; held: permits of ours; holders: how many owners of ours
           hold them; those are listed whose holds end first
           { -3, type }   the key is not a semaphore of Redisson

  Changes and publishes nothing.
]]
--@include includes/call
local countKey, holdsKey, endsKey = KEYS[1], KEYS[2], KEYS[3]
local maxEntries = tonumber(ARGV[1])

--@include includes/clock
--@include includes/clock-ms
--@include redisson/includes/read-free
if foreign then
  return { -3, foreign }
end

local owners = call('ZRANGE', endsKey, 0, -1, 'WITHSCORES')
local reply = { 0, '', 0 }
local ended = 0
for i = 1, #owners, 2 do
  local permits = tonumber(call('HGET', holdsKey, owners[i]) or '0')
  local remainingMs = owners[i + 1] - nowMs
  if remainingMs <= 0 then
    ended = ended + permits
  else
    reply[1] = reply[1] + permits
    reply[3] = reply[3] + 1
    if reply[3] <= maxEntries then
      reply[#reply + 1] = owners[i]
      reply[#reply + 1] = permits
      reply[#reply + 1] = remainingMs
    end
  end
end
if free then
  reply[2] = free + ended
end
return reply
