--[[
  Leave word of who a client is, so that a holder can be named, and try its rights: to write, to set a time to live
  and to publish notices.

  KEYS[1]  registry  hash, field -> value
  ARGV[1]  ttlMs     how long the word stays, milliseconds
  ARGV[2]  inbox     the client's own channel, to try; '' not to
  ARGV[3…]           field, value, field, value, …

  Returns  { fault }   why publishing is refused, or ''

  Publishes 'hello' to an inbox that is given, which means nothing. Safe to run twice.
]]
-- Without the right to set a TTL the script must fail before it writes: here, and so never in a lock.
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
redis.call('PEXPIRE', KEYS[1], ARGV[1])
local inbox = ARGV[2]
local reply = inbox ~= '' and redis.pcall('PUBLISH', inbox, 'hello')
return { type(reply) == 'table' and reply.err or '' }
