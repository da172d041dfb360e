-- Frees the lock as Redisson does, and notifies its waiters; they parse nothing but an integer.
-- Returns why Redis refused to publish the message, or ''.
-- Reads: lockKey publish channel
-- Sets:  free
local function free()
  call('DEL', lockKey)
  local reply = redis.pcall(publish, channel, '0')
  return type(reply) == 'table' and reply.err or ''
end
