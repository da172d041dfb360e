// DO NOT EDIT: written from lua/ by `pnpm generate`.

/** One Lua script and the SHA-1 by which a server that has seen it knows it. */
export interface Script {
  readonly name: string
  readonly sha1: string
  readonly lua: string
}

export type ScriptName = 'clientIdentify' | 'clientPermissions' | 'clientRaiseFence' | 'clientRegister' | 'clientTell' | 'latchCountDown' | 'latchDelete' | 'latchInspect' | 'latchSet' | 'latchWait' | 'lockAcquire' | 'lockForce' | 'lockInspect' | 'lockRefresh' | 'lockRelease' | 'lockRenew' | 'lockSetCount' | 'multiAcquire' | 'redissonIdentifySharding' | 'redissonLatchCountDown' | 'redissonLatchDelete' | 'redissonLatchInspect' | 'redissonLatchSet' | 'redissonLatchWait' | 'redissonLockAcquire' | 'redissonLockForce' | 'redissonLockRelease' | 'redissonPermitsAcquire' | 'redissonPermitsForce' | 'redissonPermitsInspect' | 'redissonPermitsRefresh' | 'redissonPermitsRelease' | 'redissonPermitsRenew' | 'redissonPermitsResize' | 'redissonReadWriteAcquire' | 'redissonReadWriteForce' | 'redissonReadWriteInspect' | 'redissonReadWriteRefresh' | 'redissonReadWriteRelease' | 'redissonReadWriteRenew' | 'redissonSemaphoreAcquire' | 'redissonSemaphoreForce' | 'redissonSemaphoreInspect' | 'redissonSemaphoreRefresh' | 'redissonSemaphoreRelease' | 'redissonSemaphoreRenew' | 'sharedAcquire' | 'sharedForce' | 'sharedInspect' | 'sharedRefresh' | 'sharedRelease' | 'sharedRenew' | 'sharedResize'

