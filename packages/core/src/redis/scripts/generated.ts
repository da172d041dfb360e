// DO NOT EDIT: written from lua/ by scripts/embed-lua.mjs.

import { Script } from './script.js'

export type ScriptName = 'clientIdentify' | 'clientPermissions' | 'clientRaiseFence' | 'clientRegister' | 'clientTell' | 'latchCountDown' | 'latchDelete' | 'latchInspect' | 'latchSet' | 'latchWait' | 'lockAcquire' | 'lockForce' | 'lockInspect' | 'lockRefresh' | 'lockRelease' | 'lockRenew' | 'lockSetCount' | 'lockTakeOver' | 'multiAcquire' | 'sharedAcquire' | 'sharedForce' | 'sharedInspect' | 'sharedRefresh' | 'sharedRelease' | 'sharedRenew' | 'sharedResize'

const p0 = `return redis.call('INFO', 'server') .. redis.call('INFO', 'replication') .. redis.call('INFO', 'memory')`
const p1 = `local triedKey = KEYS[1]
local missing = {}
local function try(words)
local reply = redis.pcall(unpack(words))
local refusal = type(reply) == 'table' and reply.err or ''
if string.find(refusal, 'NOPERM', 1, true) or string.find(refusal, "can't run this command", 1, true) then
missing[#missing + 1] = words[1]
return false
end
return true
end
if not try({ 'PEXPIRE', triedKey, 1000 }) or not try({ 'HSET', triedKey, 'host', '' }) then
return missing
end
redis.call('PEXPIRE', triedKey, 1000)
for _, command in ipairs(ARGV) do
local words = {}
for word in string.gmatch(command, '%S+') do
words[#words + 1] = word == '*' and triedKey or word
end
try(words)
end
try({ 'DEL', triedKey })
return missing`
const p2 = `local call = redis.call`
const p3 = `local fenceKey = KEYS[1]
local token = ARGV[1]
local keepMs = tonumber(ARGV[2])`
const p4 = `local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]`
const p5 = `local lastToken = call('GET', fenceKey)
for _, value in ipairs({ token, lastToken or nil }) do
if not ((tonumber(value) or nowText + 86400000000) - nowText < 86400000000) then
return { -4, value }
end
end
if not lastToken or #lastToken < #token or #lastToken == #token and lastToken < token then
keepMs = math.max(keepMs, call('PTTL', fenceKey))
call('SET', fenceKey, token, 'PX', keepMs)
elseif call('PTTL', fenceKey) < keepMs then
call('PEXPIRE', fenceKey, keepMs)
end
return 1`
const p6 = `redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('HSET', KEYS[1], unpack(ARGV, 4))
redis.call('PEXPIRE', KEYS[1], ARGV[1])
local inbox = ARGV[2]
if inbox == '' then
return { -1, '' }
end
local counted = redis.pcall('PUBSUB', 'NUMSUB', inbox)
local published = ARGV[3] == '1' and redis.pcall('PUBLISH', inbox, 'hello')
return { counted[2] or -1, type(published) == 'table' and published.err or '' }`
const p7 = `local notice = 'told ' .. ARGV[1]
local reply, noticeError = {}, ''
for i, channel in ipairs({ unpack(ARGV, 2) }) do
local received = redis.pcall('PUBLISH', channel, notice)
if type(received) == 'table' then
received, noticeError = 0, received.err
end
reply[i] = received
end
reply[#ARGV] = noticeError
return reply`
const p8 = `local latchKey, countedKey, waitersKey = KEYS[1], KEYS[2], KEYS[3]
local named = tonumber(ARGV[1])
local party = ARGV[2]`
const p9 = `local ttlMs = call('PTTL', latchKey)
local fields = {}
local generation, first, opened, left, previous = 0, 1, 0, 0, 0
local foreign = nil
if ttlMs ~= -2 then
fields = redis.pcall(
'HMGET', latchKey, 'generation', 'first', 'opened', 'left', 'previous', 'count', 'keepMs', 'setter', 'server'
)
if ttlMs == -1 or not fields[1] then
foreign = redis.pcall('TYPE', latchKey).ok or 'value of another type'
else
generation, first, opened = tonumber(fields[1]), tonumber(fields[2]), tonumber(fields[3])
left, previous = tonumber(fields[4]), tonumber(fields[5])
end
end`
const p10 = `if foreign then
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
call('PEXPIRE', countedKey, math.max(ttlMs, keepMs) + 60000)
end
end`
const p11 = `if ttlMs < 0.99 * keepMs then
call('PEXPIRE', latchKey, keepMs)
call('PEXPIRE', countedKey, keepMs + 60000)
end`
const p12 = `end
if happened == 'open' then
opened = generation
call('HSET', latchKey, 'opened', named)
call('DEL', countedKey)
elseif happened then
call('DEL', latchKey, countedKey)
end
if happened then`
const p13 = `local notice = string.format('%s %.0f ', happened, generation) .. latchKey
for _, inbox in ipairs(call('ZRANGE', waitersKey, 0, -1)) do
local received = redis.pcall('PUBLISH', inbox, notice)
if type(received) == 'table' then
noticeError = received.err
end
end
call('DEL', waitersKey)`
const p14 = `end
if happened == 'gone' then
code, generation, first, opened, left, previous = 0, 0, 1, 0, 0, 0
end`
const p15 = `return { code, generation, first, opened, left, previous, noticeError }`
const p16 = `local latchKey, countedKey, waitersKey = KEYS[1], KEYS[2], KEYS[3]
local named = tonumber(ARGV[1])
local tombstoneMs = ARGV[2]`
const p17 = `if foreign then
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
local happened = 'gone'`
const p18 = `end`
const p19 = `local nowMs = math.floor(nowText / 1000)`
const p20 = `local latchKey, countedKey, waitersKey = KEYS[1], KEYS[2], KEYS[3]
local maxEntries = tonumber(ARGV[1])`
const p21 = `if foreign then
return { -3, foreign }
end
local since = '(' .. string.format('%.0f', nowMs)
local parties, inboxes = {}, {}
if maxEntries > 0 then
parties = call('SRANDMEMBER', countedKey, maxEntries)
inboxes = call('ZRANGEBYSCORE', waitersKey, since, '+inf', 'LIMIT', 0, maxEntries)
end
local count, waiters = tonumber(fields[6] or '0'), call('ZCOUNT', waitersKey, since, '+inf')
return { 1, generation, first, opened, left, previous, '', count, ttlMs, waiters, parties, inboxes }`
const p22 = `local latchKey, countedKey = KEYS[1], KEYS[2]
local named = tonumber(ARGV[1])
local setter = ARGV[2]
local count = ARGV[3]
local keepMs = ARGV[4]
local server = ARGV[5]`
const p23 = `if foreign then
return { -3, foreign }
end
local code, noticeError = 0, ''
if fields[8] == setter then
code = 1
elseif generation == named and (generation < first or opened == generation) then`
const p24 = `code = 1
previous = generation
generation = math.max(tonumber(nowText), previous + 1)
if previous < first or fields[9] ~= server then
first = generation
end
left = tonumber(count)
local function text(number)
return string.format('%.0f', number)
end
call(
'HSET', latchKey, 'generation', text(generation), 'first', text(first), 'opened', text(opened), 'left', count,
'previous', text(previous), 'count', count, 'keepMs', keepMs, 'setter', setter, 'server', server
)
call('DEL', countedKey)
call('PEXPIRE', latchKey, keepMs)
end`
const p25 = `local replies = {}
for i = 1, #KEYS / 3 do
local latchKey, countedKey, waitersKey = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
local awaited = tonumber(ARGV[4 * i - 3])
local isBound = ARGV[4 * i - 2]
local aliveMs = tonumber(ARGV[4 * i - 1])
local inbox = ARGV[4 * i]`
const p26 = `local isSet = generation >= first
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
local keepMs = math.max(fields[7], 2 * aliveMs)`
const p27 = `end
end
replies[2 * i - 1] = code
replies[2 * i] = awaited
end
return replies`
const p28 = `local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local leaseMs = ARGV[2]
local tokenFloor = ARGV[3]`
const p29 = `if call('EXISTS', lockKey, waitersKey) > 0 then
local waiting = ARGV[4]`
const p30 = `local ttlMs = call('PTTL', lockKey)
local holder = ''
if ttlMs ~= -2 then`
const p31 = `holder = redis.pcall('HRANDFIELD', lockKey)
if type(holder) == 'table' then
holder = redis.pcall('HKEYS', lockKey)[1]
end`
const p32 = `if ttlMs == -1 or not holder then
return { -3, redis.pcall('TYPE', lockKey).ok or 'value of another type' }
end
end`
const p33 = `if holder == owner then`
const p34 = `local function keepFor(key, ms)
if call('PTTL', key) < ms then
call('PEXPIRE', key, ms)
end
end`
const p35 = `keepFor(lockKey, tonumber(leaseMs))
local knownToken = call('GET', fenceKey)
if knownToken then
if not ((tonumber(knownToken) or nowText + 86400000000) - nowText < 86400000000) then
return { -4, fenceKey, knownToken }
end
keepFor(fenceKey, math.max(60000, 2 * leaseMs))
return knownToken
end
local newLeaseMs = leaseMs`
const p36 = `local lifeMs = 2 * newLeaseMs > 60000 and 2 * newLeaseMs or '60000'
local token = nowText
if (#tokenFloor > #token or #tokenFloor == #token and tokenFloor >= token) and tokenFloor - nowText < 86400000000 then
token = string.format('%.0f', tokenFloor + 1)
end
local lastToken = call('SET', fenceKey, token, 'PX', lifeMs, 'GET')
local isBeyond = false
if lastToken and (#lastToken > #token or #lastToken == #token and lastToken >= token) then
isBeyond = not ((tonumber(lastToken) or nowText + 86400000000) - nowText < 86400000000)
token = isBeyond and lastToken or string.format('%.0f', lastToken + 1)
call('SET', fenceKey, token, 'PX', isBeyond and '86400000' or lifeMs)
end`
const p37 = `if isBeyond then
return { -4, fenceKey, lastToken }
end
return token`
const p38 = `end
local granted, noticeError = nil, ''
local isFree = ttlMs == -2
if isFree then`
const p39 = `do
local goneUntilMs = string.match(call('HGET', waitersKey, owner) or '', '^gone (%d+)$')
if goneUntilMs and 1000 * goneUntilMs > tonumber(nowText) then
return { -2 }
end
end`
const p40 = `local first, before = call('LPOP', queueKey), owner`
const p41 = `local waiter, skipped, lacksToken = first, nil, nil
while waiter and waiter ~= before and not granted do`
const p42 = `local state = 'none'
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
const p43 = `if state == 'alive' then
local mayGrant = not (skipped and skipped[entryInbox])
if mayGrant and inboxIsChecked == '1' then`
const p44 = `local reply = redis.pcall('PUBSUB', 'NUMSUB', entryInbox)
local isSubscribed = reply.err ~= nil or reply[2] > 0`
const p45 = `mayGrant = isSubscribed
end
if mayGrant then
local newHolder, newLeaseMs = waiter, entryLeaseMs`
const p46 = `if not isBeyond then
call('HSET', lockKey, newHolder, '1')
call('PEXPIRE', lockKey, newLeaseMs)
end`
const p47 = `if isBeyond then
lacksToken = lastToken
noticeError = 'nobody was granted the lock: no token can follow ' .. lastToken .. ' in ' .. fenceKey
else
local notice = 'granted ' .. newHolder .. ' ' .. entryProof .. ' ' .. token .. ' ' .. nowText .. ' ' .. newLeaseMs .. ' ' .. lockKey
local received = redis.pcall('PUBLISH', entryInbox, notice)
call('HDEL', waitersKey, waiter)
noticeError = type(received) == 'table' and received.err or ''
granted = newHolder
end
end
if not granted then
skipped = skipped or {}
skipped[#skipped + 1] = waiter
skipped[entryInbox] = true
end
elseif state == 'none' then
call('HDEL', waitersKey, waiter)
end
waiter = not granted and not lacksToken and call('LPOP', queueKey)
end
if skipped then
for i = #skipped, 1, -1 do
call('LPUSH', queueKey, skipped[i])
end
call('PEXPIRE', queueKey, call('PTTL', waitersKey))
end`
const p48 = `if lacksToken then
return { -4, fenceKey, lacksToken }
end
if granted then
holder = granted
ttlMs = call('PTTL', lockKey)
isFree = false
end
end
if not isFree then`
const p49 = `local position = 0
if waiting == '' then`
const p50 = `else
local newEntry = nowText .. ' ' .. waiting
local rank = nil
if call('HSETNX', waitersKey, owner, newEntry) == 0 then`
const p51 = `call('HSET', waitersKey, owner, newEntry)
rank = call('LPOS', queueKey, owner)
end
position = rank and rank + 1 or call('RPUSH', queueKey, owner)
if position == 1 and not rank then`
const p52 = `if call('HLEN', waitersKey) > 1 then
local fields = call('HGETALL', waitersKey)
for i = 1, #fields, 2 do
if fields[i] ~= owner and string.sub(fields[i + 1], 1, 5) ~= 'gone ' then
call('HDEL', waitersKey, fields[i])
end
end
end`
const p53 = `end
local entryTtlMs = string.match(waiting, '^%d+')`
const p54 = `if call('PTTL', queueKey) < 1.25 * entryTtlMs then`
const p55 = `call('PEXPIRE', queueKey, 2 * entryTtlMs)
keepFor(waitersKey, 2 * entryTtlMs)
end`
const p56 = `local busy = string.format('%d %s %d %s', ttlMs, nowText, position, holder)
return noticeError == '' and busy or { 0, busy, noticeError }`
const p57 = `end
call('HDEL', waitersKey, owner)
end
local newHolder, newLeaseMs = owner, leaseMs`
const p58 = `local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local inbox = ARGV[2]
local tokenFloor = ARGV[3]`
const p59 = `if holder ~= owner then
return 0
end
call('DEL', lockKey)
local revoked = redis.pcall('PUBLISH', inbox, 'revoked ' .. owner .. ' ' .. lockKey)
local granted, noticeError, before = nil, '', nil
local first = call('LPOP', queueKey)`
const p60 = `if noticeError == '' and type(revoked) == 'table' then
noticeError = revoked.err
end
local mine = true`
const p61 = `local code = mine and 1 or 0
return noticeError == '' and code or { code, noticeError }`
const p62 = `local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local maxEntries = tonumber(ARGV[1])`
const p63 = `local token = tonumber(call('GET', fenceKey) or '0')
local reply = { ttlMs, holder, tonumber(call('HGET', lockKey, holder) or '0'), token, call('LLEN', queueKey) }
for _, waiter in ipairs(maxEntries > 0 and call('LRANGE', queueKey, 0, maxEntries - 1) or {}) do`
const p64 = `local remainingMs = state == 'alive' and aliveForMs - (nowText - aliveSinceUs) / 1000 or 0
reply[#reply + 1] = waiter
reply[#reply + 1] = math.ceil(remainingMs)
end
return reply`
const p65 = `local function replace(command, key, ...)
local reply = redis.pcall(command, key, ...)
if type(reply) == 'table' then
redis.call(command == 'ZADD' and 'ZREM' or 'HDEL', key, '')
reply = redis.call(command, key, ...)
end
return reply
end`
const p66 = `local replies = {}
local outlooks = {}
for i = 1, #KEYS / 3 do
local lockKey, queueKey, waitersKey = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
local owner = ARGV[2 * i - 1]
local entryTtlMs = ARGV[2 * i]
local outlook = outlooks[lockKey]
if not outlook then
local ttlMs, holder = call('PTTL', lockKey), nil
if ttlMs >= 0 then`
const p67 = `end
outlook = { ttlMs = ttlMs, holder = holder }
outlooks[lockKey] = outlook
end
local ttlMs, holder = outlook.ttlMs, outlook.holder
local code, said = 0, ttlMs
local waiter = owner`
const p68 = `if state == 'alive' and call('PTTL', queueKey) ~= -2 then
local leaseAndInbox = entryLeaseMs .. ' ' .. inboxIsChecked .. ' ' .. entryProof .. ' ' .. entryInbox
replace('HSET', waitersKey, owner, nowText .. ' ' .. entryTtlMs .. ' ' .. leaseAndInbox)`
const p69 = `code = 1
if holder then`
const p70 = `local rank = not outlook.isBeyond and call('LPOS', queueKey, owner, 'MAXLEN', '100')
outlook.isBeyond = not rank
said = string.format('%d %s %d %s', ttlMs, nowText, rank and rank + 1 or 0, holder)`
const p71 = `end
elseif ttlMs ~= -2 and type(redis.pcall('HGET', lockKey, owner)) == 'string' then
code = 2
end
replies[2 * i - 1] = code
replies[2 * i] = said
end
return replies`
const p72 = `local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local tokenFloor = ARGV[2]
local tombstoneMs = ARGV[3] ~= '' and ARGV[3]
local keepMs = ARGV[4]
local heir = ARGV[5]
local mine = redis.pcall('HDEL', lockKey, owner) == 1
if mine and keepMs then
call('HSET', lockKey, heir or owner .. ':kept', '1')
call('PEXPIRE', lockKey, keepMs)
end
local queueMs = keepMs and call('PTTL', queueKey)
local first = mine and call('LPOP', queueKey)
if mine and not first and not tombstoneMs then
return 1
end`
const p73 = `if not mine or tombstoneMs then`
const p74 = `do
local waiter = owner`
const p75 = `if state ~= 'tombstone' and call('HDEL', waitersKey, owner) == 1 then
call('LREM', queueKey, 1, owner)
end
end
if tombstoneMs then`
const p76 = `local sample = call('HRANDFIELD', waitersKey, 8, 'WITHVALUES')
for i = 1, #sample, 2 do
local untilMs = string.match(sample[i + 1], '^gone (%d+)$')
if untilMs and tonumber(untilMs) <= nowMs then
call('HDEL', waitersKey, sample[i])
end
end
call('HSET', waitersKey, owner, string.format('gone %.0f', nowMs + tombstoneMs))
keepFor(waitersKey, tonumber(tombstoneMs))`
const p77 = `end
if not mine then`
const p78 = `first = ttlMs == -2 and call('LPOP', queueKey)
mine = holder == heir
end
local granted, noticeError, before = nil, '', nil
if mine and keepMs and first then
call('LPUSH', queueKey, first)
call('PEXPIRE', queueKey, queueMs)
local waiter = first`
const p79 = `do`
const p80 = `if state == 'alive' then
redis.pcall('PUBLISH', entryInbox, 'revoked ' .. waiter .. ' ' .. lockKey)
end
end`
const p81 = `first = nil
end`
const p82 = `local replies = {}
for i, lockKey in ipairs(KEYS) do
local owner = ARGV[2 * i - 1]
local leaseMs = ARGV[2 * i]
local ttlMs = call('PTTL', lockKey)
local count = ttlMs ~= -2 and redis.pcall('HGET', lockKey, owner)
if not count then
replies[i] = 0
elseif type(count) == 'table' or ttlMs == -1 then
replies[i] = -3
else
if ttlMs < tonumber(leaseMs) then
call('PEXPIRE', lockKey, leaseMs)
end
replies[i] = 1
end
end
return replies`
const p83 = `local lockKey = KEYS[1]
local owner = ARGV[1]
local count = ARGV[2]
local leaseMs = ARGV[3]`
const p84 = `if holder ~= owner then
return 0
end`
const p85 = `replace('HSET', lockKey, owner, count)
if ttlMs < tonumber(leaseMs) then
call('PEXPIRE', lockKey, leaseMs)
end
return 1`
const p86 = `local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local leaseMs = ARGV[2]
local tokenFloor = ARGV[3]
local heir = ARGV[4]`
const p87 = `end
if holder ~= heir then
local position, noticeError = 0, ''`
const p88 = `local newHolder, newLeaseMs = owner, leaseMs`
const p89 = `if isBeyond then
return { -4, fenceKey, lastToken }
end
call('HDEL', lockKey, heir)
local waiter = call('LRANGE', queueKey, '0', '0')[1]
if waiter then`
const p90 = `end
return token`
const p91 = `local mode = ARGV[1]
local leaseMs = ARGV[2]
local owners = {}
for i = 1, #KEYS / 4 do
owners[i] = ARGV[2 * i + 1]
end`
const p92 = `local mine, seen, deaf = {}, {}, {}
local function guard(lockKey)`
const p93 = `return nil, ttlMs, holder
end
local enterable = #owners
local busy = nil
for i, owner in ipairs(owners) do
local lockKey, queueKey, waitersKey = KEYS[4 * i - 3], KEYS[4 * i - 2], KEYS[4 * i - 1]
if seen[lockKey] then
busy = string.format('%d 0 %s 0 %s', i, nowText, seen[lockKey])
elseif call('EXISTS', lockKey, waitersKey) > 0 then
local foreign, ttlMs, holder = guard(lockKey)
if foreign then
foreign[3] = i
return foreign
end
if holder == owner then
mine[i] = true
else`
const p94 = `if holder ~= '' then
busy = string.format('%d %d %s 0 %s', i, ttlMs, nowText, holder)
end
local rank, waiter = 0, not busy and call('LRANGE', queueKey, 0, 0)[1]
while waiter do`
const p95 = `if state == 'alive' and inboxIsChecked == '1' and deaf[entryInbox] == nil then`
const p96 = `deaf[entryInbox] = not isSubscribed
end
if state == 'alive' and not deaf[entryInbox] then
busy = string.format('%d 0 %s 0 ', i, nowText)
break
end
rank = rank + 1
waiter = call('LRANGE', queueKey, rank, rank)[1]
end
end
end
if busy then
enterable = mode == 'all' and 0 or i - 1
break
end
seen[lockKey] = owner
end
local reply = { busy }
for i = 1, enterable do
local fenceKey, tokenFloor = KEYS[4 * i], ARGV[2 * i + 2]
local knownToken = mine[i] and call('GET', fenceKey)
if knownToken then
if not ((tonumber(knownToken) or nowText + 86400000000) - nowText < 86400000000) then
return { -4, fenceKey, knownToken, i }
end`
const p97 = `keepFor(fenceKey, math.max(60000, 2 * leaseMs))
else
local newLeaseMs = leaseMs`
const p98 = `if isBeyond then
return { -4, fenceKey, lastToken, i }
end
knownToken = token
end
reply[#reply + 1] = knownToken
end
for i = 1, enterable do
local lockKey = KEYS[4 * i - 3]
if mine[i] then`
const p99 = `keepFor(lockKey, tonumber(leaseMs))
else
call('HSET', lockKey, owners[i], '1')
call('PEXPIRE', lockKey, leaseMs)
end
end
return reply`
const p100 = `local mainKey, endsKey, queueKey, waitersKey, fenceKey, sizeKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local owner = ARGV[1]
local want = ARGV[2]
local leaseMs = ARGV[3]
local tokenFloor = ARGV[4]
local ownSize = ARGV[6]`
const p101 = `local nowMsText = string.sub(nowText, 1, -4)
local nowMs = nowMsText + 0`
const p102 = `local existing = call('EXISTS', mainKey, endsKey, waitersKey, sizeKey, sizeKey)
if existing == 0 and want - ownSize <= 0 then
local newLeaseMs = leaseMs`
const p103 = `if isBeyond then
return { -4, fenceKey, lastToken }
end
local endMs = string.format('%d', nowMs + leaseMs)
call('HSET', mainKey, 'used', want, owner, want .. ' ' .. token)
call('ZADD', endsKey, endMs, owner)
call('PEXPIREAT', mainKey, endMs)
call('PEXPIREAT', endsKey, endMs)
return token
end
local waiting = ARGV[5]
local used, hold, firstOwner, firstEndMs
local noticeError, blockedTtlMs = '', nil`
const p104 = `local held = redis.pcall('HMGET', mainKey, 'used', owner)
used = not held.err and tonumber(held[1] or 0)
if not used or not held[1] and call('EXISTS', mainKey) == 1 then
local foreign = redis.pcall('TYPE', mainKey).ok or 'value of another type'
return { -3, foreign == 'hash' and 'hash with other content' or foreign }
end`
const p105 = `hold = held[2]`
const p106 = `local firstHold = call('ZRANGE', endsKey, '0', '0', 'WITHSCORES')
firstOwner, firstEndMs = firstHold[1] or '', held[1] and (firstHold[2] or 0) + 0 or 0`
const p107 = `local besideHolds = existing - (held[1] and 1 or 0) - (firstOwner ~= '' and 1 or 0)
local isQuiet = besideHolds == 0
local override = besideHolds > 1 and string.match(call('GET', sizeKey), '^%d+')
if not hold and waiting ~= '' and firstEndMs > nowMs and used + want - (override or ownSize) > 0 then`
const p108 = `local entryTtlMs = string.match(waiting, '^%d+')
local newEntry = string.format('%d', nowMs + entryTtlMs) .. string.sub(waiting, #entryTtlMs + 1)`
const p109 = `if call('HSETNX', waitersKey, owner, newEntry) == 1 then
local position, rank = call('RPUSH', queueKey, owner), nil`
const p110 = `if position == 1 and not rank then`
const p111 = `local holder = firstOwner`
const p112 = `local ttlMs = firstOwner ~= '' and firstEndMs - nowMs or 60000
if blockedTtlMs then
ttlMs = math.min(ttlMs, blockedTtlMs)
end
if override then
ttlMs = math.min(ttlMs, math.max(call('PTTL', sizeKey), 1))
end`
const p113 = `end
end
local ownEntry = not isQuiet and call('HGET', waitersKey, owner)
local tombstone = string.match(ownEntry or '', '^gone (%d+)$')
if tombstone and tonumber(tombstone) > nowMs then
return { -2 }
end
if firstEndMs <= nowMs and (held[1] or firstOwner ~= '') then`
const p114 = `local ended = call('ZRANGEBYSCORE', endsKey, '-inf', nowMs)
call('ZREMRANGEBYSCORE', endsKey, '-inf', nowMs)
firstHold = held[1] and call('ZRANGE', endsKey, '0', '0', 'WITHSCORES') or {}
if firstHold[1] then
for from = 1, #ended, 1000 do
local to = math.min(from + 999, #ended)
for _, endedHold in ipairs(call('HMGET', mainKey, unpack(ended, from, to))) do
used = used - (string.match(endedHold or '', '^%d+') or 0)
end
call('HDEL', mainKey, unpack(ended, from, to))
end
call('HSET', mainKey, 'used', used)
hold = call('HGET', mainKey, owner)
firstOwner, firstEndMs = firstHold[1], tonumber(firstHold[2])
else
call('DEL', mainKey, endsKey)
used, hold, firstOwner, firstEndMs = 0, false, '', 0
end`
const p115 = `end
if hold then
local permits, heldToken = string.match(hold, '^(%d+) (%d+)$')
if tonumber(permits) < tonumber(want) then
return { -1 }
end`
const p116 = `local keepMs = tonumber(leaseMs)
call('HSET', mainKey, owner, hold)
call('ZADD', endsKey, 'GT', string.format('%d', nowMs + keepMs), owner)
local wasFree = false`
const p117 = `if wasFree or call('PTTL', mainKey) < 1.25 * keepMs then
local untilMs = string.format('%d', nowMs + 2 * keepMs)
call('PEXPIREAT', mainKey, untilMs)
call('PEXPIREAT', endsKey, untilMs)
end`
const p118 = `keepFor(fenceKey, math.max(60000, 2 * keepMs))
return heldToken
end
local hasEntry = ownEntry and not tombstone
if hasEntry or used + want - (override or ownSize) <= 0 then
if hasEntry and waiting ~= '' then`
const p119 = `call('HSET', waitersKey, owner, newEntry)
end
local granted, before, requester = nil, nil, owner
local first = not isQuiet and call('LINDEX', queueKey, '0')`
const p120 = `local usedBefore = used
local walked, ahead = 0, nil
local newHolder, newPermits, newLeaseMs, newProof, newInbox, entrants
local subscriptions, kept
local isFull, wasMet, hasEntered, blocker, blockedUntilMs = false, false, false, nil, nil
local waiter = override ~= '0' and first
while waiter and waiter ~= before and not granted do`
const p121 = `local state = 'none'
local entry = call('HGET', waitersKey, waiter) or ''
local aliveUntilMs, entryLeaseMs, inboxIsChecked, entryWant, entrySize, entryProof, entryInbox =
string.match(entry, '^(%d+) (%d+) ([01]) (%d+) (%d+) (%S+) (.+)$')
if not aliveUntilMs then
local goneUntilMs = string.match(entry, '^gone (%d+)$')
if goneUntilMs and goneUntilMs > nowMsText then
state = 'tombstone'
end
elseif aliveUntilMs > nowMsText then
state = 'alive'
end`
const p122 = `if state == 'alive' then
local isRequester = waiter == requester
wasMet = wasMet or isRequester
local permits, room = entryWant + 0, (override or entrySize) + 0
local mayEnter = permits <= room
if mayEnter and inboxIsChecked == '1' and not isRequester then
subscriptions = subscriptions or {}
mayEnter = subscriptions[entryInbox]
if mayEnter == nil then`
const p123 = `mayEnter = isSubscribed
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
end`
const p124 = `used = used + permits
if not newHolder then
newHolder, newPermits, newLeaseMs, newProof, newInbox = waiter, entryWant, entryLeaseMs, entryProof, entryInbox
else
entrants = entrants or { newHolder, newPermits, newLeaseMs, newProof, newInbox }
local last = #entrants
entrants[last + 1], entrants[last + 2] = waiter, entryWant
entrants[last + 3], entrants[last + 4], entrants[last + 5] = entryLeaseMs, entryProof, entryInbox
end`
const p125 = `isFull = used >= room
end
elseif state == 'none' then
call('HDEL', waitersKey, waiter)
end
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
local isQueued = newHolder ~= nil
if requester ~= '' and not wasMet and not blocker and not isFull then
local permits = tonumber(want)
if used + permits <= tonumber(override or ownSize) then
waiter = requester
local entryWant, entryLeaseMs, entryProof, entryInbox = want, leaseMs, '', ''`
const p126 = `hasEntered = true
end
end
if newHolder then
for i = 3, entrants and #entrants or 0, 5 do
newLeaseMs = math.max(newLeaseMs, entrants[i])
end
call = redis.pcall`
const p127 = `call = redis.call
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
local keepMs = newLeaseMs`
const p128 = `for _, noticedInbox in ipairs(inboxes) do
local notice = 'entered ' .. token .. ' ' .. nowText .. ' ' .. table.concat(notices[noticedInbox], ',') .. ' ' .. mainKey
local received = redis.pcall('PUBLISH', noticedInbox, notice)
if type(received) == 'table' then
noticeError = received.err
end
end
granted = hasEntered and token
else
call('HSET', mainKey, 'used', string.format('%d', used), newHolder, newPermits .. ' ' .. token)
call('ZADD', endsKey, string.format('%d', nowMs + newLeaseMs), newHolder)
if isQueued then
call('HDEL', waitersKey, newHolder)
end
local keepMs = newLeaseMs`
const p129 = `if newInbox ~= '' then
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
call('LTRIM', queueKey, walked, '-1')
if kept then
for from = #kept, 1, -1000 do
local heads = {}
for i = from, math.max(from - 999, 1), -1 do
heads[#heads + 1] = kept[i]
end
call('LPUSH', queueKey, unpack(heads))
end
call('PEXPIRE', queueKey, call('PTTL', waitersKey))
end
end`
const p130 = `if granted then
if hasEntry and not wasMet then
call('HDEL', waitersKey, owner)
end
return granted
end
if newHolder then
local newFirst = call('ZRANGE', endsKey, '0', '0', 'WITHSCORES')
firstOwner, firstEndMs = newFirst[1], tonumber(newFirst[2])
end
if blocker and blocker ~= owner then
blockedTtlMs = blockedUntilMs - nowMs
end
end
local position = 0
if waiting ~= '' then`
const p131 = `local rank = nil
if hasEntry then
rank = call('LPOS', queueKey, owner)
else
call('HSET', waitersKey, owner, newEntry)
end
position = rank and rank + 1 or call('RPUSH', queueKey, owner)`
const p132 = `local mainKey, endsKey, queueKey, waitersKey, fenceKey, sizeKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local owner = ARGV[1]
local inbox = ARGV[2]
local tokenFloor = ARGV[3]`
const p133 = `local used, hold, firstOwner, firstEndMs`
const p134 = `if firstEndMs <= nowMs and (held[1] or firstOwner ~= '') then`
const p135 = `if not hold then
return 0
end
local first = call('LINDEX', queueKey, '0')`
const p136 = `local override = call('GET', sizeKey)
override = override and string.match(override, '^%d+')`
const p137 = `used = used - string.match(hold, '^%d+')
call('HDEL', mainKey, owner)
call('ZREM', endsKey, owner)
if used > 0 then
call('HSET', mainKey, 'used', used)
else
call('DEL', mainKey, endsKey)
end
local revoked = redis.pcall('PUBLISH', inbox, 'revoked ' .. owner .. ' ' .. mainKey)
local granted, noticeError, before = nil, '', nil
local requester, want, leaseMs, ownSize = '', nil, nil, nil`
const p138 = `local mainKey, endsKey, queueKey, waitersKey, fenceKey, sizeKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local maxEntries = tonumber(ARGV[1])`
const p139 = `local owner, used = '', 0`
const p140 = `local size, version = string.match(call('GET', sizeKey) or '', '^(%d+) (%d+) ')
local holders = held[1] and call('ZCOUNT', endsKey, '(' .. nowMs, '+inf') or 0
for _, ended in ipairs(holders > 0 and call('ZRANGEBYSCORE', endsKey, '-inf', nowMs) or {}) do
used = used - (string.match(call('HGET', mainKey, ended) or '', '^%d+') or 0)
end
local listed = maxEntries > 0 and holders > 0
and call('ZRANGEBYSCORE', endsKey, '(' .. nowMs, '+inf', 'WITHSCORES', 'LIMIT', 0, maxEntries) or {}
local token = tonumber(call('GET', fenceKey) or '0')
local reply = { tonumber(size or 0), tonumber(version or 0), holders > 0 and used or 0, holders, token }
reply[6] = call('LLEN', queueKey)
reply[7] = #listed / 2
for i = 1, #listed, 2 do
reply[#reply + 1] = listed[i]
reply[#reply + 1] = tonumber(string.match(call('HGET', mainKey, listed[i]) or '0', '^%d+'))
reply[#reply + 1] = listed[i + 1] - nowMs
end
for _, waiter in ipairs(maxEntries > 0 and call('LRANGE', queueKey, 0, maxEntries - 1) or {}) do`
const p141 = `local remainingMs = state == 'alive' and aliveUntilMs - nowMs or 0
reply[#reply + 1] = waiter
reply[#reply + 1] = tonumber(entryWant or 0)
reply[#reply + 1] = remainingMs
end
return reply`
const p142 = `local replies = {}
local aliveUntil, lastTtlMs
local outlooks = {}
for i = 1, #KEYS / 5 do
local mainKey, endsKey, queueKey = KEYS[5 * i - 4], KEYS[5 * i - 3], KEYS[5 * i - 2]
local waitersKey, sizeKey = KEYS[5 * i - 1], KEYS[5 * i]
local owner = ARGV[2 * i - 1]
local entryTtlMs = ARGV[2 * i]
local code = 0
do
local waiter = owner`
const p143 = `if state == 'alive' and call('PTTL', queueKey) ~= -2 then
local wantsAndInbox = entryWant .. ' ' .. entrySize .. ' ' .. entryProof .. ' ' .. entryInbox
if entryTtlMs ~= lastTtlMs then
lastTtlMs = entryTtlMs
aliveUntil = string.format('%d', nowMs + entryTtlMs)
end
local grant = entryLeaseMs .. ' ' .. inboxIsChecked
replace('HSET', waitersKey, owner, aliveUntil .. ' ' .. grant .. ' ' .. wantsAndInbox)`
const p144 = `code = 1
elseif type(redis.pcall('HGET', mainKey, owner)) == 'string' then
local endMs = call('ZSCORE', endsKey, owner)
code = endMs and tonumber(endMs) > nowMs and 2 or 0
end
end
local outlook = outlooks[mainKey]
if not outlook then
local sum = redis.pcall('HGET', mainKey, 'used')
local firstHold = call('ZRANGE', endsKey, 0, 0, 'WITHSCORES')
local used = tonumber(type(sum) == 'string' and sum or 0)`
const p145 = `local ttlMs = 60000
if used > 0 then
ttlMs = tonumber(firstHold[2] or 0) > nowMs and firstHold[2] - nowMs or -2
end
if override then
ttlMs = math.min(ttlMs, call('PTTL', sizeKey))
end
outlook = { ttlMs = ttlMs, blockedTtlMs = ttlMs }
for rank = 0, override == '0' and -1 or 99 do
local waiter = call('LINDEX', queueKey, rank)
if not waiter then
break
end`
const p146 = `local permits, room = tonumber(entryWant or 0), tonumber(override or entrySize or 0)
if state ~= 'alive' or used + permits <= room then
outlook = { ttlMs = -2, blockedTtlMs = -2 }
break
elseif permits <= room then
local leftMs = aliveUntilMs - nowMs
outlook = { ttlMs = ttlMs, blockedTtlMs = math.min(ttlMs, leftMs), blocker = waiter }
break
end
end
outlook.holder = used > 0 and firstHold[1] or ''
outlooks[mainKey] = outlook
end
local ttlMs = outlook.blocker ~= owner and outlook.blockedTtlMs or outlook.ttlMs
local said, holder = ttlMs, outlook.holder
if code == 1 and ttlMs ~= -2 then`
const p147 = `end
replies[2 * i - 1] = code
replies[2 * i] = said
end
return replies`
const p148 = `local mainKey, endsKey, queueKey, waitersKey, fenceKey, sizeKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local owner = ARGV[1]
local left = ARGV[2]
local tokenFloor = ARGV[3]
local isLeaving = left == '0'
local tombstoneMs = isLeaving and ARGV[4]
local used, hold, firstOwner, firstEndMs = 0, false, '', 0
local mine, known, first = false, nil, nil
if isLeaving then
known = redis.pcall('HMGET', mainKey, 'used', owner)
if known[1] and known[2] then
mine = true
used = known[1] - string.match(known[2], '^%d+')
first = call('LINDEX', queueKey, '0')
if not first and not tombstoneMs then
if used == 0 then
call('DEL', mainKey, endsKey)
else
call('ZREM', endsKey, owner)
call('HDEL', mainKey, owner)
call('HSET', mainKey, 'used', string.format('%d', used))
end
return 1
end
end
end`
const p149 = `if isLeaving and (not mine or tombstoneMs) then
do
local waiter = owner`
const p150 = `end
end
local staysInUse = mine and used > 0
if not mine then`
const p151 = `elseif not staysInUse then
call('DEL', mainKey, endsKey)
elseif call('ZREM', endsKey, owner) == 0 or call('ZCOUNT', endsKey, '-inf', nowMsText) > 0 then
call('HDEL', mainKey, owner)
call('HSET', mainKey, 'used', used)
local held = known`
const p152 = `end
if not isLeaving and hold then
mine = true
local permits, heldToken = string.match(hold, '^(%d+) (%d+)$')
if tonumber(left) < tonumber(permits) then
used = used - permits + left`
const p153 = `replace('HSET', mainKey, 'used', string.format('%d', used), owner, left .. ' ' .. heldToken)
end
end
first = first or call('LINDEX', queueKey, '0')
local granted, noticeError, before = nil, '', nil
local requester, want, leaseMs, ownSize = '', nil, nil, nil`
const p154 = `if staysInUse then
call('HDEL', mainKey, owner)
if used > 0 and not newHolder then
call('HSET', mainKey, 'used', string.format('%d', used))
end
end`
const p155 = `local replies = {}
local endMs, keepMs, lastLeaseMs
for i = 1, #KEYS / 2 do
local mainKey, endsKey = KEYS[2 * i - 1], KEYS[2 * i]
local owner = ARGV[2 * i - 1]
local leaseMs = ARGV[2 * i]
local isHolder = redis.pcall('HEXISTS', mainKey, owner)
local ended = isHolder == 1 and redis.pcall('ZCOUNT', endsKey, '-inf', nowMsText)
if type(isHolder) == 'table' or type(ended) == 'table' then
replies[i] = -3
elseif not ended then
replies[i] = 0
else
if leaseMs ~= lastLeaseMs then
lastLeaseMs, keepMs = leaseMs, tonumber(leaseMs)
endMs = string.format('%d', nowMs + keepMs)
end
local isLive = ended == 0 and replace('ZADD', endsKey, 'XX', 'GT', 'CH', endMs, owner) == 1
if not isLive then
local knownEndMs = call('ZSCORE', endsKey, owner)
isLive = knownEndMs and tonumber(knownEndMs) > nowMs
if isLive then
replace('ZADD', endsKey, 'GT', endMs, owner)
end
end
if isLive then
local wasFree = false`
const p156 = `end
replies[i] = isLive and 1 or 0
end
end
return replies`
const p157 = `local mainKey, endsKey, queueKey, waitersKey, fenceKey, sizeKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local newSize = ARGV[1]
local sizeMs = ARGV[2]
local seen = ARGV[3]
local id = ARGV[4]
local tokenFloor = ARGV[5]`
const p158 = `local owner, used, hold, firstOwner, firstEndMs = '', 0, false, '', 0`
const p159 = `local size, version, lastId = string.match(call('GET', sizeKey) or '0 0 ', '^(%d+) (%d+) (.*)$')
if not size then
return redis.error_reply('WRONGTYPE ' .. sizeKey .. ' has no size')
elseif lastId == id then
return { 1, tonumber(version), tonumber(size) }
elseif version ~= seen then
return { 0, tonumber(version), tonumber(size) }
end
local first = call('LINDEX', queueKey, '0')
version = version + 1
call('SET', sizeKey, newSize .. ' ' .. version .. ' ' .. id, 'PX', sizeMs)
local override = newSize
local granted, noticeError, before = nil, '', nil
local requester, want, leaseMs, ownSize = '', nil, nil, nil`
const p160 = `local reply = { 1, version, tonumber(newSize) }
if noticeError ~= '' then
reply[4] = noticeError
end
return reply`

export const lockScripts = {
  clientIdentify: /* @__PURE__ */ new Script('clientIdentify', 'client', '7cb745dbdcde9eec419bfe50450da411351bf83b', [p0]),
  clientPermissions: /* @__PURE__ */ new Script('clientPermissions', 'client', 'afde5395c9925051a6a32c44dd262bf547ac746f', [p1]),
  clientRaiseFence: /* @__PURE__ */ new Script('clientRaiseFence', 'client', '3cdbd31176381f0d1ce992411e9dc3035718d6cf', [p2, p3, p4, p5]),
  clientRegister: /* @__PURE__ */ new Script('clientRegister', 'client', '1490fd536d38b6895f34e69fe54276192547f7c6', [p6]),
  clientTell: /* @__PURE__ */ new Script('clientTell', 'client', '2680079e54339f1d8ae092a7329696a71ffcaa1c', [p7]),
  lockAcquire: /* @__PURE__ */ new Script('lockAcquire', 'lock', 'f9919201d08fe7265f4c88eb2686fef69298a9db', [p2, p28, p4, p29, p30, p31, p32, p33, p34, p35, p36, p37, p38, p39, p40, p41, p42, p43, p44, p45, p36, p46, p47, p48, p49, p39, p50, p39, p51, p52, p53, p54, p34, p55, p18, p56, p57, p36, p46, p37]),
  lockForce: /* @__PURE__ */ new Script('lockForce', 'lock', '47eb00203f88017882c8f75ab685285e43846f50', [p2, p58, p4, p30, p31, p32, p59, p41, p42, p43, p44, p45, p36, p46, p47, p60, p61]),
  lockInspect: /* @__PURE__ */ new Script('lockInspect', 'lock', 'b576f50477cbef1c72764bb4e5137ea29fcdf526', [p2, p62, p4, p30, p31, p32, p63, p42, p64]),
  lockRefresh: /* @__PURE__ */ new Script('lockRefresh', 'lock', '188d1b284ec8a76ebd861453ee9bf7b5c760c0fc', [p2, p4, p65, p66, p31, p67, p42, p68, p54, p34, p55, p69, p70, p71]),
  lockRelease: /* @__PURE__ */ new Script('lockRelease', 'lock', 'b3f88b0ca0bbecd10da5c6a785969f9be848d41e', [p2, p72, p4, p73, p19, p74, p42, p75, p34, p76, p18, p77, p30, p31, p32, p78, p79, p42, p80, p81, p41, p42, p43, p44, p45, p36, p46, p47, p61]),
  lockRenew: /* @__PURE__ */ new Script('lockRenew', 'lock', '336d8326296a194d76ad1d884ff7d8e8d940e808', [p2, p82]),
  lockSetCount: /* @__PURE__ */ new Script('lockSetCount', 'lock', '049bb6435ec2fd35213719c6c4c6c35307644111', [p2, p83, p30, p31, p32, p84, p65, p85]),
  lockTakeOver: /* @__PURE__ */ new Script('lockTakeOver', 'lock', 'a0abcc53ef8929f5e2fe5e8a19583110ff950e77', [p2, p86, p4, p30, p31, p32, p33, p34, p35, p36, p37, p87, p56, p18, p39, p88, p36, p46, p89, p79, p42, p80, p90]),
}

export const sharedScripts = {
  sharedAcquire: /* @__PURE__ */ new Script('sharedAcquire', 'shared', 'a46c1677bc8b6b80e0deecd6ddeb0f14204d9419', [p2, p100, p4, p101, p102, p36, p103, p104, p105, p106, p107, p108, p109, p110, p52, p18, p54, p34, p55, p111, p112, p56, p113, p114, p115, p34, p116, p117, p118, p108, p119, p120, p121, p122, p44, p123, p124, p125, p124, p126, p36, p127, p117, p128, p117, p129, p130, p108, p131, p110, p52, p18, p54, p34, p55, p18, p112, p111, p56]),
  sharedForce: /* @__PURE__ */ new Script('sharedForce', 'shared', '27cf6f11f7f00738b8efa23d13145566541e5a44', [p2, p132, p4, p101, p133, p104, p105, p106, p134, p114, p18, p135, p136, p137, p120, p121, p122, p44, p123, p124, p125, p124, p126, p36, p127, p117, p128, p117, p129, p60, p61]),
  sharedInspect: /* @__PURE__ */ new Script('sharedInspect', 'shared', '8e3c75ab145b793942e421af4e1027c538600665', [p2, p138, p4, p101, p139, p104, p140, p121, p141]),
  sharedRefresh: /* @__PURE__ */ new Script('sharedRefresh', 'shared', '7d3d9005d30c86223bd4e22100d109e7a6b18e3b', [p2, p4, p65, p101, p142, p121, p143, p54, p34, p55, p144, p136, p145, p121, p146, p70, p147]),
  sharedRelease: /* @__PURE__ */ new Script('sharedRelease', 'shared', 'c34652c173f50543dcf2d2bbf7d7fcde5d794631', [p2, p148, p4, p101, p136, p149, p121, p75, p34, p76, p150, p104, p105, p106, p134, p114, p18, p151, p106, p134, p114, p18, p152, p65, p153, p120, p121, p122, p44, p123, p124, p125, p124, p126, p36, p127, p117, p128, p117, p129, p154, p61]),
  sharedRenew: /* @__PURE__ */ new Script('sharedRenew', 'shared', '348f4abbba5445c8af1bd07db8d8c126bc7eb9be', [p2, p4, p65, p101, p155, p117, p156]),
  sharedResize: /* @__PURE__ */ new Script('sharedResize', 'shared', '02f5a10741b8dc8b07a9cf2692f8bb91da46affd', [p2, p157, p4, p101, p158, p104, p105, p106, p134, p114, p18, p159, p120, p121, p122, p44, p123, p124, p125, p124, p126, p36, p127, p117, p128, p117, p129, p160]),
}

export const latchScripts = {
  latchCountDown: /* @__PURE__ */ new Script('latchCountDown', 'latch', '6bf25efd770b94e89c08073390b6d80d7e572020', [p2, p8, p9, p10, p11, p12, p13, p14, p15]),
  latchDelete: /* @__PURE__ */ new Script('latchDelete', 'latch', '121ecc42c81252acd92856a25b154c17306227f1', [p2, p16, p9, p17, p13, p18, p15]),
  latchInspect: /* @__PURE__ */ new Script('latchInspect', 'latch', '471d6012d53638585e6f38648de379bb0908e573', [p2, p4, p19, p20, p9, p21]),
  latchSet: /* @__PURE__ */ new Script('latchSet', 'latch', '288dec34bc1cc3265677cf07c88c0c9e8a76e5fc', [p2, p22, p9, p23, p4, p24, p15]),
  latchWait: /* @__PURE__ */ new Script('latchWait', 'latch', '620eb9bd4f17be9a986f653a348c29768f381e4c', [p2, p4, p19, p25, p9, p26, p11, p27]),
}

export const multiScripts = {
  multiAcquire: /* @__PURE__ */ new Script('multiAcquire', 'multi', 'e84826ccc7124f6ca7d645073aa47a2d0b54bb32', [p2, p91, p4, p92, p30, p31, p32, p93, p39, p94, p42, p95, p44, p96, p34, p97, p36, p98, p34, p99]),
}

export const scripts: Readonly<Record<ScriptName, Script>> = {
  ...lockScripts,
  ...sharedScripts,
  ...latchScripts,
  ...multiScripts,
}
