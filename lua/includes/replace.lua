-- Replaces a value that is there. That takes next to no memory, and no hold or position in the queue should end because Redis has
-- none left. Redis refuses such a command only until the first write of a script (scriptVerifyOOM in its script.c), so a write
-- that changes nothing is sent before it. No owner is ''.
-- Reads: nothing
-- Sets:  replace
local function replace(command, key, ...)
  local reply = redis.pcall(command, key, ...)
  if type(reply) == 'table' then
    redis.call(command == 'ZADD' and 'ZREM' or 'HDEL', key, '')
    reply = redis.call(command, key, ...)
  end
  return reply
end