export const scripts: Readonly<Record<ScriptName, Script>> = {
  clientIdentify: {
    name: 'clientIdentify',
    sha1: '7cb745dbdcde9eec419bfe50450da411351bf83b',
    lua: `return redis.call('INFO', 'server') .. redis.call('INFO', 'replication') .. redis.call('INFO', 'memory')`,
  },
  clientPermissions: {
    name: 'clientPermissions',
    sha1: 'afde5395c9925051a6a32c44dd262bf547ac746f',
    lua: `local triedKey = KEYS[1]
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
  },
  clientRaiseFence: {
    name: 'clientRaiseFence',
    sha1: '3cdbd31176381f0d1ce992411e9dc3035718d6cf',
    lua: `local call = redis.call
local fenceKey = KEYS[1]
local token = ARGV[1]
local keepMs = tonumber(ARGV[2])
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local lastToken = call('GET', fenceKey)
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
  },
  clientRegister: {
    name: 'clientRegister',
    sha1: '74b27a270f1ac288d5089228161d2cfa5ca2d0e9',
    lua: `redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
redis.call('PEXPIRE', KEYS[1], ARGV[1])
local inbox = ARGV[2]
local reply = inbox ~= '' and redis.pcall('PUBLISH', inbox, 'hello')
return { type(reply) == 'table' and reply.err or '' }`,
  },
  clientTell: {
    name: 'clientTell',
    sha1: '2680079e54339f1d8ae092a7329696a71ffcaa1c',
    lua: `local notice = 'told ' .. ARGV[1]
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
  },
  latchCountDown: {
    name: 'latchCountDown',
    sha1: '6bf25efd770b94e89c08073390b6d80d7e572020',
    lua: `local call = redis.call
local latchKey, countedKey, waitersKey = KEYS[1], KEYS[2], KEYS[3]
local named = tonumber(ARGV[1])
local party = ARGV[2]
local ttlMs = call('PTTL', latchKey)
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
end
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
call('PEXPIRE', countedKey, math.max(ttlMs, keepMs) + 60000)
end
end
if ttlMs < 0.99 * keepMs then
call('PEXPIRE', latchKey, keepMs)
call('PEXPIRE', countedKey, keepMs + 60000)
end
end
if happened == 'open' then
opened = generation
call('HSET', latchKey, 'opened', named)
call('DEL', countedKey)
elseif happened then
call('DEL', latchKey, countedKey)
end
if happened then
local notice = string.format('%s %.0f ', happened, generation) .. latchKey
for _, inbox in ipairs(call('ZRANGE', waitersKey, 0, -1)) do
local received = redis.pcall('PUBLISH', inbox, notice)
if type(received) == 'table' then
noticeError = received.err
end
end
call('DEL', waitersKey)
end
if happened == 'gone' then
code, generation, first, opened, left, previous = 0, 0, 1, 0, 0, 0
end
return { code, generation, first, opened, left, previous, noticeError }`,
  },
  latchDelete: {
    name: 'latchDelete',
    sha1: '121ecc42c81252acd92856a25b154c17306227f1',
    lua: `local call = redis.call
local latchKey, countedKey, waitersKey = KEYS[1], KEYS[2], KEYS[3]
local named = tonumber(ARGV[1])
local tombstoneMs = ARGV[2]
local ttlMs = call('PTTL', latchKey)
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
end
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
local notice = string.format('%s %.0f ', happened, generation) .. latchKey
for _, inbox in ipairs(call('ZRANGE', waitersKey, 0, -1)) do
local received = redis.pcall('PUBLISH', inbox, notice)
if type(received) == 'table' then
noticeError = received.err
end
end
call('DEL', waitersKey)
end
return { code, generation, first, opened, left, previous, noticeError }`,
  },
  latchInspect: {
    name: 'latchInspect',
    sha1: '471d6012d53638585e6f38648de379bb0908e573',
    lua: `local call = redis.call
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local nowMs = math.floor(nowText / 1000)
local latchKey, countedKey, waitersKey = KEYS[1], KEYS[2], KEYS[3]
local maxEntries = tonumber(ARGV[1])
local ttlMs = call('PTTL', latchKey)
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
end
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
return { 1, generation, first, opened, left, previous, '', count, ttlMs, waiters, parties, inboxes }`,
  },
  latchSet: {
    name: 'latchSet',
    sha1: '288dec34bc1cc3265677cf07c88c0c9e8a76e5fc',
    lua: `local call = redis.call
local latchKey, countedKey = KEYS[1], KEYS[2]
local named = tonumber(ARGV[1])
local setter = ARGV[2]
local count = ARGV[3]
local keepMs = ARGV[4]
local server = ARGV[5]
local ttlMs = call('PTTL', latchKey)
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
end
if foreign then
return { -3, foreign }
end
local code, noticeError = 0, ''
if fields[8] == setter then
code = 1
elseif generation == named and (generation < first or opened == generation) then
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
code = 1
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
end
return { code, generation, first, opened, left, previous, noticeError }`,
  },
  latchWait: {
    name: 'latchWait',
    sha1: '620eb9bd4f17be9a986f653a348c29768f381e4c',
    lua: `local call = redis.call
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local nowMs = math.floor(nowText / 1000)
local replies = {}
for i = 1, #KEYS / 3 do
local latchKey, countedKey, waitersKey = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
local awaited = tonumber(ARGV[4 * i - 3])
local isBound = ARGV[4 * i - 2]
local aliveMs = tonumber(ARGV[4 * i - 1])
local inbox = ARGV[4 * i]
local ttlMs = call('PTTL', latchKey)
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
end
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
if ttlMs < 0.99 * keepMs then
call('PEXPIRE', latchKey, keepMs)
call('PEXPIRE', countedKey, keepMs + 60000)
end
end
end
replies[2 * i - 1] = code
replies[2 * i] = awaited
end
return replies`,
  },
  lockAcquire: {
    name: 'lockAcquire',
    sha1: 'e87d98f90fa81e86109d3b38aff0e2be7d048a55',
    lua: `local call = redis.call
local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local leaseMs = ARGV[2]
local tokenFloor = ARGV[3]
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
if call('EXISTS', lockKey, waitersKey) > 0 then
local waiting = ARGV[4]
local ttlMs = call('PTTL', lockKey)
local holder = ''
if ttlMs ~= -2 then
holder = redis.pcall('HRANDFIELD', lockKey)
if type(holder) == 'table' then
holder = redis.pcall('HKEYS', lockKey)[1]
end
if ttlMs == -1 or not holder then
return { -3, redis.pcall('TYPE', lockKey).ok or 'value of another type' }
end
end
if holder == owner then
local function keepFor(key, ms)
if call('PTTL', key) < ms then
call('PEXPIRE', key, ms)
end
end
keepFor(lockKey, tonumber(leaseMs))
local knownToken = call('GET', fenceKey)
if knownToken then
if not ((tonumber(knownToken) or nowText + 86400000000) - nowText < 86400000000) then
return { -4, fenceKey, knownToken }
end
keepFor(fenceKey, math.max(60000, 2 * leaseMs))
return knownToken
end
local newLeaseMs = leaseMs
local lifeMs = 2 * newLeaseMs > 60000 and 2 * newLeaseMs or '60000'
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
end
if isBeyond then
return { -4, fenceKey, lastToken }
end
return token
end
local granted, noticeError = nil, ''
local isFree = ttlMs == -2
if isFree then
do
local goneUntilMs = string.match(call('HGET', waitersKey, owner) or '', '^gone (%d+)$')
if goneUntilMs and 1000 * goneUntilMs > tonumber(nowText) then
return { -2 }
end
end
local first, before = call('LPOP', queueKey), owner
local waiter, skipped, lacksToken = first, nil, nil
while waiter and waiter ~= before and not granted do
local state = 'none'
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
end
if state == 'alive' then
local mayGrant = not (skipped and skipped[entryInbox])
if mayGrant and inboxIsChecked == '1' and redis.pcall('PUBSUB', 'NUMPAT') ~= 0 then
local reply = redis.pcall('PUBSUB', 'NUMSUB', entryInbox)
local isSubscribed = reply.err ~= nil or reply[2] > 0
mayGrant = isSubscribed
end
if mayGrant then
local newHolder, newLeaseMs = waiter, entryLeaseMs
local lifeMs = 2 * newLeaseMs > 60000 and 2 * newLeaseMs or '60000'
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
end
if not isBeyond then
call('HSET', lockKey, newHolder, '1')
call('PEXPIRE', lockKey, newLeaseMs)
end
if isBeyond then
lacksToken = lastToken
noticeError = 'nobody was granted the lock: no token can follow ' .. lastToken .. ' in ' .. fenceKey
else
local notice = 'granted ' .. newHolder .. ' ' .. entryProof .. ' ' .. token .. ' ' .. nowText .. ' ' .. newLeaseMs .. ' ' .. lockKey
local received = redis.pcall('PUBLISH', entryInbox, notice)
if received == 0 and inboxIsChecked == '1' then
call('DEL', lockKey)
else
call('HDEL', waitersKey, waiter)
noticeError = type(received) == 'table' and received.err or ''
granted = newHolder
end
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
end
if lacksToken then
return { -4, fenceKey, lacksToken }
end
if granted then
holder = granted
ttlMs = call('PTTL', lockKey)
isFree = false
end
end
if not isFree then
local position = 0
if waiting == '' then
do
local goneUntilMs = string.match(call('HGET', waitersKey, owner) or '', '^gone (%d+)$')
if goneUntilMs and 1000 * goneUntilMs > tonumber(nowText) then
return { -2 }
end
end
else
local newEntry = nowText .. ' ' .. waiting
local rank = nil
if call('HSETNX', waitersKey, owner, newEntry) == 0 then
do
local goneUntilMs = string.match(call('HGET', waitersKey, owner) or '', '^gone (%d+)$')
if goneUntilMs and 1000 * goneUntilMs > tonumber(nowText) then
return { -2 }
end
end
call('HSET', waitersKey, owner, newEntry)
rank = call('LPOS', queueKey, owner)
end
position = rank and rank + 1 or call('RPUSH', queueKey, owner)
if position == 1 and not rank then
if call('HLEN', waitersKey) > 1 then
local fields = call('HGETALL', waitersKey)
for i = 1, #fields, 2 do
if fields[i] ~= owner and string.sub(fields[i + 1], 1, 5) ~= 'gone ' then
call('HDEL', waitersKey, fields[i])
end
end
end
end
local entryTtlMs = string.match(waiting, '^%d+')
if call('PTTL', queueKey) < 1.25 * entryTtlMs then
local function keepFor(key, ms)
if call('PTTL', key) < ms then
call('PEXPIRE', key, ms)
end
end
call('PEXPIRE', queueKey, 2 * entryTtlMs)
keepFor(waitersKey, 2 * entryTtlMs)
end
end
local busy = string.format('%d %s %d %s', ttlMs, nowText, position, holder)
return noticeError == '' and busy or { 0, busy, noticeError }
end
call('HDEL', waitersKey, owner)
end
local newHolder, newLeaseMs = owner, leaseMs
local lifeMs = 2 * newLeaseMs > 60000 and 2 * newLeaseMs or '60000'
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
end
if not isBeyond then
call('HSET', lockKey, newHolder, '1')
call('PEXPIRE', lockKey, newLeaseMs)
end
if isBeyond then
return { -4, fenceKey, lastToken }
end
return token`,
  },
  lockForce: {
    name: 'lockForce',
    sha1: '081c8ea6c8f77fbd173dfc0f65076ab12d164b78',
    lua: `local call = redis.call
local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local inbox = ARGV[2]
local tokenFloor = ARGV[3]
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local ttlMs = call('PTTL', lockKey)
local holder = ''
if ttlMs ~= -2 then
holder = redis.pcall('HRANDFIELD', lockKey)
if type(holder) == 'table' then
holder = redis.pcall('HKEYS', lockKey)[1]
end
if ttlMs == -1 or not holder then
return { -3, redis.pcall('TYPE', lockKey).ok or 'value of another type' }
end
end
if holder ~= owner then
return 0
end
call('DEL', lockKey)
local revoked = redis.pcall('PUBLISH', inbox, 'revoked ' .. owner .. ' ' .. lockKey)
local granted, noticeError, before = nil, '', nil
local first = call('LPOP', queueKey)
local waiter, skipped, lacksToken = first, nil, nil
while waiter and waiter ~= before and not granted do
local state = 'none'
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
end
if state == 'alive' then
local mayGrant = not (skipped and skipped[entryInbox])
if mayGrant and inboxIsChecked == '1' and redis.pcall('PUBSUB', 'NUMPAT') ~= 0 then
local reply = redis.pcall('PUBSUB', 'NUMSUB', entryInbox)
local isSubscribed = reply.err ~= nil or reply[2] > 0
mayGrant = isSubscribed
end
if mayGrant then
local newHolder, newLeaseMs = waiter, entryLeaseMs
local lifeMs = 2 * newLeaseMs > 60000 and 2 * newLeaseMs or '60000'
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
end
if not isBeyond then
call('HSET', lockKey, newHolder, '1')
call('PEXPIRE', lockKey, newLeaseMs)
end
if isBeyond then
lacksToken = lastToken
noticeError = 'nobody was granted the lock: no token can follow ' .. lastToken .. ' in ' .. fenceKey
else
local notice = 'granted ' .. newHolder .. ' ' .. entryProof .. ' ' .. token .. ' ' .. nowText .. ' ' .. newLeaseMs .. ' ' .. lockKey
local received = redis.pcall('PUBLISH', entryInbox, notice)
if received == 0 and inboxIsChecked == '1' then
call('DEL', lockKey)
else
call('HDEL', waitersKey, waiter)
noticeError = type(received) == 'table' and received.err or ''
granted = newHolder
end
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
end
if noticeError == '' and type(revoked) == 'table' then
noticeError = revoked.err
end
local mine = true
local code = mine and 1 or 0
return noticeError == '' and code or { code, noticeError }`,
  },
  lockInspect: {
    name: 'lockInspect',
    sha1: 'b576f50477cbef1c72764bb4e5137ea29fcdf526',
    lua: `local call = redis.call
local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local maxEntries = tonumber(ARGV[1])
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local ttlMs = call('PTTL', lockKey)
local holder = ''
if ttlMs ~= -2 then
holder = redis.pcall('HRANDFIELD', lockKey)
if type(holder) == 'table' then
holder = redis.pcall('HKEYS', lockKey)[1]
end
if ttlMs == -1 or not holder then
return { -3, redis.pcall('TYPE', lockKey).ok or 'value of another type' }
end
end
local token = tonumber(call('GET', fenceKey) or '0')
local reply = { ttlMs, holder, tonumber(call('HGET', lockKey, holder) or '0'), token, call('LLEN', queueKey) }
for _, waiter in ipairs(maxEntries > 0 and call('LRANGE', queueKey, 0, maxEntries - 1) or {}) do
local state = 'none'
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
end
local remainingMs = state == 'alive' and aliveForMs - (nowText - aliveSinceUs) / 1000 or 0
reply[#reply + 1] = waiter
reply[#reply + 1] = math.ceil(remainingMs)
end
return reply`,
  },
  lockRefresh: {
    name: 'lockRefresh',
    sha1: 'acd3d1211c1f25827830db9702cba651e577f236',
    lua: `local call = redis.call
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local replies = {}
local outlooks = {}
for i = 1, #KEYS / 3 do
local lockKey, queueKey, waitersKey = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
local owner = ARGV[2 * i - 1]
local entryTtlMs = ARGV[2 * i]
local outlook = outlooks[lockKey]
if not outlook then
local ttlMs, holder = call('PTTL', lockKey), nil
if ttlMs >= 0 then
holder = redis.pcall('HRANDFIELD', lockKey)
if type(holder) == 'table' then
holder = redis.pcall('HKEYS', lockKey)[1]
end
end
outlook = { ttlMs = ttlMs, holder = holder }
outlooks[lockKey] = outlook
end
local ttlMs, holder = outlook.ttlMs, outlook.holder
local code, said = 0, ttlMs
local waiter = owner
local state = 'none'
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
end
if state == 'alive' and call('PTTL', queueKey) ~= -2 then
local leaseAndInbox = entryLeaseMs .. ' ' .. inboxIsChecked .. ' ' .. entryProof .. ' ' .. entryInbox
call('HSET', waitersKey, owner, nowText .. ' ' .. entryTtlMs .. ' ' .. leaseAndInbox)
if call('PTTL', queueKey) < 1.25 * entryTtlMs then
local function keepFor(key, ms)
if call('PTTL', key) < ms then
call('PEXPIRE', key, ms)
end
end
call('PEXPIRE', queueKey, 2 * entryTtlMs)
keepFor(waitersKey, 2 * entryTtlMs)
end
code = 1
if holder then
local rank = not outlook.isBeyond and call('LPOS', queueKey, owner, 'MAXLEN', '100')
outlook.isBeyond = not rank
said = string.format('%d %s %d %s', ttlMs, nowText, rank and rank + 1 or 0, holder)
end
elseif ttlMs ~= -2 and type(redis.pcall('HGET', lockKey, owner)) == 'string' then
code = 2
end
replies[2 * i - 1] = code
replies[2 * i] = said
end
return replies`,
  },
  lockRelease: {
    name: 'lockRelease',
    sha1: '4770a4db1f9f88419d0e24d8edf2fdea7dccbbf6',
    lua: `local call = redis.call
local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local tokenFloor = ARGV[2]
local tombstoneMs = ARGV[3]
local mine = redis.pcall('HDEL', lockKey, owner) == 1
local first = mine and call('LPOP', queueKey)
if mine and not first and not tombstoneMs then
return 1
end
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
if not mine or tombstoneMs then
local nowMs = math.floor(nowText / 1000)
do
local waiter = owner
local state = 'none'
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
end
if state ~= 'tombstone' and call('HDEL', waitersKey, owner) == 1 then
call('LREM', queueKey, 1, owner)
end
end
if tombstoneMs then
local function keepFor(key, ms)
if call('PTTL', key) < ms then
call('PEXPIRE', key, ms)
end
end
local sample = call('HRANDFIELD', waitersKey, 8, 'WITHVALUES')
for i = 1, #sample, 2 do
local untilMs = string.match(sample[i + 1], '^gone (%d+)$')
if untilMs and tonumber(untilMs) <= nowMs then
call('HDEL', waitersKey, sample[i])
end
end
call('HSET', waitersKey, owner, string.format('gone %.0f', nowMs + tombstoneMs))
keepFor(waitersKey, tonumber(tombstoneMs))
end
end
if not mine then
local ttlMs = call('PTTL', lockKey)
local holder = ''
if ttlMs ~= -2 then
holder = redis.pcall('HRANDFIELD', lockKey)
if type(holder) == 'table' then
holder = redis.pcall('HKEYS', lockKey)[1]
end
if ttlMs == -1 or not holder then
return { -3, redis.pcall('TYPE', lockKey).ok or 'value of another type' }
end
end
first = ttlMs == -2 and call('LPOP', queueKey)
end
local granted, noticeError, before = nil, '', nil
local waiter, skipped, lacksToken = first, nil, nil
while waiter and waiter ~= before and not granted do
local state = 'none'
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
end
if state == 'alive' then
local mayGrant = not (skipped and skipped[entryInbox])
if mayGrant and inboxIsChecked == '1' and redis.pcall('PUBSUB', 'NUMPAT') ~= 0 then
local reply = redis.pcall('PUBSUB', 'NUMSUB', entryInbox)
local isSubscribed = reply.err ~= nil or reply[2] > 0
mayGrant = isSubscribed
end
if mayGrant then
local newHolder, newLeaseMs = waiter, entryLeaseMs
local lifeMs = 2 * newLeaseMs > 60000 and 2 * newLeaseMs or '60000'
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
end
if not isBeyond then
call('HSET', lockKey, newHolder, '1')
call('PEXPIRE', lockKey, newLeaseMs)
end
if isBeyond then
lacksToken = lastToken
noticeError = 'nobody was granted the lock: no token can follow ' .. lastToken .. ' in ' .. fenceKey
else
local notice = 'granted ' .. newHolder .. ' ' .. entryProof .. ' ' .. token .. ' ' .. nowText .. ' ' .. newLeaseMs .. ' ' .. lockKey
local received = redis.pcall('PUBLISH', entryInbox, notice)
if received == 0 and inboxIsChecked == '1' then
call('DEL', lockKey)
else
call('HDEL', waitersKey, waiter)
noticeError = type(received) == 'table' and received.err or ''
granted = newHolder
end
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
end
local code = mine and 1 or 0
return noticeError == '' and code or { code, noticeError }`,
  },
  lockRenew: {
    name: 'lockRenew',
    sha1: '336d8326296a194d76ad1d884ff7d8e8d940e808',
    lua: `local call = redis.call
local replies = {}
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
  },
  lockSetCount: {
    name: 'lockSetCount',
    sha1: '1f3a67439a28042cba5444435f611094478cafa2',
    lua: `local call = redis.call
local lockKey = KEYS[1]
local owner = ARGV[1]
local count = ARGV[2]
local leaseMs = ARGV[3]
local ttlMs = call('PTTL', lockKey)
local holder = ''
if ttlMs ~= -2 then
holder = redis.pcall('HRANDFIELD', lockKey)
if type(holder) == 'table' then
holder = redis.pcall('HKEYS', lockKey)[1]
end
if ttlMs == -1 or not holder then
return { -3, redis.pcall('TYPE', lockKey).ok or 'value of another type' }
end
end
if holder ~= owner then
return 0
end
call('HSET', lockKey, owner, count)
if ttlMs < tonumber(leaseMs) then
call('PEXPIRE', lockKey, leaseMs)
end
return 1`,
  },
  multiAcquire: {
    name: 'multiAcquire',
    sha1: 'e84826ccc7124f6ca7d645073aa47a2d0b54bb32',
    lua: `local call = redis.call
local mode = ARGV[1]
local leaseMs = ARGV[2]
local owners = {}
for i = 1, #KEYS / 4 do
owners[i] = ARGV[2 * i + 1]
end
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local mine, seen, deaf = {}, {}, {}
local function guard(lockKey)
local ttlMs = call('PTTL', lockKey)
local holder = ''
if ttlMs ~= -2 then
holder = redis.pcall('HRANDFIELD', lockKey)
if type(holder) == 'table' then
holder = redis.pcall('HKEYS', lockKey)[1]
end
if ttlMs == -1 or not holder then
return { -3, redis.pcall('TYPE', lockKey).ok or 'value of another type' }
end
end
return nil, ttlMs, holder
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
else
do
local goneUntilMs = string.match(call('HGET', waitersKey, owner) or '', '^gone (%d+)$')
if goneUntilMs and 1000 * goneUntilMs > tonumber(nowText) then
return { -2 }
end
end
if holder ~= '' then
busy = string.format('%d %d %s 0 %s', i, ttlMs, nowText, holder)
end
local rank, waiter = 0, not busy and call('LRANGE', queueKey, 0, 0)[1]
while waiter do
local state = 'none'
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
end
if state == 'alive' and inboxIsChecked == '1' and deaf[entryInbox] == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', entryInbox)
local isSubscribed = reply.err ~= nil or reply[2] > 0
deaf[entryInbox] = not isSubscribed
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
end
local function keepFor(key, ms)
if call('PTTL', key) < ms then
call('PEXPIRE', key, ms)
end
end
keepFor(fenceKey, math.max(60000, 2 * leaseMs))
else
local newLeaseMs = leaseMs
local lifeMs = 2 * newLeaseMs > 60000 and 2 * newLeaseMs or '60000'
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
end
if isBeyond then
return { -4, fenceKey, lastToken, i }
end
knownToken = token
end
reply[#reply + 1] = knownToken
end
for i = 1, enterable do
local lockKey = KEYS[4 * i - 3]
if mine[i] then
local function keepFor(key, ms)
if call('PTTL', key) < ms then
call('PEXPIRE', key, ms)
end
end
keepFor(lockKey, tonumber(leaseMs))
else
call('HSET', lockKey, owners[i], '1')
call('PEXPIRE', lockKey, leaseMs)
end
end
return reply`,
  },
  redissonIdentifySharding: {
    name: 'redissonIdentifySharding',
    sha1: '64f4c222080c5863c7a9f75acf2c8af93a36ce85',
    lua: `local reply = redis.pcall('PUBSUB', 'SHARDNUMSUB', '0')
return { reply.err and 0 or 1 }`,
  },
  redissonLatchCountDown: {
    name: 'redissonLatchCountDown',
    sha1: '66fdf5cf81cb9c1fcc30af68718752f2667e4cb9',
    lua: `local call = redis.call
local countKey, countedKey = KEYS[1], KEYS[2]
local named = tonumber(ARGV[1])
local party = ARGV[2]
local publish = ARGV[3]
local channel = ARGV[4]
local awaited = 0
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local count = redis.pcall('GET', countKey)
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
local opened = left == 0 and generation or previous
if foreign then
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
call('DEL', countKey)
local kept = call('HMGET', countedKey, 'generation', 'previous', 'count', 'keepMs', 'setter', 'deleted')
call('DEL', countedKey)
call(
'HSET', countedKey, 'generation', kept[1], 'previous', kept[2], 'count', kept[3], 'keepMs', kept[4],
'setter', kept[5] or '', 'deleted', kept[6] or '', 'left', 0
)
opened = generation
happened = '0'
else
call('HSET', countedKey, 'left', left)
end
end
end
local keepMs = call('HGET', countedKey, 'keepMs')
if keepMs then
call('PEXPIRE', countedKey, keepMs)
end
local noticeError = ''
if happened then
local received = redis.pcall(publish, channel, happened)
if type(received) == 'table' then
noticeError = received.err
end
end
return { code, generation, first, opened, left, previous, noticeError }`,
  },
  redissonLatchDelete: {
    name: 'redissonLatchDelete',
    sha1: 'ccb19270d098d8328b19d5ea24f987e7605e1f5d',
    lua: `local call = redis.call
local countKey, countedKey = KEYS[1], KEYS[2]
local named = tonumber(ARGV[1])
local publish = ARGV[2]
local channel = ARGV[3]
local awaited = 0
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local count = redis.pcall('GET', countKey)
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
local opened = left == 0 and generation or previous
if foreign then
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
call('DEL', countKey)
local kept = call('HMGET', countedKey, 'generation', 'previous', 'count', 'keepMs', 'setter', 'deleted')
call('DEL', countedKey)
call(
'HSET', countedKey, 'generation', kept[1], 'previous', kept[2], 'count', kept[3], 'keepMs', kept[4],
'setter', kept[5] or '', 'deleted', kept[6] or '', 'left', 0
)
call('HSET', countedKey, 'deleted', string.format('%.0f', named))
end
local keepMs = call('HGET', countedKey, 'keepMs')
if keepMs then
call('PEXPIRE', countedKey, keepMs)
end
local noticeError = ''
if happened then
local received = redis.pcall(publish, channel, happened)
if type(received) == 'table' then
noticeError = received.err
end
end
return { code, generation, first, opened, left, previous, noticeError }`,
  },
  redissonLatchInspect: {
    name: 'redissonLatchInspect',
    sha1: '2f32913133899d2128838699a41150f75612e104',
    lua: `local call = redis.call
local countKey, countedKey = KEYS[1], KEYS[2]
local maxEntries = tonumber(ARGV[1])
local awaited = 0
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local count = redis.pcall('GET', countKey)
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
local opened = left == 0 and generation or previous
if foreign then
return { -3, foreign }
end
local keepMs = call('HGET', countedKey, 'keepMs')
if keepMs then
call('PEXPIRE', countedKey, keepMs)
end
local parties = {}
for _, party in ipairs(maxEntries > 0 and left > 0 and call('HKEYS', countedKey) or {}) do
if string.find(party, '[:@]') and #parties < maxEntries then
parties[#parties + 1] = party
end
end
local newest = tonumber(call('HGET', countedKey, 'count') or '0')
return { 1, generation, 0, opened, left, previous, '', newest, call('PTTL', countKey), 0, parties, {} }`,
  },
  redissonLatchSet: {
    name: 'redissonLatchSet',
    sha1: '6cdcd4e8b7be96363abd880e934d17cbec6b6327',
    lua: `local call = redis.call
local countKey, countedKey = KEYS[1], KEYS[2]
local named = tonumber(ARGV[1])
local caller = ARGV[2]
local newCount = ARGV[3]
local keepMs = ARGV[4]
local publish = ARGV[5]
local channel = ARGV[6]
local awaited = 0
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local count = redis.pcall('GET', countKey)
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
local opened = left == 0 and generation or previous
if foreign then
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
end
local noticeError = ''
if happened then
local received = redis.pcall(publish, channel, happened)
if type(received) == 'table' then
noticeError = received.err
end
end
return { code, generation, first, opened, left, previous, noticeError }`,
  },
  redissonLatchWait: {
    name: 'redissonLatchWait',
    sha1: '5962998f783a734bbd1aae3598613820cb6599f3',
    lua: `local call = redis.call
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local replies = {}
for i = 1, #KEYS / 2 do
local countKey, countedKey = KEYS[2 * i - 1], KEYS[2 * i]
local awaited = tonumber(ARGV[i])
local count = redis.pcall('GET', countKey)
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
local opened = left == 0 and generation or previous
local keepMs = call('HGET', countedKey, 'keepMs')
if keepMs then
call('PEXPIRE', countedKey, keepMs)
end
local code = 2
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
return replies`,
  },
  redissonLockAcquire: {
    name: 'redissonLockAcquire',
    sha1: '930942575f3fdb6e6b7b81b6680e16c9bbcf8f66',
    lua: `local call = redis.call
local lockKey, queueKey, waitersKey, tokenKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local count = tonumber(ARGV[2])
local leaseMs = tonumber(ARGV[3])
local waiting = ARGV[4]
local wantsToken = ARGV[5] == '1'
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local ttlMs = call('PTTL', lockKey)
local holder = ''
if ttlMs ~= -2 then
holder = redis.pcall('HRANDFIELD', lockKey)
if type(holder) == 'table' then
holder = redis.pcall('HKEYS', lockKey)[1]
end
if ttlMs == -1 or not holder then
return { -3, redis.pcall('TYPE', lockKey).ok or 'value of another type' }
end
end
local nowMs = math.floor(nowText / 1000)
local turnMs = 100
local headStartMs = 5
local headStartEvery = 4
local function readEntry(waiter)
local state = 'none'
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
end
return state, entryInbox, inboxIsChecked
end
local function dropEntry(waiter)
call('HDEL', waitersKey, waiter)
call('LREM', queueKey, 1, waiter)
end
local subscribed = {}
local function isSubscribedTo(entryInbox, inboxIsChecked)
if inboxIsChecked == '0' then
return true
elseif subscribed[entryInbox] == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', entryInbox)
local isSubscribed = reply.err ~= nil or reply[2] > 0
subscribed[entryInbox] = isSubscribed
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
end
if holder == owner then
local function keepFor(key, ms)
if call('PTTL', key) < ms then
call('PEXPIRE', key, ms)
end
end
local token = 0
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
end
local position = 0
if waiting == '' then
do
local goneUntilMs = string.match(call('HGET', waitersKey, owner) or '', '^gone (%d+)$')
if goneUntilMs and 1000 * goneUntilMs > tonumber(nowText) then
return { -2 }
end
end
else
local newEntry = nowText .. ' ' .. waiting
local rank = nil
if call('HSETNX', waitersKey, owner, newEntry) == 0 then
do
local goneUntilMs = string.match(call('HGET', waitersKey, owner) or '', '^gone (%d+)$')
if goneUntilMs and 1000 * goneUntilMs > tonumber(nowText) then
return { -2 }
end
end
call('HSET', waitersKey, owner, newEntry)
rank = call('LPOS', queueKey, owner)
end
position = rank and rank + 1 or call('RPUSH', queueKey, owner)
if position == 1 and not rank then
if call('HLEN', waitersKey) > 1 then
local fields = call('HGETALL', waitersKey)
for i = 1, #fields, 2 do
if fields[i] ~= owner and string.sub(fields[i + 1], 1, 5) ~= 'gone ' then
call('HDEL', waitersKey, fields[i])
end
end
end
end
local entryTtlMs = string.match(waiting, '^%d+')
if call('PTTL', queueKey) < 1.25 * entryTtlMs then
local function keepFor(key, ms)
if call('PTTL', key) < ms then
call('PEXPIRE', key, ms)
end
end
call('PEXPIRE', queueKey, 2 * entryTtlMs)
keepFor(waitersKey, 2 * entryTtlMs)
end
end
local busy = string.format('%d %s %d %s', ttlMs, nowText, position, holder)
return noticeError == '' and busy or { 0, busy, noticeError }`,
  },
  redissonLockForce: {
    name: 'redissonLockForce',
    sha1: 'c2b65ef32d7bb3fe58a6a8b2d34e6dd41bcd153f',
    lua: `local call = redis.call
local lockKey, queueKey, waitersKey = KEYS[1], KEYS[2], KEYS[3]
local owner = ARGV[1]
local inbox = ARGV[2]
local publish = ARGV[3]
local channel = ARGV[4]
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local ttlMs = call('PTTL', lockKey)
local holder = ''
if ttlMs ~= -2 then
holder = redis.pcall('HRANDFIELD', lockKey)
if type(holder) == 'table' then
holder = redis.pcall('HKEYS', lockKey)[1]
end
if ttlMs == -1 or not holder then
return { -3, redis.pcall('TYPE', lockKey).ok or 'value of another type' }
end
end
local nowMs = math.floor(nowText / 1000)
local turnMs = 100
local headStartMs = 5
local headStartEvery = 4
local function readEntry(waiter)
local state = 'none'
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
end
return state, entryInbox, inboxIsChecked
end
local function dropEntry(waiter)
call('HDEL', waitersKey, waiter)
call('LREM', queueKey, 1, waiter)
end
local subscribed = {}
local function isSubscribedTo(entryInbox, inboxIsChecked)
if inboxIsChecked == '0' then
return true
elseif subscribed[entryInbox] == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', entryInbox)
local isSubscribed = reply.err ~= nil or reply[2] > 0
subscribed[entryInbox] = isSubscribed
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
end
local function free()
call('DEL', lockKey)
local reply = redis.pcall(publish, channel, '0')
return type(reply) == 'table' and reply.err or ''
end
if holder ~= owner then
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
local mine = true
local code = mine and 1 or 0
return noticeError == '' and code or { code, noticeError }`,
  },
  redissonLockRelease: {
    name: 'redissonLockRelease',
    sha1: 'd96a11d2a06e666cf049d935c76c293725ec6cf9',
    lua: `local call = redis.call
local lockKey, queueKey, waitersKey = KEYS[1], KEYS[2], KEYS[3]
local owner = ARGV[1]
local publish = ARGV[2]
local channel = ARGV[3]
local tombstoneMs = ARGV[4]
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local nowMs = math.floor(nowText / 1000)
local turnMs = 100
local headStartMs = 5
local headStartEvery = 4
local function readEntry(waiter)
local state = 'none'
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
end
return state, entryInbox, inboxIsChecked
end
local function dropEntry(waiter)
call('HDEL', waitersKey, waiter)
call('LREM', queueKey, 1, waiter)
end
local subscribed = {}
local function isSubscribedTo(entryInbox, inboxIsChecked)
if inboxIsChecked == '0' then
return true
elseif subscribed[entryInbox] == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', entryInbox)
local isSubscribed = reply.err ~= nil or reply[2] > 0
subscribed[entryInbox] = isSubscribed
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
end
local function free()
call('DEL', lockKey)
local reply = redis.pcall(publish, channel, '0')
return type(reply) == 'table' and reply.err or ''
end
do
local waiter = owner
local state = 'none'
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
end
if state ~= 'tombstone' and call('HDEL', waitersKey, owner) == 1 then
call('LREM', queueKey, 1, owner)
end
end
if tombstoneMs then
local function keepFor(key, ms)
if call('PTTL', key) < ms then
call('PEXPIRE', key, ms)
end
end
local sample = call('HRANDFIELD', waitersKey, 8, 'WITHVALUES')
for i = 1, #sample, 2 do
local untilMs = string.match(sample[i + 1], '^gone (%d+)$')
if untilMs and tonumber(untilMs) <= nowMs then
call('HDEL', waitersKey, sample[i])
end
end
call('HSET', waitersKey, owner, string.format('gone %.0f', nowMs + tombstoneMs))
keepFor(waitersKey, tonumber(tombstoneMs))
end
local ttlMs = call('PTTL', lockKey)
local holder = ''
if ttlMs ~= -2 then
holder = redis.pcall('HRANDFIELD', lockKey)
if type(holder) == 'table' then
holder = redis.pcall('HKEYS', lockKey)[1]
end
if ttlMs == -1 or not holder then
return { -3, redis.pcall('TYPE', lockKey).ok or 'value of another type' }
end
end
local mine = holder == owner
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
end
local code = mine and 1 or 0
return noticeError == '' and code or { code, noticeError }`,
  },
  redissonPermitsAcquire: {
    name: 'redissonPermitsAcquire',
    sha1: '6d7f636b03c8e56b188e3847e312d5ec26081c95',
    lua: `local call = redis.call
local countKey, holdsKey, endsKey, idsKey, waitersKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local owner = ARGV[1]
local want = tonumber(ARGV[2])
local leaseMs = tonumber(ARGV[3])
local position = tonumber(ARGV[4])
local size = tonumber(ARGV[5])
local publish = ARGV[6]
local channel = ARGV[7]
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local nowMs = math.floor(nowText / 1000)
local count = redis.pcall('GET', countKey)
local free, foreign = nil, nil
if type(count) == 'table' then
foreign = 'value of type ' .. redis.call('TYPE', countKey).ok
elseif count then
free = tonumber(count)
foreign = not free and 'string that is not a number' or nil
end
local idsType = call('TYPE', idsKey).ok
if idsType ~= 'none' and idsType ~= 'zset' then
foreign = 'semaphore whose permits have a ' .. idsType .. ' for their ends'
end
if foreign then
return { -3, foreign }
end
do
local goneUntilMs = string.match(call('HGET', waitersKey, owner) or '', '^gone (%d+)$')
if goneUntilMs and 1000 * goneUntilMs > tonumber(nowText) then
return { -2 }
end
end
local function idsOf(ofOwner, from, to)
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
end
local hasRisen = false
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
end
local permits = tonumber(call('HGET', holdsKey, owner))
if permits and countIds(owner, permits) < permits then
local left = 0
local dropped = dropIds(owner, left + 1, permits)
if free and dropped > 0 then
free = call('INCRBY', countKey, dropped)
hasRisen = true
end
if left > 0 then
call('HSET', holdsKey, owner, left)
else
call('HDEL', holdsKey, owner)
call('ZREM', endsKey, owner)
end
permits = nil
end
if permits and permits < want then
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
want = permits or want
local endMs = string.format('%.0f', nowMs + leaseMs)
call('HSET', holdsKey, owner, want)
call('ZADD', endsKey, 'GT', endMs, owner)
putIds(owner, want, endMs)
local countTtlMs = call('PTTL', countKey)
if countTtlMs > 0 then
call('PEXPIRE', idsKey, countTtlMs)
end
end
local noticeError = ''
if hasRisen and free and free > 0 then
local received = redis.pcall(publish, channel, string.format('%.0f', free))
if type(received) == 'table' then
noticeError = received.err
end
end
if isHeld then
return { 1, free or 0, noticeError }
end
local ttlMs, holder = 60000, ''
local firstEnd = call('ZRANGE', endsKey, 0, 0, 'WITHSCORES')
if firstEnd[1] then
holder = firstEnd[1]
ttlMs = math.min(ttlMs, firstEnd[2] - nowMs)
end
local firstId = call('ZRANGEBYSCORE', idsKey, nowMs, '(922337203685477', 'WITHSCORES', 'LIMIT', 0, 1)
if firstId[1] then
ttlMs = math.min(ttlMs, firstId[2] - nowMs)
end
local busy = string.format('%d %s %d %s', ttlMs, nowText, position, holder)
return noticeError == '' and busy or { 0, busy, noticeError }`,
  },
  redissonPermitsForce: {
    name: 'redissonPermitsForce',
    sha1: '47e319c67ad18bca2edf0d5c984404a653063872',
    lua: `local call = redis.call
local countKey, holdsKey, endsKey, idsKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local inbox = ARGV[2]
local publish = ARGV[3]
local channel = ARGV[4]
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local nowMs = math.floor(nowText / 1000)
local count = redis.pcall('GET', countKey)
local free, foreign = nil, nil
if type(count) == 'table' then
foreign = 'value of type ' .. redis.call('TYPE', countKey).ok
elseif count then
free = tonumber(count)
foreign = not free and 'string that is not a number' or nil
end
local idsType = call('TYPE', idsKey).ok
if idsType ~= 'none' and idsType ~= 'zset' then
foreign = 'semaphore whose permits have a ' .. idsType .. ' for their ends'
end
if foreign then
return { -3, foreign }
end
local function idsOf(ofOwner, from, to)
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
end
local hasRisen = false
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
end
local permits = tonumber(call('HGET', holdsKey, owner))
if permits and countIds(owner, permits) < permits then
local left = 0
local dropped = dropIds(owner, left + 1, permits)
if free and dropped > 0 then
free = call('INCRBY', countKey, dropped)
hasRisen = true
end
if left > 0 then
call('HSET', holdsKey, owner, left)
else
call('HDEL', holdsKey, owner)
call('ZREM', endsKey, owner)
end
permits = nil
end
local mine = false
local revoked = 0
if permits then
local left = 0
mine = true
local dropped = dropIds(owner, left + 1, permits)
if free and dropped > 0 then
free = call('INCRBY', countKey, dropped)
hasRisen = true
end
if left > 0 then
call('HSET', holdsKey, owner, left)
else
call('HDEL', holdsKey, owner)
call('ZREM', endsKey, owner)
end
revoked = redis.pcall('PUBLISH', inbox, 'revoked ' .. owner .. ' ' .. countKey)
elseif #owner == 32 and not string.find(owner, '%X') then
local id = string.gsub(owner, '%x%x', function(byte)
return string.char(tonumber(byte, 16))
end)
mine = call('ZREM', idsKey, id) == 1
if mine and free then
free = call('INCRBY', countKey, 1)
hasRisen = true
end
end
local noticeError = ''
if hasRisen and free and free > 0 then
local received = redis.pcall(publish, channel, string.format('%.0f', free))
if type(received) == 'table' then
noticeError = received.err
end
end
if noticeError == '' and type(revoked) == 'table' then
noticeError = revoked.err
end
local code = mine and 1 or 0
return noticeError == '' and code or { code, noticeError }`,
  },
  redissonPermitsInspect: {
    name: 'redissonPermitsInspect',
    sha1: '75f2ce94c7702a80857525b076f947baabc2db01',
    lua: `local call = redis.call
local countKey, holdsKey, endsKey, idsKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local maxEntries = tonumber(ARGV[1])
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local nowMs = math.floor(nowText / 1000)
local count = redis.pcall('GET', countKey)
local free, foreign = nil, nil
if type(count) == 'table' then
foreign = 'value of type ' .. redis.call('TYPE', countKey).ok
elseif count then
free = tonumber(count)
foreign = not free and 'string that is not a number' or nil
end
local idsType = call('TYPE', idsKey).ok
if idsType ~= 'none' and idsType ~= 'zset' then
foreign = 'semaphore whose permits have a ' .. idsType .. ' for their ends'
end
if foreign then
return { -3, foreign }
end
local function idsOf(ofOwner, from, to)
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
end
local held = call('ZCOUNT', idsKey, '(' .. nowMs, '+inf')
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
return reply`,
  },
  redissonPermitsRefresh: {
    name: 'redissonPermitsRefresh',
    sha1: 'af8505ebd028b1269902f8ea512cfecd48879e21',
    lua: `local call = redis.call
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local nowMs = math.floor(nowText / 1000)
local replies = {}
for i = 1, #KEYS / 4 do
local countKey, holdsKey = KEYS[4 * i - 3], KEYS[4 * i - 2]
local endsKey, idsKey = KEYS[4 * i - 1], KEYS[4 * i]
local publish = ARGV[3 * i - 2]
local channel = ARGV[3 * i - 1]
local owner = ARGV[3 * i]
local count = redis.pcall('GET', countKey)
local free, foreign = nil, nil
if type(count) == 'table' then
foreign = 'value of type ' .. redis.call('TYPE', countKey).ok
elseif count then
free = tonumber(count)
foreign = not free and 'string that is not a number' or nil
end
local idsType = call('TYPE', idsKey).ok
if idsType ~= 'none' and idsType ~= 'zset' then
foreign = 'semaphore whose permits have a ' .. idsType .. ' for their ends'
end
replies[2 * i - 1] = 2
replies[2 * i] = -2
if not foreign then
local hasRisen = false
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
end
local noticeError = ''
if hasRisen and free and free > 0 then
local received = redis.pcall(publish, channel, string.format('%.0f', free))
if type(received) == 'table' then
noticeError = received.err
end
end
local ttlMs, holder = 60000, ''
local firstEnd = call('ZRANGE', endsKey, 0, 0, 'WITHSCORES')
if firstEnd[1] then
holder = firstEnd[1]
ttlMs = math.min(ttlMs, firstEnd[2] - nowMs)
end
local firstId = call('ZRANGEBYSCORE', idsKey, nowMs, '(922337203685477', 'WITHSCORES', 'LIMIT', 0, 1)
if firstId[1] then
ttlMs = math.min(ttlMs, firstId[2] - nowMs)
end
if call('HEXISTS', holdsKey, owner) == 0 then
replies[2 * i - 1] = 1
end
if free and free <= 0 then
replies[2 * i] = ttlMs
end
end
end
return replies`,
  },
  redissonPermitsRelease: {
    name: 'redissonPermitsRelease',
    sha1: 'aefd7080176e22cffb40ad172e5bf6dcd536ee2f',
    lua: `local call = redis.call
local countKey, holdsKey, endsKey, idsKey, waitersKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local owner = ARGV[1]
local left = tonumber(ARGV[2])
local publish = ARGV[3]
local channel = ARGV[4]
local tombstoneMs = ARGV[5]
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local nowMs = math.floor(nowText / 1000)
local count = redis.pcall('GET', countKey)
local free, foreign = nil, nil
if type(count) == 'table' then
foreign = 'value of type ' .. redis.call('TYPE', countKey).ok
elseif count then
free = tonumber(count)
foreign = not free and 'string that is not a number' or nil
end
local idsType = call('TYPE', idsKey).ok
if idsType ~= 'none' and idsType ~= 'zset' then
foreign = 'semaphore whose permits have a ' .. idsType .. ' for their ends'
end
if foreign then
return { -3, foreign }
end
local function idsOf(ofOwner, from, to)
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
end
local hasRisen = false
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
end
local permits = tonumber(call('HGET', holdsKey, owner)) or 0
local mine = permits > 0 and countIds(owner, permits) == permits
if permits > 0 and not mine then
left = 0
end
if permits > left then
local dropped = dropIds(owner, left + 1, permits)
if free and dropped > 0 then
free = call('INCRBY', countKey, dropped)
hasRisen = true
end
if left > 0 then
call('HSET', holdsKey, owner, left)
else
call('HDEL', holdsKey, owner)
call('ZREM', endsKey, owner)
end
end
if tombstoneMs then
local function keepFor(key, ms)
if call('PTTL', key) < ms then
call('PEXPIRE', key, ms)
end
end
local sample = call('HRANDFIELD', waitersKey, 8, 'WITHVALUES')
for i = 1, #sample, 2 do
local untilMs = string.match(sample[i + 1], '^gone (%d+)$')
if untilMs and tonumber(untilMs) <= nowMs then
call('HDEL', waitersKey, sample[i])
end
end
call('HSET', waitersKey, owner, string.format('gone %.0f', nowMs + tombstoneMs))
keepFor(waitersKey, tonumber(tombstoneMs))
end
local noticeError = ''
if hasRisen and free and free > 0 then
local received = redis.pcall(publish, channel, string.format('%.0f', free))
if type(received) == 'table' then
noticeError = received.err
end
end
local code = mine and 1 or 0
return noticeError == '' and code or { code, noticeError }`,
  },
  redissonPermitsRenew: {
    name: 'redissonPermitsRenew',
    sha1: '546911c9c9669d28fceb8a9413ae0ee7fda74995',
    lua: `local call = redis.call
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local nowMs = math.floor(nowText / 1000)
local replies = {}
for i = 1, #KEYS / 4 do
local countKey, holdsKey = KEYS[4 * i - 3], KEYS[4 * i - 2]
local endsKey, idsKey = KEYS[4 * i - 1], KEYS[4 * i]
local publish = ARGV[4 * i - 3]
local channel = ARGV[4 * i - 2]
local owner = ARGV[4 * i - 1]
local leaseMs = ARGV[4 * i]
local count = redis.pcall('GET', countKey)
local free, foreign = nil, nil
if type(count) == 'table' then
foreign = 'value of type ' .. redis.call('TYPE', countKey).ok
elseif count then
free = tonumber(count)
foreign = not free and 'string that is not a number' or nil
end
local idsType = call('TYPE', idsKey).ok
if idsType ~= 'none' and idsType ~= 'zset' then
foreign = 'semaphore whose permits have a ' .. idsType .. ' for their ends'
end
if foreign then
replies[i] = -3
else
local function idsOf(ofOwner, from, to)
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
end
local hasRisen = false
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
end
local permits = tonumber(call('HGET', holdsKey, owner))
if permits and countIds(owner, permits) < permits then
local left = 0
local dropped = dropIds(owner, left + 1, permits)
if free and dropped > 0 then
free = call('INCRBY', countKey, dropped)
hasRisen = true
end
if left > 0 then
call('HSET', holdsKey, owner, left)
else
call('HDEL', holdsKey, owner)
call('ZREM', endsKey, owner)
end
permits = nil
end
local want = permits or 0
replies[i] = want > 0 and 1 or 0
if want > 0 then
local endMs = string.format('%.0f', nowMs + leaseMs)
call('HSET', holdsKey, owner, want)
call('ZADD', endsKey, 'GT', endMs, owner)
putIds(owner, want, endMs)
end
local noticeError = ''
if hasRisen and free and free > 0 then
local received = redis.pcall(publish, channel, string.format('%.0f', free))
if type(received) == 'table' then
noticeError = received.err
end
end
end
end
return replies`,
  },
  redissonPermitsResize: {
    name: 'redissonPermitsResize',
    sha1: 'd49ae6445e5a76261a3fb05e79bd0e78e5103512',
    lua: `local call = redis.call
local countKey, holdsKey, endsKey, idsKey, sizeKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local newSize = tonumber(ARGV[1])
local keepMs = ARGV[2]
local seen = ARGV[3]
local callId = ARGV[4]
local publish = ARGV[5]
local channel = ARGV[6]
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local nowMs = math.floor(nowText / 1000)
local count = redis.pcall('GET', countKey)
local free, foreign = nil, nil
if type(count) == 'table' then
foreign = 'value of type ' .. redis.call('TYPE', countKey).ok
elseif count then
free = tonumber(count)
foreign = not free and 'string that is not a number' or nil
end
local idsType = call('TYPE', idsKey).ok
if idsType ~= 'none' and idsType ~= 'zset' then
foreign = 'semaphore whose permits have a ' .. idsType .. ' for their ends'
end
if foreign then
return { -3, foreign }
end
local version, lastId = string.match(redis.pcall('GET', sizeKey) or '0 ', '^(%d+) (.*)$')
if lastId == callId then
return { 1, tonumber(version), newSize }
elseif version ~= seen then
return { 0, tonumber(version), newSize }
end
local hasRisen = false
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
end
version = version + 1
call('SET', sizeKey, version .. ' ' .. callId, 'PX', keepMs)
free = call('INCRBY', countKey, newSize - (free or 0) - call('ZCARD', idsKey))
hasRisen = true
local noticeError = ''
if hasRisen and free and free > 0 then
local received = redis.pcall(publish, channel, string.format('%.0f', free))
if type(received) == 'table' then
noticeError = received.err
end
end
local reply = { 1, version, newSize }
if noticeError ~= '' then
reply[4] = noticeError
end
return reply`,
  },
  redissonReadWriteAcquire: {
    name: 'redissonReadWriteAcquire',
    sha1: '5add8dd6b62e010f94f5fef1a9afa507fc5e053b',
    lua: `local call = redis.call
local lockKey, holdKey, goneKey = KEYS[1], KEYS[2], KEYS[3]
local owner = ARGV[1]
local side = ARGV[2]
local leaseMs = tonumber(ARGV[3])
local waits = ARGV[4]
local ttlMs = call('PTTL', lockKey)
local mode = nil
if ttlMs ~= -2 then
mode = redis.pcall('HGET', lockKey, 'mode')
if ttlMs == -1 or mode ~= 'read' and mode ~= 'write' then
local keyType = redis.pcall('TYPE', lockKey).ok or 'value of another type'
return { -3, keyType == 'hash' and ttlMs ~= -1 and 'hash of another object' or keyType }
end
end
local held = nil
if mode and call('HGET', lockKey, mode == 'write' and owner .. ':write' or owner) then
held = mode
end
if held == 'read' and side == 'write' then
return { -1 }
end
if not held and call('EXISTS', goneKey) == 1 then
return { -2 }
end
if held or not mode or mode == 'read' and side == 'read' then
local function keepFor(key, ms)
if call('PTTL', key) < ms then
call('PEXPIRE', key, ms)
end
end
local newMode = held or side
call('HSET', lockKey, 'mode', newMode, newMode == 'write' and owner .. ':write' or owner, '1')
if newMode == 'read' and call('PTTL', holdKey) < leaseMs then
call('SET', holdKey, '1', 'PX', leaseMs)
end
keepFor(lockKey, leaseMs)
return 0
end
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local fields = redis.pcall('HRANDFIELD', lockKey, '2')
if fields.err then
fields = call('HKEYS', lockKey)
end
local holder = fields[1] ~= 'mode' and fields[1] or fields[2] or ''
if mode == 'write' then
holder = string.gsub(holder, ':write$', '')
end
local position, noticeError = waits == '1' and 1 or 0, ''
local busy = string.format('%d %s %d %s', ttlMs, nowText, position, holder)
return noticeError == '' and busy or { 0, busy, noticeError }`,
  },
  redissonReadWriteForce: {
    name: 'redissonReadWriteForce',
    sha1: 'a51a21a8ea40dcaf5441fe0a3c6ddfac5f31e579',
    lua: `local call = redis.call
local lockKey = KEYS[1]
local owner = ARGV[1]
local inbox = ARGV[2]
local slot = ARGV[3]
local publish = ARGV[4]
local channel = ARGV[5]
local function holdKeyOf(reader, n)
return slot .. ':' .. reader .. ':rwlock_timeout:' .. n
end
local function holdTimeOf(reader, count)
local longestMs = 0
for n = 1, tonumber(count) or 0 do
longestMs = math.max(longestMs, call('PTTL', holdKeyOf(reader, n)))
end
return longestMs
end
local function notify(message)
local reply = redis.pcall(publish, channel, message)
return type(reply) == 'table' and reply.err or ''
end
local ttlMs = call('PTTL', lockKey)
local mode = nil
if ttlMs ~= -2 then
mode = redis.pcall('HGET', lockKey, 'mode')
if ttlMs == -1 or mode ~= 'read' and mode ~= 'write' then
local keyType = redis.pcall('TYPE', lockKey).ok or 'value of another type'
return { -3, keyType == 'hash' and ttlMs ~= -1 and 'hash of another object' or keyType }
end
end
local held = nil
if mode and call('HGET', lockKey, mode == 'write' and owner .. ':write' or owner) then
held = mode
end
if not held then
return 0
end
local revoked = redis.pcall('PUBLISH', inbox, 'revoked ' .. owner .. ' ' .. lockKey)
local noticeError = ''
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
end
if noticeError == '' and type(revoked) == 'table' then
noticeError = revoked.err
end
local mine = true
local code = mine and 1 or 0
return noticeError == '' and code or { code, noticeError }`,
  },
  redissonReadWriteInspect: {
    name: 'redissonReadWriteInspect',
    sha1: '31207c0e3265bdc2a2c051da968d9044eaf67355',
    lua: `local call = redis.call
local lockKey = KEYS[1]
local slot = ARGV[1]
local maxHolders = tonumber(ARGV[2])
local function holdKeyOf(reader, n)
return slot .. ':' .. reader .. ':rwlock_timeout:' .. n
end
local function holdTimeOf(reader, count)
local longestMs = 0
for n = 1, tonumber(count) or 0 do
longestMs = math.max(longestMs, call('PTTL', holdKeyOf(reader, n)))
end
return longestMs
end
local ttlMs = call('PTTL', lockKey)
local mode = nil
if ttlMs ~= -2 then
mode = redis.pcall('HGET', lockKey, 'mode')
if ttlMs == -1 or mode ~= 'read' and mode ~= 'write' then
local keyType = redis.pcall('TYPE', lockKey).ok or 'value of another type'
return { -3, keyType == 'hash' and ttlMs ~= -1 and 'hash of another object' or keyType }
end
end
local holders = {}
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
return reply`,
  },
  redissonReadWriteRefresh: {
    name: 'redissonReadWriteRefresh',
    sha1: 'd4c1822d4b770f7091b93d9230b48d621ecdbf36',
    lua: `local call = redis.call
local replies = {}
for i, lockKey in ipairs(KEYS) do
local owner = ARGV[i]
local mode = redis.pcall('HGET', lockKey, 'mode')
if type(mode) == 'table' then
mode = nil
end
local held = nil
if mode and call('HGET', lockKey, mode == 'write' and owner .. ':write' or owner) then
held = mode
end
replies[2 * i - 1] = held and 2 or mode == 'write' and 1 or 0
replies[2 * i] = call('PTTL', lockKey)
end
return replies`,
  },
  redissonReadWriteRelease: {
    name: 'redissonReadWriteRelease',
    sha1: '6c1f053559c2b05a1da271a9fe57b25210730476',
    lua: `local call = redis.call
local lockKey, holdKey, goneKey = KEYS[1], KEYS[2], KEYS[3]
local owner = ARGV[1]
local left = ARGV[2]
local slot = ARGV[3]
local publish = ARGV[4]
local channel = ARGV[5]
local tombstoneMs = ARGV[6]
local function holdKeyOf(reader, n)
return slot .. ':' .. reader .. ':rwlock_timeout:' .. n
end
local function holdTimeOf(reader, count)
local longestMs = 0
for n = 1, tonumber(count) or 0 do
longestMs = math.max(longestMs, call('PTTL', holdKeyOf(reader, n)))
end
return longestMs
end
local function notify(message)
local reply = redis.pcall(publish, channel, message)
return type(reply) == 'table' and reply.err or ''
end
if tombstoneMs then
call('SET', goneKey, '1', 'PX', tombstoneMs)
end
local ttlMs = call('PTTL', lockKey)
local mode = nil
if ttlMs ~= -2 then
mode = redis.pcall('HGET', lockKey, 'mode')
if ttlMs == -1 or mode ~= 'read' and mode ~= 'write' then
local keyType = redis.pcall('TYPE', lockKey).ok or 'value of another type'
return { -3, keyType == 'hash' and ttlMs ~= -1 and 'hash of another object' or keyType }
end
end
local held = nil
if mode and call('HGET', lockKey, mode == 'write' and owner .. ':write' or owner) then
held = mode
end
if not held then
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
end
local code = mine and 1 or 0
return noticeError == '' and code or { code, noticeError }
end
local noticeError = ''
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
end
local code = mine and 1 or 0
return noticeError == '' and code or { code, noticeError }`,
  },
  redissonReadWriteRenew: {
    name: 'redissonReadWriteRenew',
    sha1: '04383e3e797e5c4f830b0b547eaffd4895e9d809',
    lua: `local call = redis.call
local function keepFor(key, ms)
if call('PTTL', key) < ms then
call('PEXPIRE', key, ms)
end
end
local replies = {}
for i = 1, #KEYS / 2 do
local lockKey, holdKey = KEYS[2 * i - 1], KEYS[2 * i]
local owner = ARGV[2 * i - 1]
local leaseMs = tonumber(ARGV[2 * i])
local mode = redis.pcall('HGET', lockKey, 'mode')
replies[i] = 0
if type(mode) == 'table' then
replies[i] = -3
elseif mode then
local held = nil
if mode and call('HGET', lockKey, mode == 'write' and owner .. ':write' or owner) then
held = mode
end
if held == 'write' or held == 'read' and call('EXISTS', holdKey) == 1 then
if held == 'read' then
keepFor(holdKey, leaseMs)
end
keepFor(lockKey, leaseMs)
replies[i] = 1
end
end
end
return replies`,
  },
  redissonSemaphoreAcquire: {
    name: 'redissonSemaphoreAcquire',
    sha1: '23fe125ba7eee427e94093885f5044a945121fb3',
    lua: `local call = redis.call
local countKey, holdsKey, endsKey, waitersKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local want = tonumber(ARGV[2])
local leaseMs = tonumber(ARGV[3])
local position = tonumber(ARGV[4])
local size = tonumber(ARGV[5])
local publish = ARGV[6]
local channel = ARGV[7]
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local nowMs = math.floor(nowText / 1000)
local count = redis.pcall('GET', countKey)
local free, foreign = nil, nil
if type(count) == 'table' then
foreign = 'value of type ' .. redis.call('TYPE', countKey).ok
elseif count then
free = tonumber(count)
foreign = not free and 'string that is not a number' or nil
end
if foreign then
return { -3, foreign }
end
do
local goneUntilMs = string.match(call('HGET', waitersKey, owner) or '', '^gone (%d+)$')
if goneUntilMs and 1000 * goneUntilMs > tonumber(nowText) then
return { -2 }
end
end
local hasRisen = false
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
end
local permits = tonumber(call('HGET', holdsKey, owner))
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
want = permits or want
local endMs = string.format('%.0f', nowMs + leaseMs)
call('HSET', holdsKey, owner, want)
call('ZADD', endsKey, 'GT', endMs, owner)
end
local noticeError = ''
if hasRisen and free and free > 0 then
local received = redis.pcall(publish, channel, string.format('%.0f', free))
if type(received) == 'table' then
noticeError = received.err
end
end
if isHeld then
return { 1, free or 0, noticeError }
end
local ttlMs, holder = 60000, ''
local firstEnd = call('ZRANGE', endsKey, 0, 0, 'WITHSCORES')
if firstEnd[1] then
holder = firstEnd[1]
ttlMs = math.min(ttlMs, firstEnd[2] - nowMs)
end
local busy = string.format('%d %s %d %s', ttlMs, nowText, position, holder)
return noticeError == '' and busy or { 0, busy, noticeError }`,
  },
  redissonSemaphoreForce: {
    name: 'redissonSemaphoreForce',
    sha1: '1932cbc893b342f526c5e3cf1c92bdbf4cb51c8a',
    lua: `local call = redis.call
local countKey, holdsKey, endsKey = KEYS[1], KEYS[2], KEYS[3]
local owner = ARGV[1]
local inbox = ARGV[2]
local publish = ARGV[3]
local channel = ARGV[4]
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local nowMs = math.floor(nowText / 1000)
local count = redis.pcall('GET', countKey)
local free, foreign = nil, nil
if type(count) == 'table' then
foreign = 'value of type ' .. redis.call('TYPE', countKey).ok
elseif count then
free = tonumber(count)
foreign = not free and 'string that is not a number' or nil
end
if foreign then
return { -3, foreign }
end
local hasRisen = false
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
end
local permits = tonumber(call('HGET', holdsKey, owner)) or 0
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
end
local noticeError = ''
if hasRisen and free and free > 0 then
local received = redis.pcall(publish, channel, string.format('%.0f', free))
if type(received) == 'table' then
noticeError = received.err
end
end
if noticeError == '' and type(revoked) == 'table' then
noticeError = revoked.err
end
local code = mine and 1 or 0
return noticeError == '' and code or { code, noticeError }`,
  },
  redissonSemaphoreInspect: {
    name: 'redissonSemaphoreInspect',
    sha1: '2e876fef98962b096c5c389da4559bea0df87dd5',
    lua: `local call = redis.call
local countKey, holdsKey, endsKey = KEYS[1], KEYS[2], KEYS[3]
local maxEntries = tonumber(ARGV[1])
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local nowMs = math.floor(nowText / 1000)
local count = redis.pcall('GET', countKey)
local free, foreign = nil, nil
if type(count) == 'table' then
foreign = 'value of type ' .. redis.call('TYPE', countKey).ok
elseif count then
free = tonumber(count)
foreign = not free and 'string that is not a number' or nil
end
if foreign then
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
return reply`,
  },
  redissonSemaphoreRefresh: {
    name: 'redissonSemaphoreRefresh',
    sha1: '19a432fa8b31348794ed774d6b0189ee77950ca3',
    lua: `local call = redis.call
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local nowMs = math.floor(nowText / 1000)
local replies = {}
for i = 1, #KEYS / 3 do
local countKey, holdsKey, endsKey = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
local publish = ARGV[3 * i - 2]
local channel = ARGV[3 * i - 1]
local owner = ARGV[3 * i]
local count = redis.pcall('GET', countKey)
local free, foreign = nil, nil
if type(count) == 'table' then
foreign = 'value of type ' .. redis.call('TYPE', countKey).ok
elseif count then
free = tonumber(count)
foreign = not free and 'string that is not a number' or nil
end
replies[2 * i - 1] = 2
replies[2 * i] = -2
if not foreign then
local hasRisen = false
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
end
local noticeError = ''
if hasRisen and free and free > 0 then
local received = redis.pcall(publish, channel, string.format('%.0f', free))
if type(received) == 'table' then
noticeError = received.err
end
end
local ttlMs, holder = 60000, ''
local firstEnd = call('ZRANGE', endsKey, 0, 0, 'WITHSCORES')
if firstEnd[1] then
holder = firstEnd[1]
ttlMs = math.min(ttlMs, firstEnd[2] - nowMs)
end
if call('HEXISTS', holdsKey, owner) == 0 then
replies[2 * i - 1] = 1
end
if free and free <= 0 then
replies[2 * i] = ttlMs
end
end
end
return replies`,
  },
  redissonSemaphoreRelease: {
    name: 'redissonSemaphoreRelease',
    sha1: '72c74c148f7cc78013ac0b7f9afa7c708ac2523b',
    lua: `local call = redis.call
local countKey, holdsKey, endsKey, waitersKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local left = tonumber(ARGV[2])
local publish = ARGV[3]
local channel = ARGV[4]
local tombstoneMs = ARGV[5]
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local nowMs = math.floor(nowText / 1000)
local count = redis.pcall('GET', countKey)
local free, foreign = nil, nil
if type(count) == 'table' then
foreign = 'value of type ' .. redis.call('TYPE', countKey).ok
elseif count then
free = tonumber(count)
foreign = not free and 'string that is not a number' or nil
end
if foreign then
return { -3, foreign }
end
local hasRisen = false
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
end
local permits = tonumber(call('HGET', holdsKey, owner)) or 0
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
if tombstoneMs then
local function keepFor(key, ms)
if call('PTTL', key) < ms then
call('PEXPIRE', key, ms)
end
end
local sample = call('HRANDFIELD', waitersKey, 8, 'WITHVALUES')
for i = 1, #sample, 2 do
local untilMs = string.match(sample[i + 1], '^gone (%d+)$')
if untilMs and tonumber(untilMs) <= nowMs then
call('HDEL', waitersKey, sample[i])
end
end
call('HSET', waitersKey, owner, string.format('gone %.0f', nowMs + tombstoneMs))
keepFor(waitersKey, tonumber(tombstoneMs))
end
local noticeError = ''
if hasRisen and free and free > 0 then
local received = redis.pcall(publish, channel, string.format('%.0f', free))
if type(received) == 'table' then
noticeError = received.err
end
end
local code = mine and 1 or 0
return noticeError == '' and code or { code, noticeError }`,
  },
  redissonSemaphoreRenew: {
    name: 'redissonSemaphoreRenew',
    sha1: '57fbb6474c302ccd48c61834e15c1d1b77feacb5',
    lua: `local call = redis.call
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local nowMs = math.floor(nowText / 1000)
local replies = {}
for i = 1, #KEYS / 3 do
local countKey, holdsKey, endsKey = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
local publish = ARGV[4 * i - 3]
local channel = ARGV[4 * i - 2]
local owner = ARGV[4 * i - 1]
local leaseMs = ARGV[4 * i]
local count = redis.pcall('GET', countKey)
local free, foreign = nil, nil
if type(count) == 'table' then
foreign = 'value of type ' .. redis.call('TYPE', countKey).ok
elseif count then
free = tonumber(count)
foreign = not free and 'string that is not a number' or nil
end
if foreign then
replies[i] = -3
else
local hasRisen = false
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
end
local want = tonumber(call('HGET', holdsKey, owner)) or 0
replies[i] = want > 0 and 1 or 0
if want > 0 then
local endMs = string.format('%.0f', nowMs + leaseMs)
call('HSET', holdsKey, owner, want)
call('ZADD', endsKey, 'GT', endMs, owner)
end
local noticeError = ''
if hasRisen and free and free > 0 then
local received = redis.pcall(publish, channel, string.format('%.0f', free))
if type(received) == 'table' then
noticeError = received.err
end
end
end
end
return replies`,
  },
  sharedAcquire: {
    name: 'sharedAcquire',
    sha1: 'a46c1677bc8b6b80e0deecd6ddeb0f14204d9419',
    lua: `local call = redis.call
local mainKey, endsKey, queueKey, waitersKey, fenceKey, sizeKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local owner = ARGV[1]
local want = ARGV[2]
local leaseMs = ARGV[3]
local tokenFloor = ARGV[4]
local ownSize = ARGV[6]
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local nowMsText = string.sub(nowText, 1, -4)
local nowMs = nowMsText + 0
local existing = call('EXISTS', mainKey, endsKey, waitersKey, sizeKey, sizeKey)
if existing == 0 and want - ownSize <= 0 then
local newLeaseMs = leaseMs
local lifeMs = 2 * newLeaseMs > 60000 and 2 * newLeaseMs or '60000'
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
end
if isBeyond then
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
local noticeError, blockedTtlMs = '', nil
local held = redis.pcall('HMGET', mainKey, 'used', owner)
used = not held.err and tonumber(held[1] or 0)
if not used or not held[1] and call('EXISTS', mainKey) == 1 then
local foreign = redis.pcall('TYPE', mainKey).ok or 'value of another type'
return { -3, foreign == 'hash' and 'hash with other content' or foreign }
end
hold = held[2]
local firstHold = call('ZRANGE', endsKey, '0', '0', 'WITHSCORES')
firstOwner, firstEndMs = firstHold[1] or '', held[1] and (firstHold[2] or 0) + 0 or 0
local besideHolds = existing - (held[1] and 1 or 0) - (firstOwner ~= '' and 1 or 0)
local isQuiet = besideHolds == 0
local override = besideHolds > 1 and string.match(call('GET', sizeKey), '^%d+')
if not hold and waiting ~= '' and firstEndMs > nowMs and used + want - (override or ownSize) > 0 then
local entryTtlMs = string.match(waiting, '^%d+')
local newEntry = string.format('%d', nowMs + entryTtlMs) .. string.sub(waiting, #entryTtlMs + 1)
if call('HSETNX', waitersKey, owner, newEntry) == 1 then
local position, rank = call('RPUSH', queueKey, owner), nil
if position == 1 and not rank then
if call('HLEN', waitersKey) > 1 then
local fields = call('HGETALL', waitersKey)
for i = 1, #fields, 2 do
if fields[i] ~= owner and string.sub(fields[i + 1], 1, 5) ~= 'gone ' then
call('HDEL', waitersKey, fields[i])
end
end
end
end
if call('PTTL', queueKey) < 1.25 * entryTtlMs then
local function keepFor(key, ms)
if call('PTTL', key) < ms then
call('PEXPIRE', key, ms)
end
end
call('PEXPIRE', queueKey, 2 * entryTtlMs)
keepFor(waitersKey, 2 * entryTtlMs)
end
local holder = firstOwner
local ttlMs = firstOwner ~= '' and firstEndMs - nowMs or 60000
if blockedTtlMs then
ttlMs = math.min(ttlMs, blockedTtlMs)
end
if override then
ttlMs = math.min(ttlMs, math.max(call('PTTL', sizeKey), 1))
end
local busy = string.format('%d %s %d %s', ttlMs, nowText, position, holder)
return noticeError == '' and busy or { 0, busy, noticeError }
end
end
local ownEntry = not isQuiet and call('HGET', waitersKey, owner)
local tombstone = string.match(ownEntry or '', '^gone (%d+)$')
if tombstone and tonumber(tombstone) > nowMs then
return { -2 }
end
if firstEndMs <= nowMs and (held[1] or firstOwner ~= '') then
local ended = call('ZRANGEBYSCORE', endsKey, '-inf', nowMs)
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
end
end
if hold then
local permits, heldToken = string.match(hold, '^(%d+) (%d+)$')
if tonumber(permits) < tonumber(want) then
return { -1 }
end
local function keepFor(key, ms)
if call('PTTL', key) < ms then
call('PEXPIRE', key, ms)
end
end
local keepMs = tonumber(leaseMs)
call('HSET', mainKey, owner, hold)
call('ZADD', endsKey, 'GT', string.format('%d', nowMs + keepMs), owner)
local wasFree = false
if wasFree or call('PTTL', mainKey) < 1.25 * keepMs then
local untilMs = string.format('%d', nowMs + 2 * keepMs)
call('PEXPIREAT', mainKey, untilMs)
call('PEXPIREAT', endsKey, untilMs)
end
keepFor(fenceKey, math.max(60000, 2 * keepMs))
return heldToken
end
local hasEntry = ownEntry and not tombstone
if hasEntry or used + want - (override or ownSize) <= 0 then
if hasEntry and waiting ~= '' then
local entryTtlMs = string.match(waiting, '^%d+')
local newEntry = string.format('%d', nowMs + entryTtlMs) .. string.sub(waiting, #entryTtlMs + 1)
call('HSET', waitersKey, owner, newEntry)
end
local granted, before, requester = nil, nil, owner
local first = not isQuiet and call('LINDEX', queueKey, '0')
local usedBefore = used
local walked, ahead = 0, nil
local newHolder, newPermits, newLeaseMs, newProof, newInbox, entrants
local subscriptions, kept
local isFull, wasMet, hasEntered, blocker, blockedUntilMs = false, false, false, nil, nil
local waiter = override ~= '0' and first
while waiter and waiter ~= before and not granted do
local state = 'none'
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
end
if state == 'alive' then
local isRequester = waiter == requester
wasMet = wasMet or isRequester
local permits, room = entryWant + 0, (override or entrySize) + 0
local mayEnter = permits <= room
if mayEnter and inboxIsChecked == '1' and not isRequester then
subscriptions = subscriptions or {}
mayEnter = subscriptions[entryInbox]
if mayEnter == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', entryInbox)
local isSubscribed = reply.err ~= nil or reply[2] > 0
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
used = used + permits
if not newHolder then
newHolder, newPermits, newLeaseMs, newProof, newInbox = waiter, entryWant, entryLeaseMs, entryProof, entryInbox
else
entrants = entrants or { newHolder, newPermits, newLeaseMs, newProof, newInbox }
local last = #entrants
entrants[last + 1], entrants[last + 2] = waiter, entryWant
entrants[last + 3], entrants[last + 4], entrants[last + 5] = entryLeaseMs, entryProof, entryInbox
end
isFull = used >= room
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
local entryWant, entryLeaseMs, entryProof, entryInbox = want, leaseMs, '', ''
used = used + permits
if not newHolder then
newHolder, newPermits, newLeaseMs, newProof, newInbox = waiter, entryWant, entryLeaseMs, entryProof, entryInbox
else
entrants = entrants or { newHolder, newPermits, newLeaseMs, newProof, newInbox }
local last = #entrants
entrants[last + 1], entrants[last + 2] = waiter, entryWant
entrants[last + 3], entrants[last + 4], entrants[last + 5] = entryLeaseMs, entryProof, entryInbox
end
hasEntered = true
end
end
if newHolder then
for i = 3, entrants and #entrants or 0, 5 do
newLeaseMs = math.max(newLeaseMs, entrants[i])
end
call = redis.pcall
local lifeMs = 2 * newLeaseMs > 60000 and 2 * newLeaseMs or '60000'
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
end
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
if wasFree or call('PTTL', mainKey) < 1.25 * keepMs then
local untilMs = string.format('%d', nowMs + 2 * keepMs)
call('PEXPIREAT', mainKey, untilMs)
call('PEXPIREAT', endsKey, untilMs)
end
for _, noticedInbox in ipairs(inboxes) do
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
local keepMs = newLeaseMs
if wasFree or call('PTTL', mainKey) < 1.25 * keepMs then
local untilMs = string.format('%d', nowMs + 2 * keepMs)
call('PEXPIREAT', mainKey, untilMs)
call('PEXPIREAT', endsKey, untilMs)
end
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
end
if granted then
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
if waiting ~= '' then
local entryTtlMs = string.match(waiting, '^%d+')
local newEntry = string.format('%d', nowMs + entryTtlMs) .. string.sub(waiting, #entryTtlMs + 1)
local rank = nil
if hasEntry then
rank = call('LPOS', queueKey, owner)
else
call('HSET', waitersKey, owner, newEntry)
end
position = rank and rank + 1 or call('RPUSH', queueKey, owner)
if position == 1 and not rank then
if call('HLEN', waitersKey) > 1 then
local fields = call('HGETALL', waitersKey)
for i = 1, #fields, 2 do
if fields[i] ~= owner and string.sub(fields[i + 1], 1, 5) ~= 'gone ' then
call('HDEL', waitersKey, fields[i])
end
end
end
end
if call('PTTL', queueKey) < 1.25 * entryTtlMs then
local function keepFor(key, ms)
if call('PTTL', key) < ms then
call('PEXPIRE', key, ms)
end
end
call('PEXPIRE', queueKey, 2 * entryTtlMs)
keepFor(waitersKey, 2 * entryTtlMs)
end
end
local ttlMs = firstOwner ~= '' and firstEndMs - nowMs or 60000
if blockedTtlMs then
ttlMs = math.min(ttlMs, blockedTtlMs)
end
if override then
ttlMs = math.min(ttlMs, math.max(call('PTTL', sizeKey), 1))
end
local holder = firstOwner
local busy = string.format('%d %s %d %s', ttlMs, nowText, position, holder)
return noticeError == '' and busy or { 0, busy, noticeError }`,
  },
  sharedForce: {
    name: 'sharedForce',
    sha1: '27cf6f11f7f00738b8efa23d13145566541e5a44',
    lua: `local call = redis.call
local mainKey, endsKey, queueKey, waitersKey, fenceKey, sizeKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local owner = ARGV[1]
local inbox = ARGV[2]
local tokenFloor = ARGV[3]
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local nowMsText = string.sub(nowText, 1, -4)
local nowMs = nowMsText + 0
local used, hold, firstOwner, firstEndMs
local held = redis.pcall('HMGET', mainKey, 'used', owner)
used = not held.err and tonumber(held[1] or 0)
if not used or not held[1] and call('EXISTS', mainKey) == 1 then
local foreign = redis.pcall('TYPE', mainKey).ok or 'value of another type'
return { -3, foreign == 'hash' and 'hash with other content' or foreign }
end
hold = held[2]
local firstHold = call('ZRANGE', endsKey, '0', '0', 'WITHSCORES')
firstOwner, firstEndMs = firstHold[1] or '', held[1] and (firstHold[2] or 0) + 0 or 0
if firstEndMs <= nowMs and (held[1] or firstOwner ~= '') then
local ended = call('ZRANGEBYSCORE', endsKey, '-inf', nowMs)
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
end
end
if not hold then
return 0
end
local first = call('LINDEX', queueKey, '0')
local override = call('GET', sizeKey)
override = override and string.match(override, '^%d+')
used = used - string.match(hold, '^%d+')
call('HDEL', mainKey, owner)
call('ZREM', endsKey, owner)
if used > 0 then
call('HSET', mainKey, 'used', used)
else
call('DEL', mainKey, endsKey)
end
local revoked = redis.pcall('PUBLISH', inbox, 'revoked ' .. owner .. ' ' .. mainKey)
local granted, noticeError, before = nil, '', nil
local requester, want, leaseMs, ownSize = '', nil, nil, nil
local usedBefore = used
local walked, ahead = 0, nil
local newHolder, newPermits, newLeaseMs, newProof, newInbox, entrants
local subscriptions, kept
local isFull, wasMet, hasEntered, blocker, blockedUntilMs = false, false, false, nil, nil
local waiter = override ~= '0' and first
while waiter and waiter ~= before and not granted do
local state = 'none'
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
end
if state == 'alive' then
local isRequester = waiter == requester
wasMet = wasMet or isRequester
local permits, room = entryWant + 0, (override or entrySize) + 0
local mayEnter = permits <= room
if mayEnter and inboxIsChecked == '1' and not isRequester then
subscriptions = subscriptions or {}
mayEnter = subscriptions[entryInbox]
if mayEnter == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', entryInbox)
local isSubscribed = reply.err ~= nil or reply[2] > 0
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
used = used + permits
if not newHolder then
newHolder, newPermits, newLeaseMs, newProof, newInbox = waiter, entryWant, entryLeaseMs, entryProof, entryInbox
else
entrants = entrants or { newHolder, newPermits, newLeaseMs, newProof, newInbox }
local last = #entrants
entrants[last + 1], entrants[last + 2] = waiter, entryWant
entrants[last + 3], entrants[last + 4], entrants[last + 5] = entryLeaseMs, entryProof, entryInbox
end
isFull = used >= room
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
local entryWant, entryLeaseMs, entryProof, entryInbox = want, leaseMs, '', ''
used = used + permits
if not newHolder then
newHolder, newPermits, newLeaseMs, newProof, newInbox = waiter, entryWant, entryLeaseMs, entryProof, entryInbox
else
entrants = entrants or { newHolder, newPermits, newLeaseMs, newProof, newInbox }
local last = #entrants
entrants[last + 1], entrants[last + 2] = waiter, entryWant
entrants[last + 3], entrants[last + 4], entrants[last + 5] = entryLeaseMs, entryProof, entryInbox
end
hasEntered = true
end
end
if newHolder then
for i = 3, entrants and #entrants or 0, 5 do
newLeaseMs = math.max(newLeaseMs, entrants[i])
end
call = redis.pcall
local lifeMs = 2 * newLeaseMs > 60000 and 2 * newLeaseMs or '60000'
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
end
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
if wasFree or call('PTTL', mainKey) < 1.25 * keepMs then
local untilMs = string.format('%d', nowMs + 2 * keepMs)
call('PEXPIREAT', mainKey, untilMs)
call('PEXPIREAT', endsKey, untilMs)
end
for _, noticedInbox in ipairs(inboxes) do
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
local keepMs = newLeaseMs
if wasFree or call('PTTL', mainKey) < 1.25 * keepMs then
local untilMs = string.format('%d', nowMs + 2 * keepMs)
call('PEXPIREAT', mainKey, untilMs)
call('PEXPIREAT', endsKey, untilMs)
end
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
end
if noticeError == '' and type(revoked) == 'table' then
noticeError = revoked.err
end
local mine = true
local code = mine and 1 or 0
return noticeError == '' and code or { code, noticeError }`,
  },
  sharedInspect: {
    name: 'sharedInspect',
    sha1: '8e3c75ab145b793942e421af4e1027c538600665',
    lua: `local call = redis.call
local mainKey, endsKey, queueKey, waitersKey, fenceKey, sizeKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local maxEntries = tonumber(ARGV[1])
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local nowMsText = string.sub(nowText, 1, -4)
local nowMs = nowMsText + 0
local owner, used = '', 0
local held = redis.pcall('HMGET', mainKey, 'used', owner)
used = not held.err and tonumber(held[1] or 0)
if not used or not held[1] and call('EXISTS', mainKey) == 1 then
local foreign = redis.pcall('TYPE', mainKey).ok or 'value of another type'
return { -3, foreign == 'hash' and 'hash with other content' or foreign }
end
local size, version = string.match(call('GET', sizeKey) or '', '^(%d+) (%d+) ')
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
for _, waiter in ipairs(maxEntries > 0 and call('LRANGE', queueKey, 0, maxEntries - 1) or {}) do
local state = 'none'
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
end
local remainingMs = state == 'alive' and aliveUntilMs - nowMs or 0
reply[#reply + 1] = waiter
reply[#reply + 1] = tonumber(entryWant or 0)
reply[#reply + 1] = remainingMs
end
return reply`,
  },
  sharedRefresh: {
    name: 'sharedRefresh',
    sha1: '2df0ee2a468860499595c8aed0063a5c33d63acb',
    lua: `local call = redis.call
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local nowMsText = string.sub(nowText, 1, -4)
local nowMs = nowMsText + 0
local replies = {}
local aliveUntil, lastTtlMs
local outlooks = {}
for i = 1, #KEYS / 5 do
local mainKey, endsKey, queueKey = KEYS[5 * i - 4], KEYS[5 * i - 3], KEYS[5 * i - 2]
local waitersKey, sizeKey = KEYS[5 * i - 1], KEYS[5 * i]
local owner = ARGV[2 * i - 1]
local entryTtlMs = ARGV[2 * i]
local code = 0
do
local waiter = owner
local state = 'none'
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
end
if state == 'alive' and call('PTTL', queueKey) ~= -2 then
local wantsAndInbox = entryWant .. ' ' .. entrySize .. ' ' .. entryProof .. ' ' .. entryInbox
if entryTtlMs ~= lastTtlMs then
lastTtlMs = entryTtlMs
aliveUntil = string.format('%d', nowMs + entryTtlMs)
end
local grant = entryLeaseMs .. ' ' .. inboxIsChecked
call('HSET', waitersKey, owner, aliveUntil .. ' ' .. grant .. ' ' .. wantsAndInbox)
if call('PTTL', queueKey) < 1.25 * entryTtlMs then
local function keepFor(key, ms)
if call('PTTL', key) < ms then
call('PEXPIRE', key, ms)
end
end
call('PEXPIRE', queueKey, 2 * entryTtlMs)
keepFor(waitersKey, 2 * entryTtlMs)
end
code = 1
elseif type(redis.pcall('HGET', mainKey, owner)) == 'string' then
local endMs = call('ZSCORE', endsKey, owner)
code = endMs and tonumber(endMs) > nowMs and 2 or 0
end
end
local outlook = outlooks[mainKey]
if not outlook then
local sum = redis.pcall('HGET', mainKey, 'used')
local firstHold = call('ZRANGE', endsKey, 0, 0, 'WITHSCORES')
local used = tonumber(type(sum) == 'string' and sum or 0)
local override = call('GET', sizeKey)
override = override and string.match(override, '^%d+')
local ttlMs = 60000
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
end
local state = 'none'
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
end
local permits, room = tonumber(entryWant or 0), tonumber(override or entrySize or 0)
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
if code == 1 and ttlMs ~= -2 then
local rank = not outlook.isBeyond and call('LPOS', queueKey, owner, 'MAXLEN', '100')
outlook.isBeyond = not rank
said = string.format('%d %s %d %s', ttlMs, nowText, rank and rank + 1 or 0, holder)
end
replies[2 * i - 1] = code
replies[2 * i] = said
end
return replies`,
  },
  sharedRelease: {
    name: 'sharedRelease',
    sha1: 'e4ccfaf1e93c24451d4e6c2d6febbfc7d0886e16',
    lua: `local call = redis.call
local mainKey, endsKey, queueKey, waitersKey, fenceKey, sizeKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
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
end
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local nowMsText = string.sub(nowText, 1, -4)
local nowMs = nowMsText + 0
local override = call('GET', sizeKey)
override = override and string.match(override, '^%d+')
if isLeaving and (not mine or tombstoneMs) then
do
local waiter = owner
local state = 'none'
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
end
if state ~= 'tombstone' and call('HDEL', waitersKey, owner) == 1 then
call('LREM', queueKey, 1, owner)
end
end
if tombstoneMs then
local function keepFor(key, ms)
if call('PTTL', key) < ms then
call('PEXPIRE', key, ms)
end
end
local sample = call('HRANDFIELD', waitersKey, 8, 'WITHVALUES')
for i = 1, #sample, 2 do
local untilMs = string.match(sample[i + 1], '^gone (%d+)$')
if untilMs and tonumber(untilMs) <= nowMs then
call('HDEL', waitersKey, sample[i])
end
end
call('HSET', waitersKey, owner, string.format('gone %.0f', nowMs + tombstoneMs))
keepFor(waitersKey, tonumber(tombstoneMs))
end
end
local staysInUse = mine and used > 0
if not mine then
local held = redis.pcall('HMGET', mainKey, 'used', owner)
used = not held.err and tonumber(held[1] or 0)
if not used or not held[1] and call('EXISTS', mainKey) == 1 then
local foreign = redis.pcall('TYPE', mainKey).ok or 'value of another type'
return { -3, foreign == 'hash' and 'hash with other content' or foreign }
end
hold = held[2]
local firstHold = call('ZRANGE', endsKey, '0', '0', 'WITHSCORES')
firstOwner, firstEndMs = firstHold[1] or '', held[1] and (firstHold[2] or 0) + 0 or 0
if firstEndMs <= nowMs and (held[1] or firstOwner ~= '') then
local ended = call('ZRANGEBYSCORE', endsKey, '-inf', nowMs)
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
end
end
elseif not staysInUse then
call('DEL', mainKey, endsKey)
elseif call('ZREM', endsKey, owner) == 0 or call('ZCOUNT', endsKey, '-inf', nowMsText) > 0 then
call('HDEL', mainKey, owner)
call('HSET', mainKey, 'used', used)
local held = known
local firstHold = call('ZRANGE', endsKey, '0', '0', 'WITHSCORES')
firstOwner, firstEndMs = firstHold[1] or '', held[1] and (firstHold[2] or 0) + 0 or 0
if firstEndMs <= nowMs and (held[1] or firstOwner ~= '') then
local ended = call('ZRANGEBYSCORE', endsKey, '-inf', nowMs)
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
end
end
end
if not isLeaving and hold then
mine = true
local permits, heldToken = string.match(hold, '^(%d+) (%d+)$')
if tonumber(left) < tonumber(permits) then
used = used - permits + left
call('HSET', mainKey, 'used', string.format('%d', used), owner, left .. ' ' .. heldToken)
end
end
first = first or call('LINDEX', queueKey, '0')
local granted, noticeError, before = nil, '', nil
local requester, want, leaseMs, ownSize = '', nil, nil, nil
local usedBefore = used
local walked, ahead = 0, nil
local newHolder, newPermits, newLeaseMs, newProof, newInbox, entrants
local subscriptions, kept
local isFull, wasMet, hasEntered, blocker, blockedUntilMs = false, false, false, nil, nil
local waiter = override ~= '0' and first
while waiter and waiter ~= before and not granted do
local state = 'none'
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
end
if state == 'alive' then
local isRequester = waiter == requester
wasMet = wasMet or isRequester
local permits, room = entryWant + 0, (override or entrySize) + 0
local mayEnter = permits <= room
if mayEnter and inboxIsChecked == '1' and not isRequester then
subscriptions = subscriptions or {}
mayEnter = subscriptions[entryInbox]
if mayEnter == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', entryInbox)
local isSubscribed = reply.err ~= nil or reply[2] > 0
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
used = used + permits
if not newHolder then
newHolder, newPermits, newLeaseMs, newProof, newInbox = waiter, entryWant, entryLeaseMs, entryProof, entryInbox
else
entrants = entrants or { newHolder, newPermits, newLeaseMs, newProof, newInbox }
local last = #entrants
entrants[last + 1], entrants[last + 2] = waiter, entryWant
entrants[last + 3], entrants[last + 4], entrants[last + 5] = entryLeaseMs, entryProof, entryInbox
end
isFull = used >= room
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
local entryWant, entryLeaseMs, entryProof, entryInbox = want, leaseMs, '', ''
used = used + permits
if not newHolder then
newHolder, newPermits, newLeaseMs, newProof, newInbox = waiter, entryWant, entryLeaseMs, entryProof, entryInbox
else
entrants = entrants or { newHolder, newPermits, newLeaseMs, newProof, newInbox }
local last = #entrants
entrants[last + 1], entrants[last + 2] = waiter, entryWant
entrants[last + 3], entrants[last + 4], entrants[last + 5] = entryLeaseMs, entryProof, entryInbox
end
hasEntered = true
end
end
if newHolder then
for i = 3, entrants and #entrants or 0, 5 do
newLeaseMs = math.max(newLeaseMs, entrants[i])
end
call = redis.pcall
local lifeMs = 2 * newLeaseMs > 60000 and 2 * newLeaseMs or '60000'
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
end
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
if wasFree or call('PTTL', mainKey) < 1.25 * keepMs then
local untilMs = string.format('%d', nowMs + 2 * keepMs)
call('PEXPIREAT', mainKey, untilMs)
call('PEXPIREAT', endsKey, untilMs)
end
for _, noticedInbox in ipairs(inboxes) do
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
local keepMs = newLeaseMs
if wasFree or call('PTTL', mainKey) < 1.25 * keepMs then
local untilMs = string.format('%d', nowMs + 2 * keepMs)
call('PEXPIREAT', mainKey, untilMs)
call('PEXPIREAT', endsKey, untilMs)
end
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
end
if staysInUse then
call('HDEL', mainKey, owner)
if used > 0 and not newHolder then
call('HSET', mainKey, 'used', string.format('%d', used))
end
end
local code = mine and 1 or 0
return noticeError == '' and code or { code, noticeError }`,
  },
  sharedRenew: {
    name: 'sharedRenew',
    sha1: 'a0570703df1c4cec3bf8829ebf155985e2203fee',
    lua: `local call = redis.call
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local nowMsText = string.sub(nowText, 1, -4)
local nowMs = nowMsText + 0
local replies = {}
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
local isLive = ended == 0 and call('ZADD', endsKey, 'XX', 'GT', 'CH', endMs, owner) == 1
if not isLive then
local knownEndMs = call('ZSCORE', endsKey, owner)
isLive = knownEndMs and tonumber(knownEndMs) > nowMs
if isLive then
call('ZADD', endsKey, 'GT', endMs, owner)
end
end
if isLive then
local wasFree = false
if wasFree or call('PTTL', mainKey) < 1.25 * keepMs then
local untilMs = string.format('%d', nowMs + 2 * keepMs)
call('PEXPIREAT', mainKey, untilMs)
call('PEXPIREAT', endsKey, untilMs)
end
end
replies[i] = isLive and 1 or 0
end
end
return replies`,
  },
  sharedResize: {
    name: 'sharedResize',
    sha1: '4e9baef5f36a652ae95dae944a4d591f9ea354ae',
    lua: `local call = redis.call
local mainKey, endsKey, queueKey, waitersKey, fenceKey, sizeKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local newSize = ARGV[1]
local sizeMs = ARGV[2]
local seen = ARGV[3]
local id = ARGV[4]
local tokenFloor = ARGV[5]
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local nowMsText = string.sub(nowText, 1, -4)
local nowMs = nowMsText + 0
local owner, used, hold, firstOwner, firstEndMs = '', 0, false, '', 0
local held = redis.pcall('HMGET', mainKey, 'used', owner)
used = not held.err and tonumber(held[1] or 0)
if not used or not held[1] and call('EXISTS', mainKey) == 1 then
local foreign = redis.pcall('TYPE', mainKey).ok or 'value of another type'
return { -3, foreign == 'hash' and 'hash with other content' or foreign }
end
hold = held[2]
local firstHold = call('ZRANGE', endsKey, '0', '0', 'WITHSCORES')
firstOwner, firstEndMs = firstHold[1] or '', held[1] and (firstHold[2] or 0) + 0 or 0
if firstEndMs <= nowMs and (held[1] or firstOwner ~= '') then
local ended = call('ZRANGEBYSCORE', endsKey, '-inf', nowMs)
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
end
end
local size, version, lastId = string.match(call('GET', sizeKey) or '0 0 ', '^(%d+) (%d+) (.*)$')
if lastId == id then
return { 1, tonumber(version), tonumber(size) }
elseif version ~= seen then
return { 0, tonumber(version), tonumber(size) }
end
local first = call('LINDEX', queueKey, '0')
version = version + 1
call('SET', sizeKey, newSize .. ' ' .. version .. ' ' .. id, 'PX', sizeMs)
local override = newSize
local granted, noticeError, before = nil, '', nil
local requester, want, leaseMs, ownSize = '', nil, nil, nil
local usedBefore = used
local walked, ahead = 0, nil
local newHolder, newPermits, newLeaseMs, newProof, newInbox, entrants
local subscriptions, kept
local isFull, wasMet, hasEntered, blocker, blockedUntilMs = false, false, false, nil, nil
local waiter = override ~= '0' and first
while waiter and waiter ~= before and not granted do
local state = 'none'
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
end
if state == 'alive' then
local isRequester = waiter == requester
wasMet = wasMet or isRequester
local permits, room = entryWant + 0, (override or entrySize) + 0
local mayEnter = permits <= room
if mayEnter and inboxIsChecked == '1' and not isRequester then
subscriptions = subscriptions or {}
mayEnter = subscriptions[entryInbox]
if mayEnter == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', entryInbox)
local isSubscribed = reply.err ~= nil or reply[2] > 0
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
used = used + permits
if not newHolder then
newHolder, newPermits, newLeaseMs, newProof, newInbox = waiter, entryWant, entryLeaseMs, entryProof, entryInbox
else
entrants = entrants or { newHolder, newPermits, newLeaseMs, newProof, newInbox }
local last = #entrants
entrants[last + 1], entrants[last + 2] = waiter, entryWant
entrants[last + 3], entrants[last + 4], entrants[last + 5] = entryLeaseMs, entryProof, entryInbox
end
isFull = used >= room
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
local entryWant, entryLeaseMs, entryProof, entryInbox = want, leaseMs, '', ''
used = used + permits
if not newHolder then
newHolder, newPermits, newLeaseMs, newProof, newInbox = waiter, entryWant, entryLeaseMs, entryProof, entryInbox
else
entrants = entrants or { newHolder, newPermits, newLeaseMs, newProof, newInbox }
local last = #entrants
entrants[last + 1], entrants[last + 2] = waiter, entryWant
entrants[last + 3], entrants[last + 4], entrants[last + 5] = entryLeaseMs, entryProof, entryInbox
end
hasEntered = true
end
end
if newHolder then
for i = 3, entrants and #entrants or 0, 5 do
newLeaseMs = math.max(newLeaseMs, entrants[i])
end
call = redis.pcall
local lifeMs = 2 * newLeaseMs > 60000 and 2 * newLeaseMs or '60000'
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
end
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
if wasFree or call('PTTL', mainKey) < 1.25 * keepMs then
local untilMs = string.format('%d', nowMs + 2 * keepMs)
call('PEXPIREAT', mainKey, untilMs)
call('PEXPIREAT', endsKey, untilMs)
end
for _, noticedInbox in ipairs(inboxes) do
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
local keepMs = newLeaseMs
if wasFree or call('PTTL', mainKey) < 1.25 * keepMs then
local untilMs = string.format('%d', nowMs + 2 * keepMs)
call('PEXPIREAT', mainKey, untilMs)
call('PEXPIREAT', endsKey, untilMs)
end
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
end
local reply = { 1, version, tonumber(newSize) }
if noticeError ~= '' then
reply[4] = noticeError
end
return reply`,
  },
}
