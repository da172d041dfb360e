-- Whether a client is subscribed to the inbox of a queue entry. Without the permission to run PUBSUB it counts as subscribed.
-- Reads: entryInbox
-- Sets:  reply isSubscribed
local reply = redis.pcall('PUBSUB', 'NUMSUB', entryInbox)
local isSubscribed = reply.err ~= nil or reply[2] > 0
