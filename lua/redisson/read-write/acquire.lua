--[[
  Acquire one side of a read/write lock that is shared with Redisson.

  KEYS[1]  lock      hash, mode -> read or write; reader -> count, or '<writer>:write' -> count; also Redisson's
  KEYS[2]  hold      string, lives as long as the owner's hold of the read side; also Redisson's
  KEYS[3]  gone      string, tombstone of the owner
  ARGV[1]  owner
  ARGV[2]  side        read or write
  ARGV[3]  leaseMs     time to live of the hold, milliseconds
  ARGV[4]  waits       1: the owner waits if the lock is busy; 0: it does not

  Returns  0              held
           '<ttlMs> <nowUs> <position> <holder>'
                          held by others; position 1 for an owner that waits, else 0: no queue is kept
           { -1 }         the owner wants to write and holds the read side, after a downgrade; changes nothing
           { -2 }         the owner was abandoned earlier; changes nothing
           { -3, type }   the key is not a read/write lock; changes nothing

  Publishes nothing. Safe to run twice: the hold is the one wanted, and its lease only grows.
]]
--@include includes/call
local lockKey, holdKey, goneKey = KEYS[1], KEYS[2], KEYS[3]
local owner = ARGV[1]
local side = ARGV[2]
local leaseMs = tonumber(ARGV[3])
local waits = ARGV[4]

--@include ./includes/guard
--@include ./includes/held

if held == 'read' and side == 'write' then
  return { -1 }
end
if not held and call('EXISTS', goneKey) == 1 then
  return { -2 }
end
if held or not mode or mode == 'read' and side == 'read' then
  --@include includes/keep
  local newMode = held or side
  call('HSET', lockKey, 'mode', newMode, newMode == 'write' and owner .. ':write' or owner, '1')
  if newMode == 'read' and call('PTTL', holdKey) < leaseMs then
    call('SET', holdKey, '1', 'PX', leaseMs)
  end
  keepFor(lockKey, leaseMs)
  return 0
end

--@include includes/clock
-- Of two fields at most one is the mode. Servers that only emulate Redis may bar what is random from
-- scripts.
local fields = redis.pcall('HRANDFIELD', lockKey, '2')
if fields.err then
  fields = call('HKEYS', lockKey)
end
local holder = fields[1] ~= 'mode' and fields[1] or fields[2] or ''
if mode == 'write' then
  holder = string.gsub(holder, ':write$', '')
end
local position, noticeError = waits == '1' and 1 or 0, ''
--@include includes/busy
