--[[
  Find out whether Redisson's clients use sharded channels: they do in a Cluster whose nodes know SHARDNUMSUB.

  KEYS[1]  any key; only its slot matters

  Returns  { 1 }   SPUBLISH and SSUBSCRIBE
           { 0 }   PUBLISH and SUBSCRIBE

  Changes and publishes nothing.
]]
local reply = redis.pcall('PUBSUB', 'SHARDNUMSUB', '0')
return { reply.err and 0 or 1 }
