-- Notifies Redisson's waiters, who parse nothing but an integer: '1' wakes all of them, '0' one or two for each client.
-- Returns why Redis refused to publish the message, or ''.
-- Reads: publish channel
-- Sets:  notify
local function notify(message)
  local reply = redis.pcall(publish, channel, message)
  return type(reply) == 'table' and reply.err or ''
end
