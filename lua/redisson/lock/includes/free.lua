-- Frees the lock as Redisson does, so that its waiters hear of it; they read nothing but an integer.
-- Returns why the message was refused, or ''.
local function free()
  redis.call('DEL', lockKey)
  local reply = redis.pcall(publish, channel, '0')
  return type(reply) == 'table' and reply.err or ''
end
