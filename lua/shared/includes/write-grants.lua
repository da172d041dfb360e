-- Writes the holds of all that enter, and notifies those that waited: one notice to each inbox.
-- Lua's stack limits how many can be unpacked at once.
-- Reads: entrants nowText token used nowMs mainKey endsKey waitersKey wasFree hasEntered newLeaseMs
-- Sets:  keepMs noticeError granted inboxes notices lastLeaseMs endMs
local inboxes, notices = {}, {}
local lastLeaseMs, endMs
for from = 1, #entrants, 5000 do
  local holds, ends, owners = { 'used', string.format('%d', used) }, {}, {}
  for i = from, math.min(from + 4995, #entrants), 5 do
    local entrant, leaseOfGrant, entrantInbox = entrants[i], entrants[i + 2], entrants[i + 4]
    if leaseOfGrant ~= lastLeaseMs then
      lastLeaseMs = leaseOfGrant
      endMs = string.format('%d', nowMs + leaseOfGrant)
    end
    local n = #owners
    owners[n + 1] = entrant
    holds[2 * n + 3], holds[2 * n + 4] = entrant, entrants[i + 1] .. ' ' .. token
    ends[2 * n + 1], ends[2 * n + 2] = endMs, entrant
    if entrantInbox ~= '' then
      local notice = notices[entrantInbox]
      if not notice then
        notice = {}
        notices[entrantInbox] = notice
        inboxes[#inboxes + 1] = entrantInbox
      end
      notice[#notice + 1] = entrant .. ':' .. leaseOfGrant .. ':' .. entrants[i + 3]
    end
  end
  call('HSET', mainKey, unpack(holds))
  call('ZADD', endsKey, unpack(ends))
  call('HDEL', waitersKey, unpack(owners))
end
local keepMs = newLeaseMs
--@include keep-holds
for _, noticedInbox in ipairs(inboxes) do
  local notice = 'entered ' .. token .. ' ' .. nowText .. ' ' .. table.concat(notices[noticedInbox], ',') .. ' ' .. mainKey
  local received = redis.pcall('PUBLISH', noticedInbox, notice)
  if type(received) == 'table' then
    noticeError = received.err
  end
end
granted = hasEntered and token
