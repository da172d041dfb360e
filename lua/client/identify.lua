--[[
  Identify the server process that owns a key.

  KEYS[1]  any key; only its slot matters

  Returns  the sections server, replication and memory of INFO, as one text
  Changes and publishes nothing.
]]
return redis.call('INFO', 'server') .. redis.call('INFO', 'replication') .. redis.call('INFO', 'memory')
