-- Whether a client is subscribed to the inbox of a queue entry. It counts as subscribed without the permission to run PUBSUB,
-- and in a Cluster, where NUMSUB knows the subscribers of one node only.
-- Reads: inboxIsChecked entryInbox
-- Sets:  isSubscribed
local isSubscribed = true
if inboxIsChecked == '1' then
  local reply = redis.pcall('PUBSUB', 'NUMSUB', entryInbox)
  isSubscribed = reply.err ~= nil or reply[2] > 0
end
