-- PUBLISH's own count includes pattern subscribers, so a monitor with PSUBSCRIBE * would make every
-- dead inbox look alive. A user without the right to ask counts as heard. Sets isHeard; `heard` keeps what was asked.
local isHeard = not checkInbox or heard[inbox]
if isHeard == nil then
  local reply = redis.pcall('PUBSUB', 'NUMSUB', inbox)
  isHeard = reply.err ~= nil or reply[2] > 0
  heard[inbox] = isHeard
end
