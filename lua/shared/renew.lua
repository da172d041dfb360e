--[[
  Extend leases that have not ended; many holds of one slot in one call.

  KEYS[2i - 1]  main      hash, owner -> permits and token; used -> the sum of permits
  KEYS[2i]      ends      sorted set, owner by end of its hold, milliseconds
  ARGV[2i - 1]  owner
  ARGV[2i]      leaseMs   time to live wanted, milliseconds; a longer one is kept

  Returns  per hold   1   still held, lives for at least leaseMs
                      0   not held by owner; changes nothing
                     -3   the key is not one of ours; changes nothing

  Publishes nothing. Safe to run twice.
]]
--@include includes/call
--@include includes/clock
--@include includes/replace
--@include ./includes/clock-ms

local replies = {}
local endMs, keepMs, lastLeaseMs
for i = 1, #KEYS / 2 do
  local mainKey, endsKey = KEYS[2 * i - 1], KEYS[2 * i]
  local owner = ARGV[2 * i - 1]
  local leaseMs = ARGV[2 * i]
  local isHolder = redis.pcall('HEXISTS', mainKey, owner)
  local ended = isHolder == 1 and redis.pcall('ZCOUNT', endsKey, '-inf', nowMsText)
  if type(isHolder) == 'table' or type(ended) == 'table' then
    replies[i] = -3
  elseif not ended then
    replies[i] = 0
  else
    if leaseMs ~= lastLeaseMs then
      lastLeaseMs, keepMs = leaseMs, tonumber(leaseMs)
      endMs = string.format('%d', nowMs + keepMs)
    end
    -- Mostly no hold has ended and this one ends later now: then there is no need to ask when it would have ended.
    local isLive = ended == 0 and replace('ZADD', endsKey, 'XX', 'GT', 'CH', endMs, owner) == 1
    if not isLive then
      local knownEndMs = call('ZSCORE', endsKey, owner)
      -- One that has ended is not revived: its permits are for others.
      isLive = knownEndMs and tonumber(knownEndMs) > nowMs
      if isLive then
        replace('ZADD', endsKey, 'GT', endMs, owner)
      end
    end
    if isLive then
      local wasFree = false
      --@include ./includes/keep-holds
    end
    replies[i] = isLive and 1 or 0
  end
end
return replies
