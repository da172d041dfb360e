--[[
  Register a client, so that a holder can be traced to its process, and test its permissions: to write, to set a time
  to live and to publish notices.

  KEYS[1]  registry  hash, field -> value
  ARGV[1]  ttlMs     time to live of the registration, milliseconds
  ARGV[2]  inbox     the client's own channel, for a test message; '' for none
  ARGV[3…]           field, value, field, value, …

  Returns  { error }   why Redis refused to publish, or ''

  Publishes 'hello', a message without meaning, to the inbox, if one is given. Safe to run twice.
]]
-- Without the permission to set a TTL a script must fail before it writes. This one fails, so no lock script has to.
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
redis.call('PEXPIRE', KEYS[1], ARGV[1])
local inbox = ARGV[2]
local reply = inbox ~= '' and redis.pcall('PUBLISH', inbox, 'hello')
return { type(reply) == 'table' and reply.err or '' }
