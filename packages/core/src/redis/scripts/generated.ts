// DO NOT EDIT: written from lua/ by `pnpm generate`.

import { Script } from './script.js'

export type ScriptName = 'clientIdentify' | 'clientPermissions' | 'clientRaiseFence' | 'clientRegister' | 'clientTell' | 'latchCountDown' | 'latchDelete' | 'latchInspect' | 'latchSet' | 'latchWait' | 'lockAcquire' | 'lockForce' | 'lockInspect' | 'lockRefresh' | 'lockRelease' | 'lockRenew' | 'lockSetCount' | 'multiAcquire' | 'sharedAcquire' | 'sharedForce' | 'sharedInspect' | 'sharedRefresh' | 'sharedRelease' | 'sharedRenew' | 'sharedResize'

const pieces: readonly string[] = [
`return redis.call('INFO', 'server') .. redis.call('INFO', 'replication') .. redis.call('INFO', 'memory')`,
`local triedKey = KEYS[1]
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
return missing`,
`local call = redis.call`,
`local fenceKey = KEYS[1]
local token = ARGV[1]
local keepMs = tonumber(ARGV[2])`,
`local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]`,
`local lastToken = call('GET', fenceKey)
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
return 1`,
`redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('HSET', KEYS[1], unpack(ARGV, 4))
redis.call('PEXPIRE', KEYS[1], ARGV[1])
local inbox = ARGV[2]
if inbox == '' then
return { -1, '' }
end
local counted = redis.pcall('PUBSUB', 'NUMSUB', inbox)
local published = ARGV[3] == '1' and redis.pcall('PUBLISH', inbox, 'hello')
return { counted[2] or -1, type(published) == 'table' and published.err or '' }`,
`local notice = 'told ' .. ARGV[1]
local reply, noticeError = {}, ''
for i, channel in ipairs({ unpack(ARGV, 2) }) do
local received = redis.pcall('PUBLISH', channel, notice)
if type(received) == 'table' then
received, noticeError = 0, received.err
end
reply[i] = received
end
reply[#ARGV] = noticeError
return reply`,
`local latchKey, countedKey, waitersKey = KEYS[1], KEYS[2], KEYS[3]
local named = tonumber(ARGV[1])
local party = ARGV[2]`,
`local ttlMs = call('PTTL', latchKey)
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
end`,
`if foreign then
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
end`,
`if ttlMs < 0.99 * keepMs then
call('PEXPIRE', latchKey, keepMs)
call('PEXPIRE', countedKey, keepMs + 60000)
end`,
`end
if happened == 'open' then
opened = generation
call('HSET', latchKey, 'opened', named)
call('DEL', countedKey)
elseif happened then
call('DEL', latchKey, countedKey)
end
if happened then`,
`local notice = string.format('%s %.0f ', happened, generation) .. latchKey
for _, inbox in ipairs(call('ZRANGE', waitersKey, 0, -1)) do
local received = redis.pcall('PUBLISH', inbox, notice)
if type(received) == 'table' then
noticeError = received.err
end
end
call('DEL', waitersKey)`,
`end
if happened == 'gone' then
code, generation, first, opened, left, previous = 0, 0, 1, 0, 0, 0
end`,
`return { code, generation, first, opened, left, previous, noticeError }`,
`local latchKey, countedKey, waitersKey = KEYS[1], KEYS[2], KEYS[3]
local named = tonumber(ARGV[1])
local tombstoneMs = ARGV[2]`,
`if foreign then
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
local happened = 'gone'`,
`end`,
`local nowMs = math.floor(nowText / 1000)`,
`local latchKey, countedKey, waitersKey = KEYS[1], KEYS[2], KEYS[3]
local maxEntries = tonumber(ARGV[1])`,
`if foreign then
return { -3, foreign }
end
local since = '(' .. string.format('%.0f', nowMs)
local parties, inboxes = {}, {}
if maxEntries > 0 then
parties = call('SRANDMEMBER', countedKey, maxEntries)
inboxes = call('ZRANGEBYSCORE', waitersKey, since, '+inf', 'LIMIT', 0, maxEntries)
end
local count, waiters = tonumber(fields[6] or '0'), call('ZCOUNT', waitersKey, since, '+inf')
return { 1, generation, first, opened, left, previous, '', count, ttlMs, waiters, parties, inboxes }`,
`local latchKey, countedKey = KEYS[1], KEYS[2]
local named = tonumber(ARGV[1])
local setter = ARGV[2]
local count = ARGV[3]
local keepMs = ARGV[4]
local server = ARGV[5]`,
`if foreign then
return { -3, foreign }
end
local code, noticeError = 0, ''
if fields[8] == setter then
code = 1
elseif generation == named and (generation < first or opened == generation) then`,
`code = 1
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
end`,
`local replies = {}
for i = 1, #KEYS / 3 do
local latchKey, countedKey, waitersKey = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
local awaited = tonumber(ARGV[4 * i - 3])
local isBound = ARGV[4 * i - 2]
local aliveMs = tonumber(ARGV[4 * i - 1])
local inbox = ARGV[4 * i]`,
`local isSet = generation >= first
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
local keepMs = math.max(fields[7], 2 * aliveMs)`,
`end
end
replies[2 * i - 1] = code
replies[2 * i] = awaited
end
return replies`,
`local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local leaseMs = ARGV[2]
local tokenFloor = ARGV[3]`,
`if call('EXISTS', lockKey, waitersKey) > 0 then
local waiting = ARGV[4]`,
`local ttlMs = call('PTTL', lockKey)
local holder = ''
if ttlMs ~= -2 then`,
`holder = redis.pcall('HRANDFIELD', lockKey)
if type(holder) == 'table' then
holder = redis.pcall('HKEYS', lockKey)[1]
end`,
`if ttlMs == -1 or not holder then
return { -3, redis.pcall('TYPE', lockKey).ok or 'value of another type' }
end
end`,
`if holder == owner then`,
`local function keepFor(key, ms)
if call('PTTL', key) < ms then
call('PEXPIRE', key, ms)
end
end`,
`keepFor(lockKey, tonumber(leaseMs))
local knownToken = call('GET', fenceKey)
if knownToken then
if not ((tonumber(knownToken) or nowText + 86400000000) - nowText < 86400000000) then
return { -4, fenceKey, knownToken }
end
keepFor(fenceKey, math.max(60000, 2 * leaseMs))
return knownToken
end
local newLeaseMs = leaseMs`,
`local lifeMs = 2 * newLeaseMs > 60000 and 2 * newLeaseMs or '60000'
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
end`,
`if isBeyond then
return { -4, fenceKey, lastToken }
end
return token
end
local granted, noticeError = nil, ''
local isFree = ttlMs == -2
if isFree then`,
`do
local goneUntilMs = string.match(call('HGET', waitersKey, owner) or '', '^gone (%d+)$')
if goneUntilMs and 1000 * goneUntilMs > tonumber(nowText) then
return { -2 }
end
end`,
`local first, before = call('LPOP', queueKey), owner`,
`local waiter, skipped, lacksToken = first, nil, nil
while waiter and waiter ~= before and not granted do`,
`local state = 'none'
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
end`,
`if state == 'alive' then
local mayGrant = not (skipped and skipped[entryInbox])
if mayGrant and inboxIsChecked == '1' then`,
`local reply = redis.pcall('PUBSUB', 'NUMSUB', entryInbox)
local isSubscribed = reply.err ~= nil or reply[2] > 0`,
`mayGrant = isSubscribed
end
if mayGrant then
local newHolder, newLeaseMs = waiter, entryLeaseMs`,
`if not isBeyond then
call('HSET', lockKey, newHolder, '1')
call('PEXPIRE', lockKey, newLeaseMs)
end`,
`if isBeyond then
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
end`,
`if lacksToken then
return { -4, fenceKey, lacksToken }
end
if granted then
holder = granted
ttlMs = call('PTTL', lockKey)
isFree = false
end
end
if not isFree then`,
`local position = 0
if waiting == '' then`,
`else
local newEntry = nowText .. ' ' .. waiting
local rank = nil
if call('HSETNX', waitersKey, owner, newEntry) == 0 then`,
`call('HSET', waitersKey, owner, newEntry)
rank = call('LPOS', queueKey, owner)
end
position = rank and rank + 1 or call('RPUSH', queueKey, owner)
if position == 1 and not rank then`,
`if call('HLEN', waitersKey) > 1 then
local fields = call('HGETALL', waitersKey)
for i = 1, #fields, 2 do
if fields[i] ~= owner and string.sub(fields[i + 1], 1, 5) ~= 'gone ' then
call('HDEL', waitersKey, fields[i])
end
end
end`,
`end
local entryTtlMs = string.match(waiting, '^%d+')`,
`if call('PTTL', queueKey) < 1.25 * entryTtlMs then`,
`call('PEXPIRE', queueKey, 2 * entryTtlMs)
keepFor(waitersKey, 2 * entryTtlMs)
end`,
`local busy = string.format('%d %s %d %s', ttlMs, nowText, position, holder)
return noticeError == '' and busy or { 0, busy, noticeError }`,
`end
call('HDEL', waitersKey, owner)
end
local newHolder, newLeaseMs = owner, leaseMs`,
`if isBeyond then
return { -4, fenceKey, lastToken }
end
return token`,
`local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local inbox = ARGV[2]
local tokenFloor = ARGV[3]`,
`if holder ~= owner then
return 0
end
call('DEL', lockKey)
local revoked = redis.pcall('PUBLISH', inbox, 'revoked ' .. owner .. ' ' .. lockKey)
local granted, noticeError, before = nil, '', nil
local first = call('LPOP', queueKey)`,
`if noticeError == '' and type(revoked) == 'table' then
noticeError = revoked.err
end
local mine = true`,
`local code = mine and 1 or 0
return noticeError == '' and code or { code, noticeError }`,
`local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local maxEntries = tonumber(ARGV[1])`,
`local token = tonumber(call('GET', fenceKey) or '0')
local reply = { ttlMs, holder, tonumber(call('HGET', lockKey, holder) or '0'), token, call('LLEN', queueKey) }
for _, waiter in ipairs(maxEntries > 0 and call('LRANGE', queueKey, 0, maxEntries - 1) or {}) do`,
`local remainingMs = state == 'alive' and aliveForMs - (nowText - aliveSinceUs) / 1000 or 0
reply[#reply + 1] = waiter
reply[#reply + 1] = math.ceil(remainingMs)
end
return reply`,
`local function replace(command, key, ...)
local reply = redis.pcall(command, key, ...)
if type(reply) == 'table' then
redis.call(command == 'ZADD' and 'ZREM' or 'HDEL', key, '')
reply = redis.call(command, key, ...)
end
return reply
end`,
`local replies = {}
local outlooks = {}
for i = 1, #KEYS / 3 do
local lockKey, queueKey, waitersKey = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
local owner = ARGV[2 * i - 1]
local entryTtlMs = ARGV[2 * i]
local outlook = outlooks[lockKey]
if not outlook then
local ttlMs, holder = call('PTTL', lockKey), nil
if ttlMs >= 0 then`,
`end
outlook = { ttlMs = ttlMs, holder = holder }
outlooks[lockKey] = outlook
end
local ttlMs, holder = outlook.ttlMs, outlook.holder
local code, said = 0, ttlMs
local waiter = owner`,
`if state == 'alive' and call('PTTL', queueKey) ~= -2 then
local leaseAndInbox = entryLeaseMs .. ' ' .. inboxIsChecked .. ' ' .. entryProof .. ' ' .. entryInbox
replace('HSET', waitersKey, owner, nowText .. ' ' .. entryTtlMs .. ' ' .. leaseAndInbox)`,
`code = 1
if holder then`,
`local rank = not outlook.isBeyond and call('LPOS', queueKey, owner, 'MAXLEN', '100')
outlook.isBeyond = not rank
said = string.format('%d %s %d %s', ttlMs, nowText, rank and rank + 1 or 0, holder)`,
`end
elseif ttlMs ~= -2 and type(redis.pcall('HGET', lockKey, owner)) == 'string' then
code = 2
end
replies[2 * i - 1] = code
replies[2 * i] = said
end
return replies`,
`local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local tokenFloor = ARGV[2]
local tombstoneMs = ARGV[3]
local mine = redis.pcall('HDEL', lockKey, owner) == 1
local first = mine and call('LPOP', queueKey)
if mine and not first and not tombstoneMs then
return 1
end`,
`if not mine or tombstoneMs then`,
`do
local waiter = owner`,
`if state ~= 'tombstone' and call('HDEL', waitersKey, owner) == 1 then
call('LREM', queueKey, 1, owner)
end
end
if tombstoneMs then`,
`local sample = call('HRANDFIELD', waitersKey, 8, 'WITHVALUES')
for i = 1, #sample, 2 do
local untilMs = string.match(sample[i + 1], '^gone (%d+)$')
if untilMs and tonumber(untilMs) <= nowMs then
call('HDEL', waitersKey, sample[i])
end
end
call('HSET', waitersKey, owner, string.format('gone %.0f', nowMs + tombstoneMs))
keepFor(waitersKey, tonumber(tombstoneMs))`,
`end
if not mine then`,
`first = ttlMs == -2 and call('LPOP', queueKey)
end
local granted, noticeError, before = nil, '', nil`,
`local replies = {}
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
return replies`,
`local lockKey = KEYS[1]
local owner = ARGV[1]
local count = ARGV[2]
local leaseMs = ARGV[3]`,
`if holder ~= owner then
return 0
end`,
`replace('HSET', lockKey, owner, count)
if ttlMs < tonumber(leaseMs) then
call('PEXPIRE', lockKey, leaseMs)
end
return 1`,
`local mode = ARGV[1]
local leaseMs = ARGV[2]
local owners = {}
for i = 1, #KEYS / 4 do
owners[i] = ARGV[2 * i + 1]
end`,
`local mine, seen, deaf = {}, {}, {}
local function guard(lockKey)`,
`return nil, ttlMs, holder
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
else`,
`if holder ~= '' then
busy = string.format('%d %d %s 0 %s', i, ttlMs, nowText, holder)
end
local rank, waiter = 0, not busy and call('LRANGE', queueKey, 0, 0)[1]
while waiter do`,
`if state == 'alive' and inboxIsChecked == '1' and deaf[entryInbox] == nil then`,
`deaf[entryInbox] = not isSubscribed
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
end`,
`keepFor(fenceKey, math.max(60000, 2 * leaseMs))
else
local newLeaseMs = leaseMs`,
`if isBeyond then
return { -4, fenceKey, lastToken, i }
end
knownToken = token
end
reply[#reply + 1] = knownToken
end
for i = 1, enterable do
local lockKey = KEYS[4 * i - 3]
if mine[i] then`,
`keepFor(lockKey, tonumber(leaseMs))
else
call('HSET', lockKey, owners[i], '1')
call('PEXPIRE', lockKey, leaseMs)
end
end
return reply`,
`local mainKey, endsKey, queueKey, waitersKey, fenceKey, sizeKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local owner = ARGV[1]
local want = ARGV[2]
local leaseMs = ARGV[3]
local tokenFloor = ARGV[4]
local ownSize = ARGV[6]`,
`local nowMsText = string.sub(nowText, 1, -4)
local nowMs = nowMsText + 0`,
`local existing = call('EXISTS', mainKey, endsKey, waitersKey, sizeKey, sizeKey)
if existing == 0 and want - ownSize <= 0 then
local newLeaseMs = leaseMs`,
`if isBeyond then
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
local noticeError, blockedTtlMs = '', nil`,
`local held = redis.pcall('HMGET', mainKey, 'used', owner)
used = not held.err and tonumber(held[1] or 0)
if not used or not held[1] and call('EXISTS', mainKey) == 1 then
local foreign = redis.pcall('TYPE', mainKey).ok or 'value of another type'
return { -3, foreign == 'hash' and 'hash with other content' or foreign }
end`,
`hold = held[2]`,
`local firstHold = call('ZRANGE', endsKey, '0', '0', 'WITHSCORES')
firstOwner, firstEndMs = firstHold[1] or '', held[1] and (firstHold[2] or 0) + 0 or 0`,
`local besideHolds = existing - (held[1] and 1 or 0) - (firstOwner ~= '' and 1 or 0)
local isQuiet = besideHolds == 0
local override = besideHolds > 1 and string.match(call('GET', sizeKey), '^%d+')
if not hold and waiting ~= '' and firstEndMs > nowMs and used + want - (override or ownSize) > 0 then`,
`local entryTtlMs = string.match(waiting, '^%d+')
local newEntry = string.format('%d', nowMs + entryTtlMs) .. string.sub(waiting, #entryTtlMs + 1)`,
`if call('HSETNX', waitersKey, owner, newEntry) == 1 then
local position, rank = call('RPUSH', queueKey, owner), nil`,
`if position == 1 and not rank then`,
`local holder = firstOwner`,
`local ttlMs = firstOwner ~= '' and firstEndMs - nowMs or 60000
if blockedTtlMs then
ttlMs = math.min(ttlMs, blockedTtlMs)
end
if override then
ttlMs = math.min(ttlMs, math.max(call('PTTL', sizeKey), 1))
end`,
`end
end
local ownEntry = not isQuiet and call('HGET', waitersKey, owner)
local tombstone = string.match(ownEntry or '', '^gone (%d+)$')
if tombstone and tonumber(tombstone) > nowMs then
return { -2 }
end
if firstEndMs <= nowMs and (held[1] or firstOwner ~= '') then`,
`local ended = call('ZRANGEBYSCORE', endsKey, '-inf', nowMs)
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
end`,
`end
if hold then
local permits, heldToken = string.match(hold, '^(%d+) (%d+)$')
if tonumber(permits) < tonumber(want) then
return { -1 }
end`,
`local keepMs = tonumber(leaseMs)
call('HSET', mainKey, owner, hold)
call('ZADD', endsKey, 'GT', string.format('%d', nowMs + keepMs), owner)
local wasFree = false`,
`if wasFree or call('PTTL', mainKey) < 1.25 * keepMs then
local untilMs = string.format('%d', nowMs + 2 * keepMs)
call('PEXPIREAT', mainKey, untilMs)
call('PEXPIREAT', endsKey, untilMs)
end`,
`keepFor(fenceKey, math.max(60000, 2 * keepMs))
return heldToken
end
local hasEntry = ownEntry and not tombstone
if hasEntry or used + want - (override or ownSize) <= 0 then
if hasEntry and waiting ~= '' then`,
`call('HSET', waitersKey, owner, newEntry)
end
local granted, before, requester = nil, nil, owner
local first = not isQuiet and call('LINDEX', queueKey, '0')`,
`local usedBefore = used
local walked, ahead = 0, nil
local newHolder, newPermits, newLeaseMs, newProof, newInbox, entrants
local subscriptions, kept
local isFull, wasMet, hasEntered, blocker, blockedUntilMs = false, false, false, nil, nil
local waiter = override ~= '0' and first
while waiter and waiter ~= before and not granted do`,
`local state = 'none'
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
end`,
`if state == 'alive' then
local isRequester = waiter == requester
wasMet = wasMet or isRequester
local permits, room = entryWant + 0, (override or entrySize) + 0
local mayEnter = permits <= room
if mayEnter and inboxIsChecked == '1' and not isRequester then
subscriptions = subscriptions or {}
mayEnter = subscriptions[entryInbox]
if mayEnter == nil then`,
`mayEnter = isSubscribed
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
end`,
`used = used + permits
if not newHolder then
newHolder, newPermits, newLeaseMs, newProof, newInbox = waiter, entryWant, entryLeaseMs, entryProof, entryInbox
else
entrants = entrants or { newHolder, newPermits, newLeaseMs, newProof, newInbox }
local last = #entrants
entrants[last + 1], entrants[last + 2] = waiter, entryWant
entrants[last + 3], entrants[last + 4], entrants[last + 5] = entryLeaseMs, entryProof, entryInbox
end`,
`isFull = used >= room
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
local entryWant, entryLeaseMs, entryProof, entryInbox = want, leaseMs, '', ''`,
`hasEntered = true
end
end
if newHolder then
for i = 3, entrants and #entrants or 0, 5 do
newLeaseMs = math.max(newLeaseMs, entrants[i])
end
call = redis.pcall`,
`call = redis.call
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
local keepMs = newLeaseMs`,
`for _, noticedInbox in ipairs(inboxes) do
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
local keepMs = newLeaseMs`,
`if newInbox ~= '' then
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
end`,
`if granted then
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
if waiting ~= '' then`,
`local rank = nil
if hasEntry then
rank = call('LPOS', queueKey, owner)
else
call('HSET', waitersKey, owner, newEntry)
end
position = rank and rank + 1 or call('RPUSH', queueKey, owner)`,
`local mainKey, endsKey, queueKey, waitersKey, fenceKey, sizeKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local owner = ARGV[1]
local inbox = ARGV[2]
local tokenFloor = ARGV[3]`,
`local used, hold, firstOwner, firstEndMs`,
`if firstEndMs <= nowMs and (held[1] or firstOwner ~= '') then`,
`if not hold then
return 0
end
local first = call('LINDEX', queueKey, '0')`,
`local override = call('GET', sizeKey)
override = override and string.match(override, '^%d+')`,
`used = used - string.match(hold, '^%d+')
call('HDEL', mainKey, owner)
call('ZREM', endsKey, owner)
if used > 0 then
call('HSET', mainKey, 'used', used)
else
call('DEL', mainKey, endsKey)
end
local revoked = redis.pcall('PUBLISH', inbox, 'revoked ' .. owner .. ' ' .. mainKey)
local granted, noticeError, before = nil, '', nil
local requester, want, leaseMs, ownSize = '', nil, nil, nil`,
`local mainKey, endsKey, queueKey, waitersKey, fenceKey, sizeKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local maxEntries = tonumber(ARGV[1])`,
`local owner, used = '', 0`,
`local size, version = string.match(call('GET', sizeKey) or '', '^(%d+) (%d+) ')
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
for _, waiter in ipairs(maxEntries > 0 and call('LRANGE', queueKey, 0, maxEntries - 1) or {}) do`,
`local remainingMs = state == 'alive' and aliveUntilMs - nowMs or 0
reply[#reply + 1] = waiter
reply[#reply + 1] = tonumber(entryWant or 0)
reply[#reply + 1] = remainingMs
end
return reply`,
`local replies = {}
local aliveUntil, lastTtlMs
local outlooks = {}
for i = 1, #KEYS / 5 do
local mainKey, endsKey, queueKey = KEYS[5 * i - 4], KEYS[5 * i - 3], KEYS[5 * i - 2]
local waitersKey, sizeKey = KEYS[5 * i - 1], KEYS[5 * i]
local owner = ARGV[2 * i - 1]
local entryTtlMs = ARGV[2 * i]
local code = 0
do
local waiter = owner`,
`if state == 'alive' and call('PTTL', queueKey) ~= -2 then
local wantsAndInbox = entryWant .. ' ' .. entrySize .. ' ' .. entryProof .. ' ' .. entryInbox
if entryTtlMs ~= lastTtlMs then
lastTtlMs = entryTtlMs
aliveUntil = string.format('%d', nowMs + entryTtlMs)
end
local grant = entryLeaseMs .. ' ' .. inboxIsChecked
replace('HSET', waitersKey, owner, aliveUntil .. ' ' .. grant .. ' ' .. wantsAndInbox)`,
`code = 1
elseif type(redis.pcall('HGET', mainKey, owner)) == 'string' then
local endMs = call('ZSCORE', endsKey, owner)
code = endMs and tonumber(endMs) > nowMs and 2 or 0
end
end
local outlook = outlooks[mainKey]
if not outlook then
local sum = redis.pcall('HGET', mainKey, 'used')
local firstHold = call('ZRANGE', endsKey, 0, 0, 'WITHSCORES')
local used = tonumber(type(sum) == 'string' and sum or 0)`,
`local ttlMs = 60000
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
end`,
`local permits, room = tonumber(entryWant or 0), tonumber(override or entrySize or 0)
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
if code == 1 and ttlMs ~= -2 then`,
`end
replies[2 * i - 1] = code
replies[2 * i] = said
end
return replies`,
`local mainKey, endsKey, queueKey, waitersKey, fenceKey, sizeKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
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
end`,
`if isLeaving and (not mine or tombstoneMs) then
do
local waiter = owner`,
`end
end
local staysInUse = mine and used > 0
if not mine then`,
`elseif not staysInUse then
call('DEL', mainKey, endsKey)
elseif call('ZREM', endsKey, owner) == 0 or call('ZCOUNT', endsKey, '-inf', nowMsText) > 0 then
call('HDEL', mainKey, owner)
call('HSET', mainKey, 'used', used)
local held = known`,
`end
if not isLeaving and hold then
mine = true
local permits, heldToken = string.match(hold, '^(%d+) (%d+)$')
if tonumber(left) < tonumber(permits) then
used = used - permits + left`,
`replace('HSET', mainKey, 'used', string.format('%d', used), owner, left .. ' ' .. heldToken)
end
end
first = first or call('LINDEX', queueKey, '0')
local granted, noticeError, before = nil, '', nil
local requester, want, leaseMs, ownSize = '', nil, nil, nil`,
`if staysInUse then
call('HDEL', mainKey, owner)
if used > 0 and not newHolder then
call('HSET', mainKey, 'used', string.format('%d', used))
end
end`,
`local replies = {}
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
local wasFree = false`,
`end
replies[i] = isLive and 1 or 0
end
end
return replies`,
`local mainKey, endsKey, queueKey, waitersKey, fenceKey, sizeKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local newSize = ARGV[1]
local sizeMs = ARGV[2]
local seen = ARGV[3]
local id = ARGV[4]
local tokenFloor = ARGV[5]`,
`local owner, used, hold, firstOwner, firstEndMs = '', 0, false, '', 0`,
`local size, version, lastId = string.match(call('GET', sizeKey) or '0 0 ', '^(%d+) (%d+) (.*)$')
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
local requester, want, leaseMs, ownSize = '', nil, nil, nil`,
`local reply = { 1, version, tonumber(newSize) }
if noticeError ~= '' then
reply[4] = noticeError
end
return reply`,
]

