--[[
  Count a party down, and open the latch with the last one.

  KEYS[1]  latch     hash: generation, first, opened, left, previous, count, keepMs, setter, server
  KEYS[2]  counted   set, the parties that have counted down
  KEYS[3]  waiters   sorted set, inbox of a client that waits -> until when it is to be told, ms of the server's clock
  ARGV[1]  named     the generation to count down in
  ARGV[2]  party     who counts down; the same when the call is repeated

  Returns  { 1, state … }   counted, now or earlier, or the latch is open already
           { 0, state … }   the named generation is not the last one, or no longer set; changes nothing
           { -3, type }     the key is not a latch; changes nothing
           state: generation, first, opened, left, previous, why Redis refused to publish a notice or ''

  Publishes 'open <generation> <latch>' to each inbox when the last party counts down. 'gone <generation> <latch>' when a
  part of the latch is lost: an evicted set would let parties count twice, so the rest of the latch goes too.
  Safe to run twice: a party is counted once.
]]
--@include includes/call
local latchKey, countedKey, waitersKey = KEYS[1], KEYS[2], KEYS[3]
local named = tonumber(ARGV[1])
local party = ARGV[2]

--@include ./includes/read-latch

if foreign then
  return { -3, foreign }
end
local code, noticeError, happened = 0, '', nil
if generation == named and generation >= first then
  code = 1
  local keepMs = tonumber(fields[7])
  if opened < generation then
    if call('SADD', countedKey, party) == 1 then
      left = left - 1
      call('HSET', latchKey, 'left', left)
    end
    local counted = call('SCARD', countedKey)
    if counted ~= fields[6] - left then
      happened = 'gone'
    elseif left == 0 then
      happened = 'open'
    elseif counted == 1 then
      -- Waiters may keep the latch for longer than keepMs.
      call('PEXPIRE', countedKey, math.max(ttlMs, keepMs) + 60000)
    end
  end
  --@include ./includes/keep-latch
end
if happened == 'open' then
  opened = generation
  call('HSET', latchKey, 'opened', named)
  call('DEL', countedKey)
elseif happened then
  call('DEL', latchKey, countedKey)
end
if happened then
  --@include ./includes/tell
end
if happened == 'gone' then
  code, generation, first, opened, left, previous = 0, 0, 1, 0, 0, 0
end
--@include ./includes/reply-state
