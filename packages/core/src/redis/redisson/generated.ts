// DO NOT EDIT: written from lua/ by scripts/embed-lua.mjs.

import { Script } from '../scripts/script.js'

export type ScriptName = 'redissonIdentifySharding' | 'redissonLatchCountDown' | 'redissonLatchDelete' | 'redissonLatchInspect' | 'redissonLatchSet' | 'redissonLatchWait' | 'redissonLockAcquire' | 'redissonLockForce' | 'redissonLockRelease' | 'redissonPermitsAcquire' | 'redissonPermitsForce' | 'redissonPermitsInspect' | 'redissonPermitsRefresh' | 'redissonPermitsRelease' | 'redissonPermitsRenew' | 'redissonPermitsResize' | 'redissonReadWriteAcquire' | 'redissonReadWriteForce' | 'redissonReadWriteInspect' | 'redissonReadWriteRefresh' | 'redissonReadWriteRelease' | 'redissonReadWriteRenew' | 'redissonSemaphoreAcquire' | 'redissonSemaphoreForce' | 'redissonSemaphoreInspect' | 'redissonSemaphoreRefresh' | 'redissonSemaphoreRelease' | 'redissonSemaphoreRenew'

const p0 = `local reply = redis.pcall('PUBSUB', 'SHARDNUMSUB', '0')
return { reply.err and 0 or 1 }`
const p1 = `local call = redis.call`
const p2 = `local countKey, countedKey = KEYS[1], KEYS[2]
local named = tonumber(ARGV[1])
local party = ARGV[2]
local publish = ARGV[3]
local channel = ARGV[4]
local awaited = 0`
const p3 = `local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]`
const p4 = `local count = redis.pcall('GET', countKey)
local fields = redis.pcall('HMGET', countedKey, 'generation', 'previous', 'deleted', 'setter', 'left')
local foreign = nil
if type(count) == 'table' then
foreign = 'value of type ' .. call('TYPE', countKey).ok
elseif count and not tonumber(count) then
foreign = 'string that is not a number'
elseif fields.err then
foreign = 'latch, but ' .. countedKey .. ' is something else'
end
local left = not foreign and math.max(0, tonumber(count or '0')) or 0
local generation, previous, deleted = tonumber(fields[1] or '0'), tonumber(fields[2] or '0'), fields[3]
local setter, seen = fields[4], tonumber(fields[5] or '0')
if foreign then
left = 0
elseif left > seen then
previous = generation
generation = generation == 0 and awaited > 0 and awaited or math.max(tonumber(nowText), generation + 1)
call('DEL', countedKey)
call(
'HSET', countedKey, 'generation', string.format('%.0f', generation), 'previous', string.format('%.0f', previous),
'count', string.format('%.0f', left), 'left', string.format('%.0f', left), 'keepMs', 86400000
)
if deleted then
call('HSET', countedKey, 'deleted', deleted)
end
elseif left < seen then
call('HSET', countedKey, 'left', string.format('%.0f', left))
end
local opened = left == 0 and generation or previous`
const p5 = `if foreign then
return { -3, foreign }
end
local code, first, happened = 0, 0, nil
if left == 0 then
code = 1
elseif generation == named then
code = 1
if call('HSETNX', countedKey, party, 1) == 1 then
left = call('DECR', countKey)
if left == 0 then
call('DEL', countKey)`
const p6 = `local kept = call('HMGET', countedKey, 'generation', 'previous', 'count', 'keepMs', 'setter', 'deleted')
call('DEL', countedKey)
call(
'HSET', countedKey, 'generation', kept[1], 'previous', kept[2], 'count', kept[3], 'keepMs', kept[4],
'setter', kept[5] or '', 'deleted', kept[6] or '', 'left', 0
)`
const p7 = `opened = generation
happened = '0'
else
call('HSET', countedKey, 'left', left)
end
end
end`
const p8 = `local keepMs = call('HGET', countedKey, 'keepMs')
if keepMs then
call('PEXPIRE', countedKey, keepMs)
end`
const p9 = `local noticeError = ''
if happened then
local received = redis.pcall(publish, channel, happened)
if type(received) == 'table' then
noticeError = received.err
end
end`
const p10 = `return { code, generation, first, opened, left, previous, noticeError }`
const p11 = `local countKey, countedKey = KEYS[1], KEYS[2]
local named = tonumber(ARGV[1])
local publish = ARGV[2]
local channel = ARGV[3]
local awaited = 0`
const p12 = `if foreign then
return { -3, foreign }
end
local code, first, happened = 0, 0, nil
if left == 0 then
first = generation + 1
elseif generation == named then
code = 1
left = 0
opened = generation
happened = '1'
call('DEL', countKey)`
const p13 = `call('HSET', countedKey, 'deleted', string.format('%.0f', named))
end`
const p14 = `local countKey, countedKey = KEYS[1], KEYS[2]
local maxEntries = tonumber(ARGV[1])
local awaited = 0`
const p15 = `if foreign then
return { -3, foreign }
end`
const p16 = `local parties = {}
for _, party in ipairs(maxEntries > 0 and left > 0 and call('HKEYS', countedKey) or {}) do
if string.find(party, '[:@]') and #parties < maxEntries then
parties[#parties + 1] = party
end
end
local newest = tonumber(call('HGET', countedKey, 'count') or '0')
return { 1, generation, 0, opened, left, previous, '', newest, call('PTTL', countKey), 0, parties, {} }`
const p17 = `local countKey, countedKey = KEYS[1], KEYS[2]
local named = tonumber(ARGV[1])
local caller = ARGV[2]
local newCount = ARGV[3]
local keepMs = ARGV[4]
local publish = ARGV[5]
local channel = ARGV[6]
local awaited = 0`
const p18 = `if foreign then
return { -3, foreign }
end
local code, first, happened = 0, 0, nil
if setter == caller then
code = 1
elseif left == 0 and generation == named then
code = 1
happened = '1'
previous = generation
generation = math.max(tonumber(nowText), previous + 1)
left = tonumber(newCount)
opened = previous
call('SET', countKey, newCount)
call('DEL', countedKey)
call(
'HSET', countedKey, 'generation', string.format('%.0f', generation), 'previous', string.format('%.0f', previous),
'count', newCount, 'left', newCount, 'keepMs', keepMs, 'setter', caller,
'deleted', deleted or ''
)
call('PEXPIRE', countedKey, keepMs)
end`
const p19 = `local replies = {}
for i = 1, #KEYS / 2 do
local countKey, countedKey = KEYS[2 * i - 1], KEYS[2 * i]
local awaited = tonumber(ARGV[i])`
const p20 = `local code = 2
if foreign then
code, generation = -3, foreign
elseif awaited > 0 and awaited == tonumber(deleted or '0') then
code, generation = -1, awaited
elseif awaited > 0 and awaited ~= generation then
code, generation = 1, awaited
elseif left == 0 then
code = 1
end
replies[2 * i - 1] = code
replies[2 * i] = generation
end
return replies`
const p21 = `local lockKey, queueKey, waitersKey, tokenKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local count = tonumber(ARGV[2])
local leaseMs = tonumber(ARGV[3])
local waiting = ARGV[4]
local wantsToken = ARGV[5] == '1'`
const p22 = `local ttlMs = call('PTTL', lockKey)
local holder = ''
if ttlMs ~= -2 then`
const p23 = `holder = redis.pcall('HRANDFIELD', lockKey)
if type(holder) == 'table' then
holder = redis.pcall('HKEYS', lockKey)[1]
end`
const p24 = `if ttlMs == -1 or not holder then
return { -3, redis.pcall('TYPE', lockKey).ok or 'value of another type' }
end
end`
const p25 = `local nowMs = math.floor(nowText / 1000)`
const p26 = `local turnMs = 100
local headStartMs = 5
local headStartEvery = 4
local function readEntry(waiter)`
const p27 = `local state = 'none'
local entry = call('HGET', waitersKey, waiter) or ''
local aliveSinceUs, aliveForMs, entryLeaseMs, inboxIsChecked, entryProof, entryInbox =
string.match(entry, '^(%d+) (%d+) (%d+) ([01]) (%S+) (.+)$')
if not aliveSinceUs then
local goneUntilMs = string.match(entry, '^gone (%d+)$')
if goneUntilMs and 1000 * goneUntilMs > tonumber(nowText) then
state = 'tombstone'
end
elseif nowText - aliveSinceUs < 1000 * aliveForMs then
state = 'alive'
end`
const p28 = `return state, entryInbox, inboxIsChecked
end
local function dropEntry(waiter)
call('HDEL', waitersKey, waiter)
call('LREM', queueKey, 1, waiter)
end
local subscribed = {}
local function isSubscribedTo(entryInbox, inboxIsChecked)
if inboxIsChecked == '0' then
return true
elseif subscribed[entryInbox] == nil then`
const p29 = `local reply = redis.pcall('PUBSUB', 'NUMSUB', entryInbox)
local isSubscribed = reply.err ~= nil or reply[2] > 0`
const p30 = `subscribed[entryInbox] = isSubscribed
end
return subscribed[entryInbox]
end
local function readTurn()
local turn = call('HGET', waitersKey, 'turn') or ''
local fromMs, untilMs, turnOwner = string.match(turn, '^(%d+) (%d+) (.+)$')
fromMs, untilMs = tonumber(fromMs), tonumber(untilMs)
if fromMs and fromMs > nowMs + headStartMs then
return nil
end
return turnOwner, untilMs, fromMs
end
local function endTurn(waiter)
if readTurn() == waiter then
call('HDEL', waitersKey, 'turn')
end
end
local function offerTurn(before, headStart)
local offset = 0
while true do
local waiter = call('LINDEX', queueKey, offset)
if not waiter then
return nil, ''
end
local turnOwner, untilMs, fromMs = readTurn()
if waiter == before then
return turnOwner == waiter and fromMs > nowMs and fromMs - nowMs or nil, ''
end
local state, entryInbox, inboxIsChecked = readEntry(waiter)
if state == 'alive' and turnOwner == waiter and untilMs <= nowMs then
call('HDEL', waitersKey, 'turn')
dropEntry(waiter)
elseif state == 'none' then
dropEntry(waiter)
endTurn(waiter)
elseif state == 'tombstone' then
call('LREM', queueKey, 1, waiter)
endTurn(waiter)
elseif not isSubscribedTo(entryInbox, inboxIsChecked) then
offset = offset + 1
elseif turnOwner == waiter then
return untilMs - nowMs, ''
else
fromMs = nowMs + (headStart and string.sub(nowText, -2) % headStartEvery == 0 and headStartMs or 0)
call('HSET', waitersKey, 'turn', string.format('%.0f %.0f %s', fromMs, fromMs + turnMs, waiter))
local reply = redis.pcall('PUBLISH', entryInbox, 'free ' .. waiter .. ' ' .. lockKey)
return turnMs, type(reply) == 'table' and reply.err or ''
end
end
end`
const p31 = `if holder == owner then`
const p32 = `local function keepFor(key, ms)
if call('PTTL', key) < ms then
call('PEXPIRE', key, ms)
end
end`
const p33 = `local token = 0
if wantsToken then
token = count == 1 and call('GET', tokenKey) or call('INCR', tokenKey)
end
if count > 1 then
call('HSET', lockKey, owner, count)
end
keepFor(lockKey, leaseMs)
return tonumber(token)
end
if count > 1 then
return { -1 }
end
if readEntry(owner) == 'tombstone' then
return { -2 }
end
local noticeError = ''
if ttlMs == -2 then
local remainingMs
remainingMs, noticeError = offerTurn(owner)
if not remainingMs then
local token = wantsToken and call('INCR', tokenKey) or 0
call('HSET', lockKey, owner, 1)
call('PEXPIRE', lockKey, leaseMs)
dropEntry(owner)
call('HDEL', waitersKey, 'turn')
return token
end
ttlMs = remainingMs
else
endTurn(owner)
end`
const p34 = `local position = 0
if waiting == '' then`
const p35 = `do
local goneUntilMs = string.match(call('HGET', waitersKey, owner) or '', '^gone (%d+)$')
if goneUntilMs and 1000 * goneUntilMs > tonumber(nowText) then
return { -2 }
end
end`
const p36 = `else
local newEntry = nowText .. ' ' .. waiting
local rank = nil
if call('HSETNX', waitersKey, owner, newEntry) == 0 then`
const p37 = `call('HSET', waitersKey, owner, newEntry)
rank = call('LPOS', queueKey, owner)
end
position = rank and rank + 1 or call('RPUSH', queueKey, owner)
if position == 1 and not rank then`
const p38 = `if call('HLEN', waitersKey) > 1 then
local fields = call('HGETALL', waitersKey)
for i = 1, #fields, 2 do
if fields[i] ~= owner and string.sub(fields[i + 1], 1, 5) ~= 'gone ' then
call('HDEL', waitersKey, fields[i])
end
end
end`
const p39 = `end
local entryTtlMs = string.match(waiting, '^%d+')`
const p40 = `if call('PTTL', queueKey) < 1.25 * entryTtlMs then`
const p41 = `call('PEXPIRE', queueKey, 2 * entryTtlMs)
keepFor(waitersKey, 2 * entryTtlMs)
end`
const p42 = `end`
const p43 = `local busy = string.format('%d %s %d %s', ttlMs, nowText, position, holder)
return noticeError == '' and busy or { 0, busy, noticeError }`
const p44 = `local lockKey, queueKey, waitersKey = KEYS[1], KEYS[2], KEYS[3]
local owner = ARGV[1]
local inbox = ARGV[2]
local publish = ARGV[3]
local channel = ARGV[4]`
const p45 = `local function free()
call('DEL', lockKey)
local reply = redis.pcall(publish, channel, '0')
return type(reply) == 'table' and reply.err or ''
end`
const p46 = `if holder ~= owner then
return 0
end
local revoked = redis.pcall('PUBLISH', inbox, 'revoked ' .. owner .. ' ' .. lockKey)
local messageError = free()
local _, noticeError = offerTurn()
if messageError ~= '' then
noticeError = messageError
elseif noticeError == '' and type(revoked) == 'table' then
noticeError = revoked.err
end
local mine = true`
const p47 = `local code = mine and 1 or 0
return noticeError == '' and code or { code, noticeError }`
const p48 = `local lockKey, queueKey, waitersKey = KEYS[1], KEYS[2], KEYS[3]
local owner = ARGV[1]
local publish = ARGV[2]
local channel = ARGV[3]
local tombstoneMs = ARGV[4]`
const p49 = `do
local waiter = owner`
const p50 = `if state ~= 'tombstone' and call('HDEL', waitersKey, owner) == 1 then
call('LREM', queueKey, 1, owner)
end
end
if tombstoneMs then`
const p51 = `local sample = call('HRANDFIELD', waitersKey, 8, 'WITHVALUES')
for i = 1, #sample, 2 do
local untilMs = string.match(sample[i + 1], '^gone (%d+)$')
if untilMs and tonumber(untilMs) <= nowMs then
call('HDEL', waitersKey, sample[i])
end
end
call('HSET', waitersKey, owner, string.format('gone %.0f', nowMs + tombstoneMs))
keepFor(waitersKey, tonumber(tombstoneMs))`
const p52 = `local mine = holder == owner
endTurn(owner)
local messageError = ''
if mine then
messageError = free()
ttlMs = -2
end
local noticeError = ''
if ttlMs == -2 then
local _
_, noticeError = offerTurn(nil, mine)
end
if messageError ~= '' then
noticeError = messageError
end`
const p53 = `local countKey, holdsKey, endsKey, idsKey, waitersKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local owner = ARGV[1]
local want = tonumber(ARGV[2])
local leaseMs = tonumber(ARGV[3])
local position = tonumber(ARGV[4])
local size = tonumber(ARGV[5])
local publish = ARGV[6]
local channel = ARGV[7]`
const p54 = `local count = redis.pcall('GET', countKey)
local free, foreign = nil, nil
if type(count) == 'table' then
foreign = 'value of type ' .. redis.call('TYPE', countKey).ok
elseif count then
free = tonumber(count)
foreign = not free and 'string that is not a number' or nil
end`
const p55 = `local idsType = call('TYPE', idsKey).ok
if idsType ~= 'none' and idsType ~= 'zset' then
foreign = 'semaphore whose permits have a ' .. idsType .. ' for their ends'
end`
const p56 = `local function idsOf(ofOwner, from, to)
local ids = {}
for n = from, to do
local hex = string.sub(redis.sha1hex(ofOwner .. ' ' .. n), 1, 32)
ids[#ids + 1] = string.gsub(hex, '%x%x', function(byte)
return string.char(tonumber(byte, 16))
end)
end
return ids
end
local function countIds(ofOwner, to)
local found = 0
for n = 1, to, 1000 do
for _, score in ipairs(call('ZMSCORE', idsKey, unpack(idsOf(ofOwner, n, math.min(n + 999, to))))) do
found = found + (score and 1 or 0)
end
end
return found
end
local function putIds(ofOwner, to, untilMs)
for n = 1, to, 1000 do
local scored = {}
for _, id in ipairs(idsOf(ofOwner, n, math.min(n + 999, to))) do
scored[#scored + 1] = untilMs
scored[#scored + 1] = id
end
call('ZADD', idsKey, 'GT', unpack(scored))
end
end
local function dropIds(ofOwner, from, to)
local dropped = 0
for n = from, to, 1000 do
dropped = dropped + call('ZREM', idsKey, unpack(idsOf(ofOwner, n, math.min(n + 999, to))))
end
return dropped
end`
const p57 = `local hasRisen = false
while true do
local endedIds = call('ZRANGEBYSCORE', idsKey, 0, nowMs, 'LIMIT', 0, 1000)
if not endedIds[1] then
break
end
call('ZREM', idsKey, unpack(endedIds))
if free then
free = call('INCRBY', countKey, #endedIds)
hasRisen = true
end
end
while true do
local ended = call('ZRANGEBYSCORE', endsKey, '-inf', nowMs, 'LIMIT', 0, 1000)
if not ended[1] then
break
end
call('HDEL', holdsKey, unpack(ended))
call('ZREM', endsKey, unpack(ended))
end`
const p58 = `local permits = tonumber(call('HGET', holdsKey, owner))
if permits and countIds(owner, permits) < permits then
local left = 0`
const p59 = `local dropped = dropIds(owner, left + 1, permits)
if free and dropped > 0 then
free = call('INCRBY', countKey, dropped)
hasRisen = true
end
if left > 0 then
call('HSET', holdsKey, owner, left)
else
call('HDEL', holdsKey, owner)
call('ZREM', endsKey, owner)
end`
const p60 = `permits = nil
end`
const p61 = `if permits and permits < want then
return { -1 }
end
local isHeld = permits ~= nil
if not isHeld then
if not free then
free = math.max(0, size - call('ZCARD', idsKey))
call('SET', countKey, string.format('%.0f', free))
hasRisen = true
end
if free >= want then
free = call('DECRBY', countKey, want)
isHeld = true
end
end
if isHeld then
want = permits or want`
const p62 = `local endMs = string.format('%.0f', nowMs + leaseMs)
call('HSET', holdsKey, owner, want)
call('ZADD', endsKey, 'GT', endMs, owner)`
const p63 = `putIds(owner, want, endMs)
local countTtlMs = call('PTTL', countKey)
if countTtlMs > 0 then
call('PEXPIRE', idsKey, countTtlMs)
end
end`
const p64 = `local noticeError = ''
if hasRisen and free and free > 0 then
local received = redis.pcall(publish, channel, string.format('%.0f', free))
if type(received) == 'table' then
noticeError = received.err
end
end`
const p65 = `if isHeld then
return { 1, free or 0, noticeError }
end`
const p66 = `local ttlMs, holder = 60000, ''
local firstEnd = call('ZRANGE', endsKey, 0, 0, 'WITHSCORES')
if firstEnd[1] then
holder = firstEnd[1]
ttlMs = math.min(ttlMs, firstEnd[2] - nowMs)
end`
const p67 = `local firstId = call('ZRANGEBYSCORE', idsKey, nowMs, '(922337203685477', 'WITHSCORES', 'LIMIT', 0, 1)
if firstId[1] then
ttlMs = math.min(ttlMs, firstId[2] - nowMs)
end`
const p68 = `local countKey, holdsKey, endsKey, idsKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local inbox = ARGV[2]
local publish = ARGV[3]
local channel = ARGV[4]`
const p69 = `local mine = false
local revoked = 0
if permits then
local left = 0
mine = true`
const p70 = `revoked = redis.pcall('PUBLISH', inbox, 'revoked ' .. owner .. ' ' .. countKey)
elseif #owner == 32 and not string.find(owner, '%X') then
local id = string.gsub(owner, '%x%x', function(byte)
return string.char(tonumber(byte, 16))
end)
mine = call('ZREM', idsKey, id) == 1
if mine and free then
free = call('INCRBY', countKey, 1)
hasRisen = true
end
end`
const p71 = `if noticeError == '' and type(revoked) == 'table' then
noticeError = revoked.err
end`
const p72 = `local countKey, holdsKey, endsKey, idsKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local maxEntries = tonumber(ARGV[1])`
const p73 = `local held = call('ZCOUNT', idsKey, '(' .. nowMs, '+inf')
local ended = call('ZCARD', idsKey) - held
local owners = call('ZRANGEBYSCORE', endsKey, '(' .. nowMs, '+inf', 'WITHSCORES')
local reply = { held, free and free + ended or '', 0, 0 }
local ours, foreignIds = {}, held
for i = 1, #owners, 2 do
local permits = tonumber(call('HGET', holdsKey, owners[i]) or '0')
if permits > 0 then
reply[3] = reply[3] + 1
foreignIds = foreignIds - countIds(owners[i], permits)
if reply[4] < maxEntries then
reply[4] = reply[4] + 1
reply[#reply + 1] = owners[i]
reply[#reply + 1] = permits
reply[#reply + 1] = owners[i + 1] - nowMs
end
for _, id in ipairs(maxEntries > 0 and idsOf(owners[i], 1, permits) or {}) do
ours[id] = true
end
end
end
reply[3] = reply[3] + foreignIds
local left = math.min(maxEntries, foreignIds)
local found = left > 0 and call('ZRANGEBYSCORE', idsKey, '(' .. nowMs, '+inf', 'WITHSCORES') or {}
for i = 1, #found, 2 do
if left > 0 and not ours[found[i]] then
left = left - 1
reply[#reply + 1] = string.gsub(found[i], '.', function(byte)
return string.format('%02x', string.byte(byte))
end)
reply[#reply + 1] = found[i + 1] == '922337203685477' and -1 or found[i + 1] - nowMs
end
end
return reply`
const p74 = `local replies = {}
for i = 1, #KEYS / 4 do
local countKey, holdsKey = KEYS[4 * i - 3], KEYS[4 * i - 2]
local endsKey, idsKey = KEYS[4 * i - 1], KEYS[4 * i]
local publish = ARGV[3 * i - 2]
local channel = ARGV[3 * i - 1]
local owner = ARGV[3 * i]`
const p75 = `replies[2 * i - 1] = 2
replies[2 * i] = -2
if not foreign then`
const p76 = `if call('HEXISTS', holdsKey, owner) == 0 then
replies[2 * i - 1] = 1
end
if free and free <= 0 then
replies[2 * i] = ttlMs
end
end
end
return replies`
const p77 = `local countKey, holdsKey, endsKey, idsKey, waitersKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local owner = ARGV[1]
local left = tonumber(ARGV[2])
local publish = ARGV[3]
local channel = ARGV[4]
local tombstoneMs = ARGV[5]`
const p78 = `local permits = tonumber(call('HGET', holdsKey, owner)) or 0
local mine = permits > 0 and countIds(owner, permits) == permits
if permits > 0 and not mine then
left = 0
end
if permits > left then`
const p79 = `end
if tombstoneMs then`
const p80 = `local replies = {}
for i = 1, #KEYS / 4 do
local countKey, holdsKey = KEYS[4 * i - 3], KEYS[4 * i - 2]
local endsKey, idsKey = KEYS[4 * i - 1], KEYS[4 * i]
local publish = ARGV[4 * i - 3]
local channel = ARGV[4 * i - 2]
local owner = ARGV[4 * i - 1]
local leaseMs = ARGV[4 * i]`
const p81 = `if foreign then
replies[i] = -3
else`
const p82 = `local want = permits or 0
replies[i] = want > 0 and 1 or 0
if want > 0 then`
const p83 = `putIds(owner, want, endMs)
end`
const p84 = `end
end
return replies`
const p85 = `local countKey, holdsKey, endsKey, idsKey, sizeKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local newSize = tonumber(ARGV[1])
local keepMs = ARGV[2]
local seen = ARGV[3]
local callId = ARGV[4]
local publish = ARGV[5]
local channel = ARGV[6]`
const p86 = `if foreign then
return { -3, foreign }
end
local version, lastId = string.match(redis.pcall('GET', sizeKey) or '0 ', '^(%d+) (.*)$')
if lastId == callId then
return { 1, tonumber(version), newSize }
elseif version ~= seen then
return { 0, tonumber(version), newSize }
end`
const p87 = `version = version + 1
call('SET', sizeKey, version .. ' ' .. callId, 'PX', keepMs)
free = call('INCRBY', countKey, newSize - (free or 0) - call('ZCARD', idsKey))
hasRisen = true`
const p88 = `local reply = { 1, version, newSize }
if noticeError ~= '' then
reply[4] = noticeError
end
return reply`
const p89 = `local lockKey, holdKey, goneKey = KEYS[1], KEYS[2], KEYS[3]
local owner = ARGV[1]
local side = ARGV[2]
local leaseMs = tonumber(ARGV[3])
local waits = ARGV[4]`
const p90 = `local ttlMs = call('PTTL', lockKey)
local mode = nil
if ttlMs ~= -2 then
mode = redis.pcall('HGET', lockKey, 'mode')
if ttlMs == -1 or mode ~= 'read' and mode ~= 'write' then
local keyType = redis.pcall('TYPE', lockKey).ok or 'value of another type'
return { -3, keyType == 'hash' and ttlMs ~= -1 and 'hash of another object' or keyType }
end
end`
const p91 = `local held = nil
if mode and call('HGET', lockKey, mode == 'write' and owner .. ':write' or owner) then
held = mode
end`
const p92 = `if held == 'read' and side == 'write' then
return { -1 }
end
if not held and call('EXISTS', goneKey) == 1 then
return { -2 }
end
if held or not mode or mode == 'read' and side == 'read' then`
const p93 = `local newMode = held or side
call('HSET', lockKey, 'mode', newMode, newMode == 'write' and owner .. ':write' or owner, '1')
if newMode == 'read' and call('PTTL', holdKey) < leaseMs then
call('SET', holdKey, '1', 'PX', leaseMs)
end
keepFor(lockKey, leaseMs)
return 0
end`
const p94 = `local fields = redis.pcall('HRANDFIELD', lockKey, '2')
if fields.err then
fields = call('HKEYS', lockKey)
end
local holder = fields[1] ~= 'mode' and fields[1] or fields[2] or ''
if mode == 'write' then
holder = string.gsub(holder, ':write$', '')
end
local position, noticeError = waits == '1' and 1 or 0, ''`
const p95 = `local lockKey = KEYS[1]
local owner = ARGV[1]
local inbox = ARGV[2]
local slot = ARGV[3]
local publish = ARGV[4]
local channel = ARGV[5]`
const p96 = `local function holdKeyOf(reader, n)
return slot .. ':' .. reader .. ':rwlock_timeout:' .. n
end
local function holdTimeOf(reader, count)
local longestMs = 0
for n = 1, tonumber(count) or 0 do
longestMs = math.max(longestMs, call('PTTL', holdKeyOf(reader, n)))
end
return longestMs
end`
const p97 = `local function notify(message)
local reply = redis.pcall(publish, channel, message)
return type(reply) == 'table' and reply.err or ''
end`
const p98 = `if not held then
return 0
end
local revoked = redis.pcall('PUBLISH', inbox, 'revoked ' .. owner .. ' ' .. lockKey)`
const p99 = `local noticeError = ''
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
end`
const p100 = `if noticeError == '' and type(revoked) == 'table' then
noticeError = revoked.err
end
local mine = true`
const p101 = `local lockKey = KEYS[1]
local slot = ARGV[1]
local maxHolders = tonumber(ARGV[2])`
const p102 = `local holders = {}
local fields = mode and call('HGETALL', lockKey) or {}
for i = 1, #fields, 2 do
local field = fields[i]
if mode == 'write' and string.sub(field, -6) == ':write' then
holders[#holders + 1] = { string.sub(field, 1, -7), ttlMs }
elseif mode == 'read' and field ~= 'mode' then
local remainingMs = holdTimeOf(field, fields[i + 1])
holders[#holders + 1] = { field, remainingMs > 0 and remainingMs or ttlMs }
end
end
table.sort(holders, function(a, b)
return a[2] < b[2]
end)
local reply = { #holders, mode or '' }
for i = 1, math.min(#holders, maxHolders) do
reply[#reply + 1] = holders[i][1]
reply[#reply + 1] = holders[i][2]
end
return reply`
const p103 = `local replies = {}
for i, lockKey in ipairs(KEYS) do
local owner = ARGV[i]
local mode = redis.pcall('HGET', lockKey, 'mode')
if type(mode) == 'table' then
mode = nil
end`
const p104 = `replies[2 * i - 1] = held and 2 or mode == 'write' and 1 or 0
replies[2 * i] = call('PTTL', lockKey)
end
return replies`
const p105 = `local lockKey, holdKey, goneKey = KEYS[1], KEYS[2], KEYS[3]
local owner = ARGV[1]
local left = ARGV[2]
local slot = ARGV[3]
local publish = ARGV[4]
local channel = ARGV[5]
local tombstoneMs = ARGV[6]`
const p106 = `if tombstoneMs then
call('SET', goneKey, '1', 'PX', tombstoneMs)
end`
const p107 = `if not held then
return 0
end
local mine = true
if left == '1' then
local noticeError = ''
if held == 'write' then
call('HDEL', lockKey, owner .. ':write')
call('HSET', lockKey, 'mode', 'read', owner, '1')
call('SET', holdKey, '1', 'PX', math.max(1, ttlMs))
noticeError = notify('1')
end`
const p108 = `local replies = {}
for i = 1, #KEYS / 2 do
local lockKey, holdKey = KEYS[2 * i - 1], KEYS[2 * i]
local owner = ARGV[2 * i - 1]
local leaseMs = tonumber(ARGV[2 * i])
local mode = redis.pcall('HGET', lockKey, 'mode')
replies[i] = 0
if type(mode) == 'table' then
replies[i] = -3
elseif mode then`
const p109 = `if held == 'write' or held == 'read' and call('EXISTS', holdKey) == 1 then
if held == 'read' then
keepFor(holdKey, leaseMs)
end
keepFor(lockKey, leaseMs)
replies[i] = 1
end
end
end
return replies`
const p110 = `local countKey, holdsKey, endsKey, waitersKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local want = tonumber(ARGV[2])
local leaseMs = tonumber(ARGV[3])
local position = tonumber(ARGV[4])
local size = tonumber(ARGV[5])
local publish = ARGV[6]
local channel = ARGV[7]`
const p111 = `local hasRisen = false
while true do
local ended = call('ZRANGEBYSCORE', endsKey, '-inf', nowMs, 'LIMIT', 0, 1000)
if not ended[1] then
break
end
local endedPermits = 0
for _, permits in ipairs(call('HMGET', holdsKey, unpack(ended))) do
endedPermits = endedPermits + (tonumber(permits) or 0)
end
call('HDEL', holdsKey, unpack(ended))
call('ZREM', endsKey, unpack(ended))
if free and endedPermits > 0 then
free = call('INCRBY', countKey, endedPermits)
hasRisen = true
end
end`
const p112 = `local permits = tonumber(call('HGET', holdsKey, owner))
if permits and permits < want then
return { -1 }
end
local isHeld = permits ~= nil
if not isHeld then
if not free then
free = size
for _, heldPermits in ipairs(call('HVALS', holdsKey)) do
free = free - heldPermits
end
free = math.max(0, free)
call('SET', countKey, string.format('%.0f', free))
hasRisen = true
end
if free >= want then
free = call('DECRBY', countKey, want)
isHeld = true
end
end
if isHeld then
want = permits or want`
const p113 = `local countKey, holdsKey, endsKey = KEYS[1], KEYS[2], KEYS[3]
local owner = ARGV[1]
local inbox = ARGV[2]
local publish = ARGV[3]
local channel = ARGV[4]`
const p114 = `local permits = tonumber(call('HGET', holdsKey, owner)) or 0
local mine = permits > 0
local revoked = 0
if mine then
call('HDEL', holdsKey, owner)
call('ZREM', endsKey, owner)
if free then
free = call('INCRBY', countKey, permits)
hasRisen = true
end
revoked = redis.pcall('PUBLISH', inbox, 'revoked ' .. owner .. ' ' .. countKey)
end`
const p115 = `local countKey, holdsKey, endsKey = KEYS[1], KEYS[2], KEYS[3]
local maxEntries = tonumber(ARGV[1])`
const p116 = `if foreign then
return { -3, foreign }
end
local owners = call('ZRANGE', endsKey, 0, -1, 'WITHSCORES')
local reply = { 0, '', 0 }
local ended = 0
for i = 1, #owners, 2 do
local permits = tonumber(call('HGET', holdsKey, owners[i]) or '0')
local remainingMs = owners[i + 1] - nowMs
if remainingMs <= 0 then
ended = ended + permits
else
reply[1] = reply[1] + permits
reply[3] = reply[3] + 1
if reply[3] <= maxEntries then
reply[#reply + 1] = owners[i]
reply[#reply + 1] = permits
reply[#reply + 1] = remainingMs
end
end
end
if free then
reply[2] = free + ended
end
return reply`
const p117 = `local replies = {}
for i = 1, #KEYS / 3 do
local countKey, holdsKey, endsKey = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
local publish = ARGV[3 * i - 2]
local channel = ARGV[3 * i - 1]
local owner = ARGV[3 * i]`
const p118 = `local countKey, holdsKey, endsKey, waitersKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local left = tonumber(ARGV[2])
local publish = ARGV[3]
local channel = ARGV[4]
local tombstoneMs = ARGV[5]`
const p119 = `local permits = tonumber(call('HGET', holdsKey, owner)) or 0
local mine = permits > 0
if permits > left then
if free then
free = call('INCRBY', countKey, permits - left)
hasRisen = true
end
if left > 0 then
call('HSET', holdsKey, owner, left)
else
call('HDEL', holdsKey, owner)
call('ZREM', endsKey, owner)
end
end
if tombstoneMs then`
const p120 = `local replies = {}
for i = 1, #KEYS / 3 do
local countKey, holdsKey, endsKey = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
local publish = ARGV[4 * i - 3]
local channel = ARGV[4 * i - 2]
local owner = ARGV[4 * i - 1]
local leaseMs = ARGV[4 * i]`
const p121 = `local want = tonumber(call('HGET', holdsKey, owner)) or 0
replies[i] = want > 0 and 1 or 0
if want > 0 then`

