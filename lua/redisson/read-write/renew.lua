--[[
  Extend leases that have not ended, of read/write locks that are shared with Redisson; many of one slot in one call.

  KEYS[2i - 1]  lock      hash, mode -> read or write; reader -> count, or '<writer>:write' -> count; also Redisson's
  KEYS[2i]      hold      string, lives as long as the owner's hold of the read side; also Redisson's
  ARGV[2i - 1]  owner
  ARGV[2i]      leaseMs   time to live wanted, milliseconds; a longer one is kept

  Returns  per lock   1   still held, lives for at least leaseMs
                      0   not held by owner; changes nothing
                     -3   the key is not a read/write lock; changes nothing

  Publishes nothing. Safe to run twice.
]]
--@include includes/call
--@include includes/keep
local replies = {}
for i = 1, #KEYS / 2 do
  local lockKey, holdKey = KEYS[2 * i - 1], KEYS[2 * i]
  local owner = ARGV[2 * i - 1]
  local leaseMs = tonumber(ARGV[2 * i])
  local mode = redis.pcall('HGET', lockKey, 'mode')
  replies[i] = 0
  if type(mode) == 'table' then
    replies[i] = -3
  elseif mode then
    --@include ./includes/held
    -- A reader's field may stay behind when its hold has ended.
    if held == 'write' or held == 'read' and call('EXISTS', holdKey) == 1 then
      if held == 'read' then
        keepFor(holdKey, leaseMs)
      end
      keepFor(lockKey, leaseMs)
      replies[i] = 1
    end
  end
end
return replies
