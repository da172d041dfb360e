--[[
  Register a client, so that a holder can be traced to its process, and look after its notifications: whether its inbox is
  subscribed at this server, and on request whether it may publish. Tests its permissions to write and to set a time to live.

  KEYS[1]  registry  hash, field -> value
  ARGV[1]  ttlMs     time to live of the registration, milliseconds
  ARGV[2]  inbox     the client's own channel; '' where nobody can count its subscribers: a node of a Cluster knows only its own
  ARGV[3]  test      1: also publish a test message to the inbox; 0: do not
  ARGV[4…]           field, value, field, value, …

  Returns  { subscribers, error }
           subscribers  how many subscribers the inbox has here, without those of patterns; -1: not known
           error        why Redis refused to publish, or ''

  Publishes 'hello', a message without meaning, if it is to. Safe to run twice.
]]
-- Without the permission to set a TTL a script must fail before it writes. This one fails, so no lock script has to.
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('HSET', KEYS[1], unpack(ARGV, 4))
redis.call('PEXPIRE', KEYS[1], ARGV[1])
local inbox = ARGV[2]
if inbox == '' then
  return { -1, '' }
end
local counted = redis.pcall('PUBSUB', 'NUMSUB', inbox)
local published = ARGV[3] == '1' and redis.pcall('PUBLISH', inbox, 'hello')
return { counted[2] or -1, type(published) == 'table' and published.err or '' }
