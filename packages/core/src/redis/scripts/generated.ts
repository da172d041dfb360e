// DO NOT EDIT: written from lua/ by `pnpm generate`.

/** One Lua script and the SHA-1 by which a server that has seen it knows it. */
export interface Script {
  readonly name: string
  readonly sha1: string
  readonly lua: string
}

export type ScriptName = 'clientIdentify' | 'clientRegister' | 'lockAcquire' | 'lockForce' | 'lockInspect' | 'lockRefresh' | 'lockRelease' | 'lockRenew' | 'lockSetCount' | 'redissonIdentifySharding' | 'redissonLockAcquire' | 'redissonLockForce' | 'redissonLockRelease'

export const scripts: Readonly<Record<ScriptName, Script>> = {
  clientIdentify: {
    name: 'clientIdentify',
    sha1: '7cb745dbdcde9eec419bfe50450da411351bf83b',
    lua: `return redis.call('INFO', 'server') .. redis.call('INFO', 'replication') .. redis.call('INFO', 'memory')`,
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
  lockAcquire: {
    name: 'lockAcquire',
    sha1: 'e261f62a7065ca1d733a2c0ae8497e9379c9dd20',
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
call('HSET', lockKey, owner, '1')
keepFor(lockKey, tonumber(leaseMs))
local knownToken = call('GET', fenceKey)
if knownToken then
keepFor(fenceKey, math.max(60000, 2 * leaseMs))
return knownToken
end
local newLeaseMs = leaseMs
local lifeMs = 2 * newLeaseMs > 60000 and 2 * newLeaseMs or '60000'
local token = nowText
if #tokenFloor > #token or #tokenFloor == #token and tokenFloor >= token then
token = string.format('%.0f', tokenFloor + 1)
end
local lastToken = call('SET', fenceKey, token, 'PX', lifeMs, 'GET')
if lastToken and (#lastToken > #token or #lastToken == #token and lastToken >= token) then
token = string.format('%.0f', lastToken + 1)
call('SET', fenceKey, token, 'PX', lifeMs)
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
local waiter, skipped = first, nil
while waiter and waiter ~= before and not granted do
local state = 'none'
local entry = call('HGET', waitersKey, waiter) or ''
local aliveSinceUs, aliveForMs, entryLeaseMs, inboxIsChecked, entryInbox =
string.match(entry, '^(%d+) (%d+) (%d+) ([01]) (.+)$')
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
if #tokenFloor > #token or #tokenFloor == #token and tokenFloor >= token then
token = string.format('%.0f', tokenFloor + 1)
end
local lastToken = call('SET', fenceKey, token, 'PX', lifeMs, 'GET')
if lastToken and (#lastToken > #token or #lastToken == #token and lastToken >= token) then
token = string.format('%.0f', lastToken + 1)
call('SET', fenceKey, token, 'PX', lifeMs)
end
call('HSET', lockKey, newHolder, '1')
call('PEXPIRE', lockKey, newLeaseMs)
local notice = 'granted ' .. newHolder .. ' ' .. token .. ' ' .. nowText .. ' ' .. newLeaseMs .. ' ' .. lockKey
local received = redis.pcall('PUBLISH', entryInbox, notice)
if received == 0 and inboxIsChecked == '1' then
call('DEL', lockKey)
else
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
waiter = not granted and call('LPOP', queueKey)
end
if skipped then
for i = #skipped, 1, -1 do
call('LPUSH', queueKey, skipped[i])
end
call('PEXPIRE', queueKey, call('PTTL', waitersKey))
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
if #tokenFloor > #token or #tokenFloor == #token and tokenFloor >= token then
token = string.format('%.0f', tokenFloor + 1)
end
local lastToken = call('SET', fenceKey, token, 'PX', lifeMs, 'GET')
if lastToken and (#lastToken > #token or #lastToken == #token and lastToken >= token) then
token = string.format('%.0f', lastToken + 1)
call('SET', fenceKey, token, 'PX', lifeMs)
end
call('HSET', lockKey, newHolder, '1')
call('PEXPIRE', lockKey, newLeaseMs)
return token`,
  },
  lockForce: {
    name: 'lockForce',
    sha1: '6642e266b1aad198fbab4e2473933d72ffc4011c',
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
local waiter, skipped = first, nil
while waiter and waiter ~= before and not granted do
local state = 'none'
local entry = call('HGET', waitersKey, waiter) or ''
local aliveSinceUs, aliveForMs, entryLeaseMs, inboxIsChecked, entryInbox =
string.match(entry, '^(%d+) (%d+) (%d+) ([01]) (.+)$')
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
if #tokenFloor > #token or #tokenFloor == #token and tokenFloor >= token then
token = string.format('%.0f', tokenFloor + 1)
end
local lastToken = call('SET', fenceKey, token, 'PX', lifeMs, 'GET')
if lastToken and (#lastToken > #token or #lastToken == #token and lastToken >= token) then
token = string.format('%.0f', lastToken + 1)
call('SET', fenceKey, token, 'PX', lifeMs)
end
call('HSET', lockKey, newHolder, '1')
call('PEXPIRE', lockKey, newLeaseMs)
local notice = 'granted ' .. newHolder .. ' ' .. token .. ' ' .. nowText .. ' ' .. newLeaseMs .. ' ' .. lockKey
local received = redis.pcall('PUBLISH', entryInbox, notice)
if received == 0 and inboxIsChecked == '1' then
call('DEL', lockKey)
else
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
waiter = not granted and call('LPOP', queueKey)
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
    sha1: 'b20f755429b0a375b3af1648e3beb97a3d18eb2b',
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
local aliveSinceUs, aliveForMs, entryLeaseMs, inboxIsChecked, entryInbox =
string.match(entry, '^(%d+) (%d+) (%d+) ([01]) (.+)$')
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
    sha1: '3bbe2c2794412049d5149c2f21b8c58bd9e22867',
    lua: `local call = redis.call
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
local replies = {}
for i = 1, #KEYS / 3 do
local lockKey, queueKey, waitersKey = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
local owner = ARGV[2 * i - 1]
local entryTtlMs = ARGV[2 * i]
local ttlMs = call('PTTL', lockKey)
local code = 0
local waiter = owner
local state = 'none'
local entry = call('HGET', waitersKey, waiter) or ''
local aliveSinceUs, aliveForMs, entryLeaseMs, inboxIsChecked, entryInbox =
string.match(entry, '^(%d+) (%d+) (%d+) ([01]) (.+)$')
if not aliveSinceUs then
local goneUntilMs = string.match(entry, '^gone (%d+)$')
if goneUntilMs and 1000 * goneUntilMs > tonumber(nowText) then
state = 'tombstone'
end
elseif nowText - aliveSinceUs < 1000 * aliveForMs then
state = 'alive'
end
if state == 'alive' and call('PTTL', queueKey) ~= -2 then
local leaseAndInbox = entryLeaseMs .. ' ' .. inboxIsChecked .. ' ' .. entryInbox
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
elseif ttlMs ~= -2 and type(redis.pcall('HGET', lockKey, owner)) == 'string' then
code = 2
end
replies[2 * i - 1] = code
replies[2 * i] = ttlMs
end
return replies`,
  },
  lockRelease: {
    name: 'lockRelease',
    sha1: '6c81343f1ec545c0cefef8a6c8885738e4464e03',
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
local aliveSinceUs, aliveForMs, entryLeaseMs, inboxIsChecked, entryInbox =
string.match(entry, '^(%d+) (%d+) (%d+) ([01]) (.+)$')
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
local waiter, skipped = first, nil
while waiter and waiter ~= before and not granted do
local state = 'none'
local entry = call('HGET', waitersKey, waiter) or ''
local aliveSinceUs, aliveForMs, entryLeaseMs, inboxIsChecked, entryInbox =
string.match(entry, '^(%d+) (%d+) (%d+) ([01]) (.+)$')
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
if #tokenFloor > #token or #tokenFloor == #token and tokenFloor >= token then
token = string.format('%.0f', tokenFloor + 1)
end
local lastToken = call('SET', fenceKey, token, 'PX', lifeMs, 'GET')
if lastToken and (#lastToken > #token or #lastToken == #token and lastToken >= token) then
token = string.format('%.0f', lastToken + 1)
call('SET', fenceKey, token, 'PX', lifeMs)
end
call('HSET', lockKey, newHolder, '1')
call('PEXPIRE', lockKey, newLeaseMs)
local notice = 'granted ' .. newHolder .. ' ' .. token .. ' ' .. nowText .. ' ' .. newLeaseMs .. ' ' .. lockKey
local received = redis.pcall('PUBLISH', entryInbox, notice)
if received == 0 and inboxIsChecked == '1' then
call('DEL', lockKey)
else
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
waiter = not granted and call('LPOP', queueKey)
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
  redissonIdentifySharding: {
    name: 'redissonIdentifySharding',
    sha1: '64f4c222080c5863c7a9f75acf2c8af93a36ce85',
    lua: `local reply = redis.pcall('PUBSUB', 'SHARDNUMSUB', '0')
return { reply.err and 0 or 1 }`,
  },
  redissonLockAcquire: {
    name: 'redissonLockAcquire',
    sha1: '169f2f40ea816cb40c16680e3d98f1fc9a8aa8e5',
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
local aliveSinceUs, aliveForMs, entryLeaseMs, inboxIsChecked, entryInbox =
string.match(entry, '^(%d+) (%d+) (%d+) ([01]) (.+)$')
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
call('HSET', lockKey, owner, count)
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
    sha1: 'c4818065b068c0d90aa02833cf6df87892452052',
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
local aliveSinceUs, aliveForMs, entryLeaseMs, inboxIsChecked, entryInbox =
string.match(entry, '^(%d+) (%d+) (%d+) ([01]) (.+)$')
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
    sha1: 'a7409f2c3f07a3b9fb625bba2b9e73dc4d4dff5d',
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
local aliveSinceUs, aliveForMs, entryLeaseMs, inboxIsChecked, entryInbox =
string.match(entry, '^(%d+) (%d+) (%d+) ([01]) (.+)$')
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
local aliveSinceUs, aliveForMs, entryLeaseMs, inboxIsChecked, entryInbox =
string.match(entry, '^(%d+) (%d+) (%d+) ([01]) (.+)$')
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
}
