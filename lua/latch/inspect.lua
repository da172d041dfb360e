--[[
  Read a latch, who has counted down and which clients wait.

  KEYS[1]  latch     hash: generation, first, opened, left, previous, count, keepMs, setter, server
  KEYS[2]  counted   set, the parties that have counted down
  KEYS[3]  waiters   sorted set, inbox of a client that waits -> until when it is to be told, ms of the server's clock
  ARGV[1]  maxEntries  how many parties and how many clients to list; 0: none

  Returns  { 1, state …, count, ttlMs, waiters, { party 1, … }, { inbox 1, … } }
           state: generation, first, opened, left, previous, ''
           { -3, type }   the key is not a latch

  Changes and publishes nothing.
]]
--@include includes/call
--@include includes/clock
--@include includes/clock-ms
local latchKey, countedKey, waitersKey = KEYS[1], KEYS[2], KEYS[3]
local maxEntries = tonumber(ARGV[1])

--@include ./includes/read-latch

if foreign then
  return { -3, foreign }
end
local since = '(' .. string.format('%.0f', nowMs)
local parties, inboxes = {}, {}
if maxEntries > 0 then
  parties = call('SRANDMEMBER', countedKey, maxEntries)
  inboxes = call('ZRANGEBYSCORE', waitersKey, since, '+inf', 'LIMIT', 0, maxEntries)
end
local count, waiters = tonumber(fields[6] or '0'), call('ZCOUNT', waitersKey, since, '+inf')
return { 1, generation, first, opened, left, previous, '', count, ttlMs, waiters, parties, inboxes }
