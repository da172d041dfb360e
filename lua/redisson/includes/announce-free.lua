-- Notifies the waiters of both sides how many permits are free, if more are than before. Redisson's clients fail at a
-- negative number. noticeError says why Redis refused to publish, or is ''.
-- Reads: hasRisen free publish channel
-- Sets:  noticeError
local noticeError = ''
if hasRisen and free and free > 0 then
  local received = redis.pcall(publish, channel, string.format('%.0f', free))
  if type(received) == 'table' then
    noticeError = received.err
  end
end
