-- The permits of our owners. Each has an id of 16 bytes, as those of Redisson have: the first half of the SHA-1 of its owner
-- and its number, so that a repeated request finds its own. Lua's stack limits how many can be unpacked at once.
-- Reads: idsKey
-- Sets:  idsOf countIds putIds dropIds
local function idsOf(ofOwner, from, to)
  local ids = {}
  for n = from, to do
    local hex = string.sub(redis.sha1hex(ofOwner .. ' ' .. n), 1, 32)
    ids[#ids + 1] = string.gsub(hex, '%x%x', function(byte)
      return string.char(tonumber(byte, 16))
    end)
  end
  return ids
end

local function countIds(ofOwner, to)
  local found = 0
  for n = 1, to, 1000 do
    for _, score in ipairs(call('ZMSCORE', idsKey, unpack(idsOf(ofOwner, n, math.min(n + 999, to))))) do
      found = found + (score and 1 or 0)
    end
  end
  return found
end

local function putIds(ofOwner, to, untilMs)
  for n = 1, to, 1000 do
    local scored = {}
    for _, id in ipairs(idsOf(ofOwner, n, math.min(n + 999, to))) do
      scored[#scored + 1] = untilMs
      scored[#scored + 1] = id
    end
    call('ZADD', idsKey, 'GT', unpack(scored))
  end
end

local function dropIds(ofOwner, from, to)
  local dropped = 0
  for n = from, to, 1000 do
    dropped = dropped + call('ZREM', idsKey, unpack(idsOf(ofOwner, n, math.min(n + 999, to))))
  end
  return dropped
end
