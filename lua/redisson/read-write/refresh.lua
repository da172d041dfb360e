--[[
  Look at read/write locks that are shared with Redisson, for their waiters: no queue is kept. Many of one slot in one call.

  KEYS[i]  lock      hash, mode -> read or write; reader -> count, or '<writer>:write' -> count; also Redisson's
  ARGV[i]  owner

  Returns  per lock, two numbers
           1, ttlMs   held by a writer; ttlMs of its hold
           2, ttlMs   held by this owner
           0, ttlMs   free, or held by readers, whom the owner may join: send a new acquire request

  Changes and publishes nothing.
]]
--@include includes/call
local replies = {}
for i, lockKey in ipairs(KEYS) do
  local owner = ARGV[i]
  local mode = redis.pcall('HGET', lockKey, 'mode')
  if type(mode) == 'table' then
    mode = nil
  end
  --@include ./includes/held
  replies[2 * i - 1] = held and 2 or mode == 'write' and 1 or 0
  replies[2 * i] = call('PTTL', lockKey)
end
return replies
