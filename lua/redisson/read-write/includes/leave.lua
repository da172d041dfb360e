-- Ends the hold of the owner, and frees the lock unless readers are left. As Redisson does, it has the lock live for as long
-- as the longest hold of those, so that readers whose clients are gone keep nobody out for longer.
-- Reads: lockKey owner held ttlMs holdKeyOf holdTimeOf notify
-- Sets:  noticeError
local noticeError = ''
do
  local keepMs = 0
  if held == 'read' then
    for n = 1, tonumber(call('HGET', lockKey, owner)) or 0 do
      call('DEL', holdKeyOf(owner, n))
    end
    call('HDEL', lockKey, owner)
    local fields = call('HGETALL', lockKey)
    for i = 1, #fields, 2 do
      keepMs = math.max(keepMs, holdTimeOf(fields[i], fields[i + 1]))
      if keepMs >= ttlMs then
        break
      end
    end
  end
  if keepMs == 0 then
    call('DEL', lockKey)
    noticeError = notify(held == 'write' and '1' or '0')
  elseif keepMs ~= ttlMs then
    call('PEXPIRE', lockKey, keepMs)
  end
end
