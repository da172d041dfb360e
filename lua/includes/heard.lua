-- PUBLISH's own count includes pattern subscribers, so a monitor with PSUBSCRIBE * would make every
-- dead inbox look alive. A user without the right to ask counts as heard.
local heard = {}
local function isHeard(inbox)
  if not checkInbox then
    return true
  end
  if heard[inbox] == nil then
    local reply = redis.pcall('PUBSUB', 'NUMSUB', inbox)
    heard[inbox] = reply.err ~= nil or reply[2] > 0
  end
  return heard[inbox]
end
