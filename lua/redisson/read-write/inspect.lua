--[[
  Read the holders of a read/write lock that is shared with Redisson.

  KEYS[1]  lock      hash, mode -> read or write; reader -> count, or '<writer>:write' -> count; also Redisson's
  ARGV[1]  slot        what the names of all keys of holds begin with
  ARGV[2]  maxHolders  how many holders to list, those first whose holds end first; 0: none

  Returns  { holders, mode, owner 1, its remaining time (ms), owner 2, … }
           mode '': free; a reader whose client is gone remains for as long as the lock
           { -3, type }   the key is not a read/write lock

  Changes and publishes nothing. Looks at the keys of readers' holds, which are in the same slot.
]]
--@include includes/call
local lockKey = KEYS[1]
local slot = ARGV[1]
local maxHolders = tonumber(ARGV[2])

--@include ./includes/hold-time
--@include ./includes/guard

local holders = {}
local fields = mode and call('HGETALL', lockKey) or {}
for i = 1, #fields, 2 do
  local field = fields[i]
  if mode == 'write' and string.sub(field, -6) == ':write' then
    holders[#holders + 1] = { string.sub(field, 1, -7), ttlMs }
  elseif mode == 'read' and field ~= 'mode' then
    local remainingMs = holdTimeOf(field, fields[i + 1])
    holders[#holders + 1] = { field, remainingMs > 0 and remainingMs or ttlMs }
  end
end
table.sort(holders, function(a, b)
  return a[2] < b[2]
end)
local reply = { #holders, mode or '' }
for i = 1, math.min(#holders, maxHolders) do
  reply[#reply + 1] = holders[i][1]
  reply[#reply + 1] = holders[i][2]
end
return reply
