-- Publishes what happened to the inboxes of all clients that wait, once to each, and forgets them.
-- noticeError says why Redis refused to publish, or is ''.
-- Reads: latchKey waitersKey generation happened
-- Sets:  notice noticeError
local notice = string.format('%s %.0f ', happened, generation) .. latchKey
for _, inbox in ipairs(call('ZRANGE', waitersKey, 0, -1)) do
  local received = redis.pcall('PUBLISH', inbox, notice)
  if type(received) == 'table' then
    noticeError = received.err
  end
end
call('DEL', waitersKey)
