-- Refuses a request of an owner that was abandoned.
-- Reads: waitersKey owner nowText
-- Sets:  nothing
do
  local goneUntilMs = string.match(call('HGET', waitersKey, owner) or '', '^gone (%d+)$')
  if goneUntilMs and 1000 * goneUntilMs > tonumber(nowText) then
    return { -2 }
  end
end
