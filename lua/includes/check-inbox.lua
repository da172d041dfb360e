-- Whether a client is subscribed to the inbox of a queue entry; `subscribed` caches the replies. PUBLISH's own count
-- includes pattern subscribers, so a monitor with PSUBSCRIBE * would make every dead inbox look alive. Without the
-- permission to run PUBSUB the client counts as subscribed.
-- Reads: checkInbox subscribed entryInbox
-- Sets:  isSubscribed
local isSubscribed = not checkInbox or subscribed[entryInbox]
if isSubscribed == nil then
  local reply = redis.pcall('PUBSUB', 'NUMSUB', entryInbox)
  isSubscribed = reply.err ~= nil or reply[2] > 0
  subscribed[entryInbox] = isSubscribed
end
