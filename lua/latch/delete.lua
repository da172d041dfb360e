--[[
  Delete a latch: its waiters fail, and it can be set again.

  KEYS[1]  latch     hash: generation, first, opened, left, previous, count, keepMs, setter, server
  KEYS[2]  counted   set, the parties that have counted down
  KEYS[3]  waiters   sorted set, inbox of a client that waits -> until when it is to be told, ms of the server's clock
  ARGV[1]  named         the generation to delete
  ARGV[2]  tombstoneMs   for how long late steps have to find that it was deleted, milliseconds

  Returns  { 1, state … }   deleted, now or earlier
           { 0, state … }   the named generation is not the last one; changes nothing
           { -3, type }     the key is not a latch; changes nothing
           state: generation, first, opened, left, previous, why Redis refused to publish a notice or ''

  Publishes 'gone <generation> <latch>' to each inbox.
  Safe to run twice: the second time it finds that the named generation is deleted.
]]
--@include includes/call
local latchKey, countedKey, waitersKey = KEYS[1], KEYS[2], KEYS[3]
local named = tonumber(ARGV[1])
local tombstoneMs = ARGV[2]

--@include ./includes/read-latch

if foreign then
  return { -3, foreign }
end
local code, noticeError = 0, ''
if generation == named then
  code = 1
end
if code == 1 and generation >= first then
  first = generation + 1
  left = 0
  call('HSET', latchKey, 'first', string.format('%.0f', first), 'left', left)
  call('DEL', countedKey)
  call('PEXPIRE', latchKey, tombstoneMs)
  local happened = 'gone'
  --@include ./includes/tell
end
--@include ./includes/reply-state
