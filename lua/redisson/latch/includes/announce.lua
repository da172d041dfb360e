-- Notifies the waiters of both sides of what happened; they parse nothing but an integer. noticeError says why Redis refused to
-- publish, or is ''.
-- Reads: happened publish channel
-- Sets:  noticeError
local noticeError = ''
if happened then
  local received = redis.pcall(publish, channel, happened)
  if type(received) == 'table' then
    noticeError = received.err
  end
end
