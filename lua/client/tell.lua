--[[
  Pass a text on to clients.

  KEYS[1]  any key; only its slot matters
  ARGV[1]  text    what to tell them
  ARGV[2…]         the channels of the clients

  Returns  { count 1, …, error }   per channel how many subscribers of this server it reached, 0 where Redis refused to
                                   publish; then why Redis refused, or ''

  Publishes 'told <text>' to each channel. Changes nothing. Safe to run twice: clients then get the text twice.
]]
local notice = 'told ' .. ARGV[1]
local reply, noticeError = {}, ''
for i, channel in ipairs({ unpack(ARGV, 2) }) do
  local received = redis.pcall('PUBLISH', channel, notice)
  if type(received) == 'table' then
    received, noticeError = 0, received.err
  end
  reply[i] = received
end
reply[#ARGV] = noticeError
return reply