export const scripts: Readonly<Record<ScriptName, Script>> = {
  clientIdentify: new Script('clientIdentify', 'client', '7cb745dbdcde9eec419bfe50450da411351bf83b', pieces, [0]),
  clientPermissions: new Script('clientPermissions', 'client', 'afde5395c9925051a6a32c44dd262bf547ac746f', pieces, [1]),
  clientRaiseFence: new Script('clientRaiseFence', 'client', '3cdbd31176381f0d1ce992411e9dc3035718d6cf', pieces, [2, 3, 4, 5]),
  clientRegister: new Script('clientRegister', 'client', '1490fd536d38b6895f34e69fe54276192547f7c6', pieces, [6]),
  clientTell: new Script('clientTell', 'client', '2680079e54339f1d8ae092a7329696a71ffcaa1c', pieces, [7]),
  latchCountDown: new Script('latchCountDown', 'latch', '6bf25efd770b94e89c08073390b6d80d7e572020', pieces, [2, 8, 9, 10, 11, 12, 13, 14, 15]),
  latchDelete: new Script('latchDelete', 'latch', '121ecc42c81252acd92856a25b154c17306227f1', pieces, [2, 16, 9, 17, 13, 18, 15]),
  latchInspect: new Script('latchInspect', 'latch', '471d6012d53638585e6f38648de379bb0908e573', pieces, [2, 4, 19, 20, 9, 21]),
  latchSet: new Script('latchSet', 'latch', '288dec34bc1cc3265677cf07c88c0c9e8a76e5fc', pieces, [2, 22, 9, 23, 4, 24, 15]),
  latchWait: new Script('latchWait', 'latch', '620eb9bd4f17be9a986f653a348c29768f381e4c', pieces, [2, 4, 19, 25, 9, 26, 11, 27]),
  lockAcquire: new Script('lockAcquire', 'lock', 'f9919201d08fe7265f4c88eb2686fef69298a9db', pieces, [2, 28, 4, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 36, 45, 46, 47, 48, 38, 49, 38, 50, 51, 52, 53, 34, 54, 18, 55, 56, 36, 45, 57]),
  lockForce: new Script('lockForce', 'lock', '47eb00203f88017882c8f75ab685285e43846f50', pieces, [2, 58, 4, 30, 31, 32, 59, 40, 41, 42, 43, 44, 36, 45, 46, 60, 61]),
  lockInspect: new Script('lockInspect', 'lock', 'b576f50477cbef1c72764bb4e5137ea29fcdf526', pieces, [2, 62, 4, 30, 31, 32, 63, 41, 64]),
  lockRefresh: new Script('lockRefresh', 'lock', '188d1b284ec8a76ebd861453ee9bf7b5c760c0fc', pieces, [2, 4, 65, 66, 31, 67, 41, 68, 53, 34, 54, 69, 70, 71]),
  lockRelease: new Script('lockRelease', 'lock', '927e9c70e23452c38f523e4482b637630e42af53', pieces, [2, 72, 4, 73, 19, 74, 41, 75, 34, 76, 18, 77, 30, 31, 32, 78, 40, 41, 42, 43, 44, 36, 45, 46, 61]),
  lockRenew: new Script('lockRenew', 'lock', '336d8326296a194d76ad1d884ff7d8e8d940e808', pieces, [2, 79]),
  lockSetCount: new Script('lockSetCount', 'lock', '049bb6435ec2fd35213719c6c4c6c35307644111', pieces, [2, 80, 30, 31, 32, 81, 65, 82]),
  multiAcquire: new Script('multiAcquire', 'multi', 'e84826ccc7124f6ca7d645073aa47a2d0b54bb32', pieces, [2, 83, 4, 84, 30, 31, 32, 85, 38, 86, 41, 87, 43, 88, 34, 89, 36, 90, 34, 91]),
  sharedAcquire: new Script('sharedAcquire', 'shared', 'a46c1677bc8b6b80e0deecd6ddeb0f14204d9419', pieces, [2, 92, 4, 93, 94, 36, 95, 96, 97, 98, 99, 100, 101, 102, 51, 18, 53, 34, 54, 103, 104, 55, 105, 106, 107, 34, 108, 109, 110, 100, 111, 112, 113, 114, 43, 115, 116, 117, 116, 118, 36, 119, 109, 120, 109, 121, 122, 100, 123, 102, 51, 18, 53, 34, 54, 18, 104, 103, 55]),
  sharedForce: new Script('sharedForce', 'shared', '27cf6f11f7f00738b8efa23d13145566541e5a44', pieces, [2, 124, 4, 93, 125, 96, 97, 98, 126, 106, 18, 127, 128, 129, 112, 113, 114, 43, 115, 116, 117, 116, 118, 36, 119, 109, 120, 109, 121, 60, 61]),
  sharedInspect: new Script('sharedInspect', 'shared', '8e3c75ab145b793942e421af4e1027c538600665', pieces, [2, 130, 4, 93, 131, 96, 132, 113, 133]),
  sharedRefresh: new Script('sharedRefresh', 'shared', '7d3d9005d30c86223bd4e22100d109e7a6b18e3b', pieces, [2, 4, 65, 93, 134, 113, 135, 53, 34, 54, 136, 128, 137, 113, 138, 70, 139]),
  sharedRelease: new Script('sharedRelease', 'shared', 'c34652c173f50543dcf2d2bbf7d7fcde5d794631', pieces, [2, 140, 4, 93, 128, 141, 113, 75, 34, 76, 142, 96, 97, 98, 126, 106, 18, 143, 98, 126, 106, 18, 144, 65, 145, 112, 113, 114, 43, 115, 116, 117, 116, 118, 36, 119, 109, 120, 109, 121, 146, 61]),
  sharedRenew: new Script('sharedRenew', 'shared', '348f4abbba5445c8af1bd07db8d8c126bc7eb9be', pieces, [2, 4, 65, 93, 147, 109, 148]),
  sharedResize: new Script('sharedResize', 'shared', '02f5a10741b8dc8b07a9cf2692f8bb91da46affd', pieces, [2, 149, 4, 93, 150, 96, 97, 98, 126, 106, 18, 151, 112, 113, 114, 43, 115, 116, 117, 116, 118, 36, 119, 109, 120, 109, 121, 152]),
}
