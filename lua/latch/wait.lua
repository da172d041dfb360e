--[[
  Wait for latches to open, or go on waiting; many latches of one slot in one call. All waiters of one client for one opening
  are one item.

  KEYS[3i - 2]  latch     hash: generation, first, opened, left, previous, count, keepMs, setter, server
  KEYS[3i - 1]  counted   set, the parties that have counted down
  KEYS[3i]      waiters   sorted set, inbox of a client that waits -> until when it is to be told, ms of the server's clock
  ARGV[4i - 3]  awaited   which opening, from the last reply; 0 at first
  ARGV[4i - 2]  isBound   1: that of the generation `awaited`. 0: the next one, of a generation from `awaited` on
  ARGV[4i - 1]  aliveMs   for how long the client is to be told, milliseconds; 0: just look
  ARGV[4i]      inbox     channel of the client

  Returns  per item, two values
           1, generation    it is open, or was opened in between
           2, generation    not open; wait for this generation
           0, awaited       no count is set; wait for a generation from this one on
           -1, generation   the awaited generation was deleted or lost
           -3, type         the key is not a latch; changes nothing

  Publishes nothing. Safe to run twice.
]]
--@include includes/call
--@include includes/clock
--@include includes/clock-ms

local replies = {}
for i = 1, #KEYS / 3 do
  local latchKey, countedKey, waitersKey = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
  local awaited = tonumber(ARGV[4 * i - 3])
  local isBound = ARGV[4 * i - 2]
  local aliveMs = tonumber(ARGV[4 * i - 1])
  local inbox = ARGV[4 * i]
  --@include ./includes/read-latch
  local isSet = generation >= first
  local wasOpened = first <= opened and awaited > 0 and awaited <= opened
  local code = 0
  if foreign then
    code, awaited = -3, foreign
  elseif isBound == '1' and first <= awaited and wasOpened then
    code = 1
  elseif isBound == '1' and not (isSet and awaited == generation) then
    code = -1
  elseif isSet and (opened == generation or isBound == '0' and wasOpened) then
    code, awaited = 1, opened
  elseif isSet then
    code, awaited = 2, generation
  elseif awaited == 0 then
    awaited = math.max(tonumber(nowText), generation + 1)
  end
  if aliveMs > 0 and (code == 0 or code == 2) then
    call('ZREMRANGEBYSCORE', waitersKey, '-inf', nowMs)
    call('ZADD', waitersKey, nowMs + aliveMs, inbox)
    if call('PTTL', waitersKey) < 2 * aliveMs then
      call('PEXPIRE', waitersKey, 2 * aliveMs)
    end
    if isSet then
      local keepMs = math.max(fields[7], 2 * aliveMs)
      --@include ./includes/keep-latch
    end
  end
  replies[2 * i - 1] = code
  replies[2 * i] = awaited
end
return replies
