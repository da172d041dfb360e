--[[
  Read a latch that is shared with Redisson's RCountDownLatch, and who of us has counted down. Its waiters are not known.

  KEYS[1]  count    string, how many have to count down; Redisson's
  KEYS[2]  counted  hash: generation, previous, count, left, keepMs, setter, deleted; party -> 1, those that have counted down
  ARGV[1]  maxEntries  how many parties to list; 0: none

  Returns  { 1, state …, count, ttlMs, waiters, { party 1, … }, { inbox 1, … } }
           state: generation, first, opened, left, previous, ''; waiters and inboxes: none
           ttlMs: -1 if the count never expires, -2 if there is none
           { -3, type }   the key is not a latch of Redisson

  Publishes nothing, and changes only what a count that was set since means for the generation. Safe to run twice.
]]
--@include includes/call
local countKey, countedKey = KEYS[1], KEYS[2]
local maxEntries = tonumber(ARGV[1])
local awaited = 0

--@include includes/clock
--@include ./includes/read-latch

if foreign then
  return { -3, foreign }
end
--@include ./includes/keep-counted
local parties = {}
for _, party in ipairs(maxEntries > 0 and left > 0 and call('HKEYS', countedKey) or {}) do
  -- No party has the name of another field: each has a colon or an @ in it.
  if string.find(party, '[:@]') and #parties < maxEntries then
    parties[#parties + 1] = party
  end
end
local newest = tonumber(call('HGET', countedKey, 'count') or '0')
return { 1, generation, 0, opened, left, previous, '', newest, call('PTTL', countKey), 0, parties, {} }
