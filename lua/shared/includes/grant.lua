-- Hands on what is free. All waiters that fit enter, in queue order, up to `before` (to the end when nil) or up to the first that does
-- not fit: it stops those behind it. Stale entries are dropped, and so are abandoned owners. `first` is the head of the queue. A
-- requester, '' if there is none, is judged at its position like the others; without a queue entry it comes after all of them.
-- `override` is what the object was resized to, nil or false if it was not.
--
-- Those that enter are noted in the loop and written at the end, with few commands. As one notice tells several owners of their
-- holds, a grant that nobody receives cannot be undone by itself. So each inbox is checked beforehand, once.
--
-- Mostly one enters, or none: it is noted in variables, and only those after it in a table, five values each.
--
-- A grant stands even when Redis refuses to publish its notice: the waiter learns of it when it next refreshes its entry.
-- noticeError says why Redis refused.
-- Reads: first before granted waitersKey nowText tokenFloor fenceKey queueKey requester used nowMs mainKey endsKey override leaseMs want ownSize nowMsText
-- Sets:  newProof waiter noticeError granted isFull ahead walked kept wasMet hasEntered blocker blockedUntilMs used usedBefore call newHolder newPermits newLeaseMs newInbox entrants subscriptions isQueued
local usedBefore = used
local walked, ahead = 0, nil
local newHolder, newPermits, newLeaseMs, newProof, newInbox, entrants
local subscriptions, kept
local isFull, wasMet, hasEntered, blocker, blockedUntilMs = false, false, false, nil, nil
-- While the object is paused, those that wait, however many, are not looked at.
local waiter = override ~= '0' and first
while waiter and waiter ~= before and not granted do
  --@include ./read-entry
  if state == 'alive' then
    -- Enters a live waiter if it fits. If it does not, it ends the loop. A waiter whose inbox has no subscriber, or that wants more
    -- than there is in all, is passed over: it keeps its position and stops nobody.
    local isRequester = waiter == requester
    wasMet = wasMet or isRequester
    -- Not with tonumber, which takes longer than an addition.
    local permits, room = entryWant + 0, (override or entrySize) + 0
    local mayEnter = permits <= room
    if mayEnter and inboxIsChecked == '1' and not isRequester then
      subscriptions = subscriptions or {}
      mayEnter = subscriptions[entryInbox]
      if mayEnter == nil then
        --@include includes/check-inbox
        mayEnter = isSubscribed
        subscriptions[entryInbox] = isSubscribed
      end
    end
    if not mayEnter then
      kept = kept or {}
      kept[#kept + 1] = waiter
    elseif used + permits > room then
      blocker, blockedUntilMs = waiter, aliveUntilMs
      break
    else
      if isRequester then
        hasEntered = true
        entryLeaseMs, entryProof, entryInbox = leaseMs, '', ''
      end
      --@include ./enter
      isFull = used >= room
    end
  elseif state == 'none' then
    call('HDEL', waitersKey, waiter)
  end
  -- Goes on to the next waiter. Mostly the second one stops the loop, so that those behind it are read in one go.
  -- When one that enters has taken all that is left of the size that it knows, nobody else is looked at. One whose client knows a
  -- larger size finds out at its next refresh that it fits.
  walked = walked + 1
  if isFull then
    waiter = nil
  elseif walked == 1 then
    waiter = call('LINDEX', queueKey, '1')
  else
    local place = (walked - 2) % 100 + 1
    if place == 1 then
      ahead = call('LRANGE', queueKey, walked, walked + 99)
    end
    waiter = ahead[place]
  end
end
-- Enters a requester that has no position, if it is after all of those that wait and nobody stops it, and writes what the loop has
-- noted. All that enter in a step share a token, which `granted` becomes if the requester is one of them.
local isQueued = newHolder ~= nil
if requester ~= '' and not wasMet and not blocker and not isFull then
  local permits = tonumber(want)
  if used + permits <= tonumber(override or ownSize) then
    waiter = requester
    local entryWant, entryLeaseMs, entryProof, entryInbox = want, leaseMs, '', ''
    --@include ./enter
    hasEntered = true
  end
end
if newHolder then
  for i = 3, entrants and #entrants or 0, 5 do
    newLeaseMs = math.max(newLeaseMs, entrants[i])
  end
  -- Without a token nobody enters: what has been given back stays given back, and a requester is refused.
  call = redis.pcall
  --@include includes/next-token
  call = redis.call
  local wasFree = usedBefore == 0
  if type(lastToken) == 'table' then
    if requester ~= '' then
      return lastToken
    end
    newHolder, used, walked = nil, usedBefore, 0
    noticeError = 'no token from ' .. fenceKey .. ': ' .. lastToken.err
  elseif isBeyond then
    if requester ~= '' then
      return { -4, fenceKey, lastToken }
    end
    newHolder, used, walked = nil, usedBefore, 0
    noticeError = 'nobody entered: no token can follow ' .. lastToken .. ' in ' .. fenceKey
  elseif entrants then
    -- Writes the holds of all that enter, and notifies those that waited: one notice to each inbox.
    -- Lua's stack limits how many can be unpacked at once.
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
    --@include ./keep-holds
    for _, noticedInbox in ipairs(inboxes) do
      local notice = 'entered ' .. token .. ' ' .. nowText .. ' ' .. table.concat(notices[noticedInbox], ',') .. ' ' .. mainKey
      local received = redis.pcall('PUBLISH', noticedInbox, notice)
      if type(received) == 'table' then
        noticeError = received.err
      end
    end
    granted = hasEntered and token
  else
    -- Writes the hold of the only one that enters, and notifies it. Numbers are given as texts: Redis would convert them in a dearer way.
    call('HSET', mainKey, 'used', string.format('%d', used), newHolder, newPermits .. ' ' .. token)
    call('ZADD', endsKey, string.format('%d', nowMs + newLeaseMs), newHolder)
    if isQueued then
      call('HDEL', waitersKey, newHolder)
    end
    local keepMs = newLeaseMs
    --@include ./keep-holds
    if newInbox ~= '' then
      local notice = 'entered ' .. token .. ' ' .. nowText .. ' ' .. newHolder .. ':' .. newLeaseMs .. ':' .. newProof .. ' ' .. mainKey
      local received = redis.pcall('PUBLISH', newInbox, notice)
      if type(received) == 'table' then
        noticeError = received.err
      end
    end
    granted = hasEntered and token
  end
end
if walked == 1 and not kept then
  call('LPOP', queueKey)
elseif walked > (kept and #kept or 0) then
  -- Takes the first `walked` off the queue, but for those of them that keep their positions.
  call('LTRIM', queueKey, walked, '-1')
  if kept then
    for from = #kept, 1, -1000 do
      local heads = {}
      for i = from, math.max(from - 999, 1), -1 do
        heads[#heads + 1] = kept[i]
      end
      call('LPUSH', queueKey, unpack(heads))
    end
    -- A queue that was empty in between has lost its TTL.
    call('PEXPIRE', queueKey, call('PTTL', waitersKey))
  end
end