export const scripts: Readonly<Record<ScriptName, Script>> = {
  redissonIdentifySharding: /* @__PURE__ */ new Script('redissonIdentifySharding', 'redisson', '64f4c222080c5863c7a9f75acf2c8af93a36ce85', [p0]),
  redissonLatchCountDown: /* @__PURE__ */ new Script('redissonLatchCountDown', 'latch', '66fdf5cf81cb9c1fcc30af68718752f2667e4cb9', [p1, p2, p3, p4, p5, p6, p7, p8, p9, p10]),
  redissonLatchDelete: /* @__PURE__ */ new Script('redissonLatchDelete', 'latch', 'ccb19270d098d8328b19d5ea24f987e7605e1f5d', [p1, p11, p3, p4, p12, p6, p13, p8, p9, p10]),
  redissonLatchInspect: /* @__PURE__ */ new Script('redissonLatchInspect', 'latch', '2f32913133899d2128838699a41150f75612e104', [p1, p14, p3, p4, p15, p8, p16]),
  redissonLatchSet: /* @__PURE__ */ new Script('redissonLatchSet', 'latch', '6cdcd4e8b7be96363abd880e934d17cbec6b6327', [p1, p17, p3, p4, p18, p9, p10]),
  redissonLatchWait: /* @__PURE__ */ new Script('redissonLatchWait', 'latch', '5962998f783a734bbd1aae3598613820cb6599f3', [p1, p3, p19, p4, p8, p20]),
  redissonLockAcquire: /* @__PURE__ */ new Script('redissonLockAcquire', 'lock', '930942575f3fdb6e6b7b81b6680e16c9bbcf8f66', [p1, p21, p3, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31, p32, p33, p34, p35, p36, p35, p37, p38, p39, p40, p32, p41, p42, p43]),
  redissonLockForce: /* @__PURE__ */ new Script('redissonLockForce', 'lock', 'c2b65ef32d7bb3fe58a6a8b2d34e6dd41bcd153f', [p1, p44, p3, p22, p23, p24, p25, p26, p27, p28, p29, p30, p45, p46, p47]),
  redissonLockRelease: /* @__PURE__ */ new Script('redissonLockRelease', 'lock', 'd96a11d2a06e666cf049d935c76c293725ec6cf9', [p1, p48, p3, p25, p26, p27, p28, p29, p30, p45, p49, p27, p50, p32, p51, p42, p22, p23, p24, p52, p47]),
  redissonPermitsAcquire: /* @__PURE__ */ new Script('redissonPermitsAcquire', 'permits', '6d7f636b03c8e56b188e3847e312d5ec26081c95', [p1, p53, p3, p25, p54, p55, p15, p35, p56, p57, p58, p59, p60, p61, p62, p63, p64, p65, p66, p67, p43]),
  redissonPermitsForce: /* @__PURE__ */ new Script('redissonPermitsForce', 'permits', '47e319c67ad18bca2edf0d5c984404a653063872', [p1, p68, p3, p25, p54, p55, p15, p56, p57, p58, p59, p60, p69, p59, p70, p64, p71, p47]),
  redissonPermitsInspect: /* @__PURE__ */ new Script('redissonPermitsInspect', 'permits', '75f2ce94c7702a80857525b076f947baabc2db01', [p1, p72, p3, p25, p54, p55, p15, p56, p73]),
  redissonPermitsRefresh: /* @__PURE__ */ new Script('redissonPermitsRefresh', 'permits', 'af8505ebd028b1269902f8ea512cfecd48879e21', [p1, p3, p25, p74, p54, p55, p75, p57, p64, p66, p67, p76]),
  redissonPermitsRelease: /* @__PURE__ */ new Script('redissonPermitsRelease', 'permits', 'aefd7080176e22cffb40ad172e5bf6dcd536ee2f', [p1, p77, p3, p25, p54, p55, p15, p56, p57, p78, p59, p79, p32, p51, p42, p64, p47]),
  redissonPermitsRenew: /* @__PURE__ */ new Script('redissonPermitsRenew', 'permits', '546911c9c9669d28fceb8a9413ae0ee7fda74995', [p1, p3, p25, p80, p54, p55, p81, p56, p57, p58, p59, p60, p82, p62, p83, p64, p84]),
  redissonPermitsResize: /* @__PURE__ */ new Script('redissonPermitsResize', 'permits', 'd49ae6445e5a76261a3fb05e79bd0e78e5103512', [p1, p85, p3, p25, p54, p55, p86, p57, p87, p64, p88]),
  redissonReadWriteAcquire: /* @__PURE__ */ new Script('redissonReadWriteAcquire', 'read-write', '5add8dd6b62e010f94f5fef1a9afa507fc5e053b', [p1, p89, p90, p91, p92, p32, p93, p3, p94, p43]),
  redissonReadWriteForce: /* @__PURE__ */ new Script('redissonReadWriteForce', 'read-write', 'a51a21a8ea40dcaf5441fe0a3c6ddfac5f31e579', [p1, p95, p96, p97, p90, p91, p98, p99, p100, p47]),
  redissonReadWriteInspect: /* @__PURE__ */ new Script('redissonReadWriteInspect', 'read-write', '31207c0e3265bdc2a2c051da968d9044eaf67355', [p1, p101, p96, p90, p102]),
  redissonReadWriteRefresh: /* @__PURE__ */ new Script('redissonReadWriteRefresh', 'read-write', 'd4c1822d4b770f7091b93d9230b48d621ecdbf36', [p1, p103, p91, p104]),
  redissonReadWriteRelease: /* @__PURE__ */ new Script('redissonReadWriteRelease', 'read-write', '6c1f053559c2b05a1da271a9fe57b25210730476', [p1, p105, p96, p97, p106, p90, p91, p107, p47, p42, p99, p47]),
  redissonReadWriteRenew: /* @__PURE__ */ new Script('redissonReadWriteRenew', 'read-write', '04383e3e797e5c4f830b0b547eaffd4895e9d809', [p1, p32, p108, p91, p109]),
  redissonSemaphoreAcquire: /* @__PURE__ */ new Script('redissonSemaphoreAcquire', 'semaphore', '23fe125ba7eee427e94093885f5044a945121fb3', [p1, p110, p3, p25, p54, p15, p35, p111, p112, p62, p42, p64, p65, p66, p43]),
  redissonSemaphoreForce: /* @__PURE__ */ new Script('redissonSemaphoreForce', 'semaphore', '1932cbc893b342f526c5e3cf1c92bdbf4cb51c8a', [p1, p113, p3, p25, p54, p15, p111, p114, p64, p71, p47]),
  redissonSemaphoreInspect: /* @__PURE__ */ new Script('redissonSemaphoreInspect', 'semaphore', '2e876fef98962b096c5c389da4559bea0df87dd5', [p1, p115, p3, p25, p54, p116]),
  redissonSemaphoreRefresh: /* @__PURE__ */ new Script('redissonSemaphoreRefresh', 'semaphore', '19a432fa8b31348794ed774d6b0189ee77950ca3', [p1, p3, p25, p117, p54, p75, p111, p64, p66, p76]),
  redissonSemaphoreRelease: /* @__PURE__ */ new Script('redissonSemaphoreRelease', 'semaphore', '72c74c148f7cc78013ac0b7f9afa7c708ac2523b', [p1, p118, p3, p25, p54, p15, p111, p119, p32, p51, p42, p64, p47]),
  redissonSemaphoreRenew: /* @__PURE__ */ new Script('redissonSemaphoreRenew', 'semaphore', '57fbb6474c302ccd48c61834e15c1d1b77feacb5', [p1, p3, p25, p120, p54, p81, p111, p121, p62, p42, p64, p84]),
}
