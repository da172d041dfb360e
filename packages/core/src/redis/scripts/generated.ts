// DO NOT EDIT: written from lua/ by `pnpm generate`.

/** One Lua script and the SHA-1 by which a server that has seen it knows it. */
export interface Script {
  readonly name: string
  readonly sha1: string
  readonly lua: string
}

export type ScriptName = 'clientIdentify' | 'clientRegister' | 'lockAcquire' | 'lockForce' | 'lockInspect' | 'lockRefresh' | 'lockRelease' | 'lockRenew' | 'redissonIdentifySharding' | 'redissonLockAcquire' | 'redissonLockForce' | 'redissonLockRelease'

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
    sha1: '9ab485298f202824ae024bc3efb8f43aaaaae865',
    lua: `local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local count = tonumber(ARGV[2])
local leaseMs = ARGV[3]
local tokenFloor = tonumber(ARGV[7])
local time = redis.call('TIME')
local nowUs = time[1] * 1000000 + time[2]
local nowText = time[1] .. string.sub('00000' .. time[2], -6)
local nowMs = math.floor(nowUs / 1000)
if count > 1 or redis.call('EXISTS', lockKey, queueKey, waitersKey) > 0 then
local entryTtlMs = tonumber(ARGV[4])
local grantLeaseMs = ARGV[5]
local inbox = ARGV[6]
local checkInbox = ARGV[8] == '1'
local ttlMs = redis.call('PTTL', lockKey)
local holder = ''
if ttlMs ~= -2 then
local holders = redis.pcall('HKEYS', lockKey)
if holders.err or ttlMs == -1 then
return { -3, redis.pcall('TYPE', lockKey).ok or 'value of another type' }
end
holder = holders[1]
end
if holder == owner then
local function keepFor(key, ms)
if redis.call('PTTL', key) < ms then
redis.call('PEXPIRE', key, ms)
end
end
redis.call('HSET', lockKey, owner, count)
keepFor(lockKey, tonumber(leaseMs))
local last = tonumber(redis.call('GET', fenceKey) or '0')
if count == 1 and last == 0 then
local newLeaseMs = leaseMs
local lifeMs = 2 * newLeaseMs > 60000 and 2 * newLeaseMs or '60000'
local token, tokenText = nowUs, nowText
if tokenFloor >= token then
token = tokenFloor + 1
tokenText = string.format('%.0f', token)
end
local lastToken = redis.call('SET', fenceKey, tokenText, 'PX', lifeMs, 'GET')
if lastToken and tonumber(lastToken) >= token then
token = tonumber(lastToken) + 1
tokenText = string.format('%.0f', token)
redis.call('SET', fenceKey, tokenText, 'PX', lifeMs)
end
return token
elseif count == 1 then
keepFor(fenceKey, math.max(60000, 2 * leaseMs))
end
return last
end
if count > 1 then
return { -1 }
end
do
local waiter = owner
local state = 'none'
local entry = redis.call('HGET', waitersKey, waiter) or ''
local aliveUntilMs, entryLeaseMs, entryInbox = string.match(entry, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
state = 'alive'
elseif not aliveUntilMs then
local goneUntilMs = string.match(entry, '^gone (%d+)$')
if goneUntilMs and tonumber(goneUntilMs) > nowMs then
state = 'tombstone'
end
end
if state == 'tombstone' then
return { -2 }
end
end
local isFree = ttlMs == -2
local before = owner
local first = isFree and redis.call('ZRANGE', queueKey, '0', '0')[1]
local granted, noticeError = nil, ''
local offset = 0
local subscribed = {}
while isFree and first and first ~= before do
local waiter = first
local state = 'none'
local entry = redis.call('HGET', waitersKey, waiter) or ''
local aliveUntilMs, entryLeaseMs, entryInbox = string.match(entry, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
state = 'alive'
elseif not aliveUntilMs then
local goneUntilMs = string.match(entry, '^gone (%d+)$')
if goneUntilMs and tonumber(goneUntilMs) > nowMs then
state = 'tombstone'
end
end
if state == 'alive' then
local isSubscribed = not checkInbox or subscribed[entryInbox]
if isSubscribed == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', entryInbox)
isSubscribed = reply.err ~= nil or reply[2] > 0
subscribed[entryInbox] = isSubscribed
end
if isSubscribed then
redis.call('ZREM', queueKey, waiter)
redis.call('HDEL', waitersKey, waiter)
local newHolder, newLeaseMs = waiter, entryLeaseMs
local lifeMs = 2 * newLeaseMs > 60000 and 2 * newLeaseMs or '60000'
local token, tokenText = nowUs, nowText
if tokenFloor >= token then
token = tokenFloor + 1
tokenText = string.format('%.0f', token)
end
local lastToken = redis.call('SET', fenceKey, tokenText, 'PX', lifeMs, 'GET')
if lastToken and tonumber(lastToken) >= token then
token = tonumber(lastToken) + 1
tokenText = string.format('%.0f', token)
redis.call('SET', fenceKey, tokenText, 'PX', lifeMs)
end
redis.call('HSET', lockKey, newHolder, '1')
redis.call('PEXPIRE', lockKey, newLeaseMs)
local notice = 'granted ' .. newHolder .. ' ' .. tokenText .. ' ' .. nowText .. ' ' .. newLeaseMs .. ' ' .. lockKey
local reply = redis.pcall('PUBLISH', entryInbox, notice)
noticeError = type(reply) == 'table' and reply.err or ''
granted = newHolder
isFree = false
else
offset = offset + 1
end
elseif state == 'none' then
redis.call('ZREM', queueKey, waiter)
redis.call('HDEL', waitersKey, waiter)
else
redis.call('ZREM', queueKey, waiter)
end
first = isFree and redis.call('ZRANGE', queueKey, offset, offset)[1]
end
if granted then
holder = granted
ttlMs = redis.call('PTTL', lockKey)
end
if not isFree then
local position = 0
if entryTtlMs > 0 then
local isNew = redis.call('ZADD', queueKey, 'NX', nowText, owner) == 1
local rank = redis.call('ZRANK', queueKey, owner)
local lastRank = redis.call('ZCARD', queueKey) - 1
if isNew and rank < lastRank then
local newest = redis.call('ZRANGE', queueKey, '-1', '-1', 'WITHSCORES')[2]
redis.call('ZADD', queueKey, string.format('%.0f', newest + 1), owner)
rank = lastRank
end
redis.call('HSET', waitersKey, owner, string.format('%.0f %s %s', nowMs + entryTtlMs, grantLeaseMs, inbox))
if redis.call('PTTL', queueKey) < entryTtlMs then
local function keepFor(key, ms)
if redis.call('PTTL', key) < ms then
redis.call('PEXPIRE', key, ms)
end
end
redis.call('PEXPIRE', queueKey, 2 * entryTtlMs)
keepFor(waitersKey, 2 * entryTtlMs)
end
position = rank + 1
end
local busy = string.format('%d %s %d %s', ttlMs, nowText, position, holder)
return noticeError == '' and busy or { 0, busy, noticeError }
end
local waiter = owner
redis.call('ZREM', queueKey, waiter)
redis.call('HDEL', waitersKey, waiter)
end
local newHolder, newLeaseMs = owner, leaseMs
local lifeMs = 2 * newLeaseMs > 60000 and 2 * newLeaseMs or '60000'
local token, tokenText = nowUs, nowText
if tokenFloor >= token then
token = tokenFloor + 1
tokenText = string.format('%.0f', token)
end
local lastToken = redis.call('SET', fenceKey, tokenText, 'PX', lifeMs, 'GET')
if lastToken and tonumber(lastToken) >= token then
token = tonumber(lastToken) + 1
tokenText = string.format('%.0f', token)
redis.call('SET', fenceKey, tokenText, 'PX', lifeMs)
end
redis.call('HSET', lockKey, newHolder, '1')
redis.call('PEXPIRE', lockKey, newLeaseMs)
return token`,
  },
  lockForce: {
    name: 'lockForce',
    sha1: '5047291373d9e7af89bb769baa23271f8756d0fc',
    lua: `local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local inbox = ARGV[2]
local tokenFloor = tonumber(ARGV[3])
local checkInbox = ARGV[4] == '1'
local time = redis.call('TIME')
local nowUs = time[1] * 1000000 + time[2]
local nowText = time[1] .. string.sub('00000' .. time[2], -6)
local nowMs = math.floor(nowUs / 1000)
local ttlMs = redis.call('PTTL', lockKey)
local holder = ''
if ttlMs ~= -2 then
local holders = redis.pcall('HKEYS', lockKey)
if holders.err or ttlMs == -1 then
return { -3, redis.pcall('TYPE', lockKey).ok or 'value of another type' }
end
holder = holders[1]
end
if holder ~= owner then
return 0
end
redis.call('DEL', lockKey)
local revoked = redis.pcall('PUBLISH', inbox, 'revoked ' .. owner .. ' ' .. lockKey)
local isFree, before = true, nil
local first = redis.call('ZRANGE', queueKey, '0', '0')[1]
local granted, noticeError = nil, ''
local offset = 0
local subscribed = {}
while isFree and first and first ~= before do
local waiter = first
local state = 'none'
local entry = redis.call('HGET', waitersKey, waiter) or ''
local aliveUntilMs, entryLeaseMs, entryInbox = string.match(entry, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
state = 'alive'
elseif not aliveUntilMs then
local goneUntilMs = string.match(entry, '^gone (%d+)$')
if goneUntilMs and tonumber(goneUntilMs) > nowMs then
state = 'tombstone'
end
end
if state == 'alive' then
local isSubscribed = not checkInbox or subscribed[entryInbox]
if isSubscribed == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', entryInbox)
isSubscribed = reply.err ~= nil or reply[2] > 0
subscribed[entryInbox] = isSubscribed
end
if isSubscribed then
redis.call('ZREM', queueKey, waiter)
redis.call('HDEL', waitersKey, waiter)
local newHolder, newLeaseMs = waiter, entryLeaseMs
local lifeMs = 2 * newLeaseMs > 60000 and 2 * newLeaseMs or '60000'
local token, tokenText = nowUs, nowText
if tokenFloor >= token then
token = tokenFloor + 1
tokenText = string.format('%.0f', token)
end
local lastToken = redis.call('SET', fenceKey, tokenText, 'PX', lifeMs, 'GET')
if lastToken and tonumber(lastToken) >= token then
token = tonumber(lastToken) + 1
tokenText = string.format('%.0f', token)
redis.call('SET', fenceKey, tokenText, 'PX', lifeMs)
end
redis.call('HSET', lockKey, newHolder, '1')
redis.call('PEXPIRE', lockKey, newLeaseMs)
local notice = 'granted ' .. newHolder .. ' ' .. tokenText .. ' ' .. nowText .. ' ' .. newLeaseMs .. ' ' .. lockKey
local reply = redis.pcall('PUBLISH', entryInbox, notice)
noticeError = type(reply) == 'table' and reply.err or ''
granted = newHolder
isFree = false
else
offset = offset + 1
end
elseif state == 'none' then
redis.call('ZREM', queueKey, waiter)
redis.call('HDEL', waitersKey, waiter)
else
redis.call('ZREM', queueKey, waiter)
end
first = isFree and redis.call('ZRANGE', queueKey, offset, offset)[1]
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
    sha1: '18b49c29cdfc6b598fd3d5949e7afef909f8bbb1',
    lua: `local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local maxEntries = tonumber(ARGV[1])
local time = redis.call('TIME')
local nowUs = time[1] * 1000000 + time[2]
local nowText = time[1] .. string.sub('00000' .. time[2], -6)
local nowMs = math.floor(nowUs / 1000)
local ttlMs = redis.call('PTTL', lockKey)
local holder = ''
if ttlMs ~= -2 then
local holders = redis.pcall('HKEYS', lockKey)
if holders.err or ttlMs == -1 then
return { -3, redis.pcall('TYPE', lockKey).ok or 'value of another type' }
end
holder = holders[1]
end
local token = tonumber(redis.call('GET', fenceKey) or '0')
local reply = { ttlMs, holder, tonumber(redis.call('HGET', lockKey, holder) or '0'), token, redis.call('ZCARD', queueKey) }
for _, owner in ipairs(maxEntries > 0 and redis.call('ZRANGE', queueKey, 0, maxEntries - 1) or {}) do
local aliveUntilMs = string.match(redis.call('HGET', waitersKey, owner) or '', '^(%d+) ')
reply[#reply + 1] = owner
reply[#reply + 1] = math.max(0, (tonumber(aliveUntilMs) or 0) - nowMs)
end
return reply`,
  },
  lockRefresh: {
    name: 'lockRefresh',
    sha1: 'bdebd29d8acf184e5e9a0ce705c5e9d599af459c',
    lua: `local time = redis.call('TIME')
local nowUs = time[1] * 1000000 + time[2]
local nowText = time[1] .. string.sub('00000' .. time[2], -6)
local nowMs = math.floor(nowUs / 1000)
local replies = {}
for i = 1, #KEYS / 3 do
local lockKey, queueKey, waitersKey = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
local owner = ARGV[2 * i - 1]
local entryTtlMs = tonumber(ARGV[2 * i])
local ttlMs = redis.call('PTTL', lockKey)
local state = 0
local leaseAndInbox = string.match(redis.call('HGET', waitersKey, owner) or '', '^%d+( .+)$')
if leaseAndInbox and redis.call('ZSCORE', queueKey, owner) then
redis.call('HSET', waitersKey, owner, string.format('%.0f', nowMs + entryTtlMs) .. leaseAndInbox)
for _, key in ipairs({ queueKey, waitersKey }) do
if redis.call('PTTL', key) < entryTtlMs then
redis.call('PEXPIRE', key, entryTtlMs)
end
end
state = 1
elseif ttlMs ~= -2 and type(redis.pcall('HGET', lockKey, owner)) == 'string' then
state = 2
end
replies[2 * i - 1] = state
replies[2 * i] = ttlMs
end
return replies`,
  },
  lockRelease: {
    name: 'lockRelease',
    sha1: '37dff6386cd4d796ad22fa0058d3691455c2e8c7',
    lua: `local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local count = tonumber(ARGV[2])
local tombstoneMs = tonumber(ARGV[3])
local tokenFloor = tonumber(ARGV[4])
local checkInbox = ARGV[5] == '1'
local mine = count == 0 and redis.pcall('HDEL', lockKey, owner) == 1
local isFree = mine and tombstoneMs == 0
local first = isFree and redis.call('ZRANGE', queueKey, '0', '0')[1]
if isFree and not first then
return 1
end
local time = redis.call('TIME')
local nowUs = time[1] * 1000000 + time[2]
local nowText = time[1] .. string.sub('00000' .. time[2], -6)
local nowMs = math.floor(nowUs / 1000)
if not isFree then
if count == 0 then
local waiter = owner
local state = 'none'
local entry = redis.call('HGET', waitersKey, waiter) or ''
local aliveUntilMs, entryLeaseMs, entryInbox = string.match(entry, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
state = 'alive'
elseif not aliveUntilMs then
local goneUntilMs = string.match(entry, '^gone (%d+)$')
if goneUntilMs and tonumber(goneUntilMs) > nowMs then
state = 'tombstone'
end
end
if state ~= 'tombstone' then
redis.call('ZREM', queueKey, waiter)
redis.call('HDEL', waitersKey, waiter)
end
if tombstoneMs > 0 then
local function keepFor(key, ms)
if redis.call('PTTL', key) < ms then
redis.call('PEXPIRE', key, ms)
end
end
local sample = redis.call('HRANDFIELD', waitersKey, 8, 'WITHVALUES')
for i = 1, #sample, 2 do
local untilMs = string.match(sample[i + 1], '^gone (%d+)$')
if untilMs and tonumber(untilMs) <= nowMs then
redis.call('HDEL', waitersKey, sample[i])
end
end
redis.call('HSET', waitersKey, owner, string.format('gone %.0f', nowMs + tombstoneMs))
keepFor(waitersKey, tombstoneMs)
end
end
local ttlMs = redis.call('PTTL', lockKey)
local holder = ''
if ttlMs ~= -2 then
local holders = redis.pcall('HKEYS', lockKey)
if holders.err or ttlMs == -1 then
return { -3, redis.pcall('TYPE', lockKey).ok or 'value of another type' }
end
holder = holders[1]
end
if count > 0 then
mine = holder == owner
if mine then
redis.call('HSET', lockKey, owner, count)
end
return mine and 1 or 0
end
isFree = ttlMs == -2
first = isFree and redis.call('ZRANGE', queueKey, '0', '0')[1]
end
local before = nil
local granted, noticeError = nil, ''
local offset = 0
local subscribed = {}
while isFree and first and first ~= before do
local waiter = first
local state = 'none'
local entry = redis.call('HGET', waitersKey, waiter) or ''
local aliveUntilMs, entryLeaseMs, entryInbox = string.match(entry, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
state = 'alive'
elseif not aliveUntilMs then
local goneUntilMs = string.match(entry, '^gone (%d+)$')
if goneUntilMs and tonumber(goneUntilMs) > nowMs then
state = 'tombstone'
end
end
if state == 'alive' then
local isSubscribed = not checkInbox or subscribed[entryInbox]
if isSubscribed == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', entryInbox)
isSubscribed = reply.err ~= nil or reply[2] > 0
subscribed[entryInbox] = isSubscribed
end
if isSubscribed then
redis.call('ZREM', queueKey, waiter)
redis.call('HDEL', waitersKey, waiter)
local newHolder, newLeaseMs = waiter, entryLeaseMs
local lifeMs = 2 * newLeaseMs > 60000 and 2 * newLeaseMs or '60000'
local token, tokenText = nowUs, nowText
if tokenFloor >= token then
token = tokenFloor + 1
tokenText = string.format('%.0f', token)
end
local lastToken = redis.call('SET', fenceKey, tokenText, 'PX', lifeMs, 'GET')
if lastToken and tonumber(lastToken) >= token then
token = tonumber(lastToken) + 1
tokenText = string.format('%.0f', token)
redis.call('SET', fenceKey, tokenText, 'PX', lifeMs)
end
redis.call('HSET', lockKey, newHolder, '1')
redis.call('PEXPIRE', lockKey, newLeaseMs)
local notice = 'granted ' .. newHolder .. ' ' .. tokenText .. ' ' .. nowText .. ' ' .. newLeaseMs .. ' ' .. lockKey
local reply = redis.pcall('PUBLISH', entryInbox, notice)
noticeError = type(reply) == 'table' and reply.err or ''
granted = newHolder
isFree = false
else
offset = offset + 1
end
elseif state == 'none' then
redis.call('ZREM', queueKey, waiter)
redis.call('HDEL', waitersKey, waiter)
else
redis.call('ZREM', queueKey, waiter)
end
first = isFree and redis.call('ZRANGE', queueKey, offset, offset)[1]
end
local code = mine and 1 or 0
return noticeError == '' and code or { code, noticeError }`,
  },
  lockRenew: {
    name: 'lockRenew',
    sha1: 'cf3dbceab2ddd124d57f15a8ddb20fda22a5dafd',
    lua: `local replies = {}
for i, lockKey in ipairs(KEYS) do
local owner = ARGV[2 * i - 1]
local leaseMs = ARGV[2 * i]
local ttlMs = redis.call('PTTL', lockKey)
local count = ttlMs ~= -2 and redis.pcall('HGET', lockKey, owner)
if not count then
replies[i] = 0
elseif type(count) == 'table' or ttlMs == -1 then
replies[i] = -3
else
if ttlMs < tonumber(leaseMs) then
redis.call('PEXPIRE', lockKey, leaseMs)
end
replies[i] = 1
end
end
return replies`,
  },
  redissonIdentifySharding: {
    name: 'redissonIdentifySharding',
    sha1: '64f4c222080c5863c7a9f75acf2c8af93a36ce85',
    lua: `local reply = redis.pcall('PUBSUB', 'SHARDNUMSUB', '0')
return { reply.err and 0 or 1 }`,
  },
  redissonLockAcquire: {
    name: 'redissonLockAcquire',
    sha1: '0d98df1eea2fb931869be0c16263179578dba7d1',
    lua: `local lockKey, queueKey, waitersKey, tokenKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local count = tonumber(ARGV[2])
local leaseMs = tonumber(ARGV[3])
local entryTtlMs = tonumber(ARGV[4])
local inbox = ARGV[5]
local checkInbox = ARGV[6] == '1'
local wantsToken = ARGV[7] == '1'
local time = redis.call('TIME')
local nowUs = time[1] * 1000000 + time[2]
local nowText = time[1] .. string.sub('00000' .. time[2], -6)
local nowMs = math.floor(nowUs / 1000)
local ttlMs = redis.call('PTTL', lockKey)
local holder = ''
if ttlMs ~= -2 then
local holders = redis.pcall('HKEYS', lockKey)
if holders.err or ttlMs == -1 then
return { -3, redis.pcall('TYPE', lockKey).ok or 'value of another type' }
end
holder = holders[1]
end
local turnMs = 100
local headStartMs = 5
local headStartEvery = 4
local function readEntry(waiter)
local state = 'none'
local entry = redis.call('HGET', waitersKey, waiter) or ''
local aliveUntilMs, entryLeaseMs, entryInbox = string.match(entry, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
state = 'alive'
elseif not aliveUntilMs then
local goneUntilMs = string.match(entry, '^gone (%d+)$')
if goneUntilMs and tonumber(goneUntilMs) > nowMs then
state = 'tombstone'
end
end
return state, entryInbox
end
local function dropEntry(waiter)
redis.call('ZREM', queueKey, waiter)
redis.call('HDEL', waitersKey, waiter)
end
local subscribed = {}
local function isSubscribedTo(entryInbox)
local isSubscribed = not checkInbox or subscribed[entryInbox]
if isSubscribed == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', entryInbox)
isSubscribed = reply.err ~= nil or reply[2] > 0
subscribed[entryInbox] = isSubscribed
end
return isSubscribed
end
local function readTurn()
local turn = redis.call('HGET', waitersKey, 'turn') or ''
local fromMs, untilMs, turnOwner = string.match(turn, '^(%d+) (%d+) (.+)$')
fromMs, untilMs = tonumber(fromMs), tonumber(untilMs)
if fromMs and fromMs > nowMs + headStartMs then
return nil
end
return turnOwner, untilMs, fromMs
end
local function endTurn(waiter)
if readTurn() == waiter then
redis.call('HDEL', waitersKey, 'turn')
end
end
local function offerTurn(before, headStart)
local offset = 0
while true do
local waiter = redis.call('ZRANGE', queueKey, offset, offset)[1]
if not waiter then
return nil, ''
end
local turnOwner, untilMs, fromMs = readTurn()
if waiter == before then
return turnOwner == waiter and fromMs > nowMs and fromMs - nowMs or nil, ''
end
local state, entryInbox = readEntry(waiter)
if state == 'alive' and turnOwner == waiter and untilMs <= nowMs then
redis.call('HDEL', waitersKey, 'turn')
dropEntry(waiter)
elseif state == 'none' then
dropEntry(waiter)
endTurn(waiter)
elseif state == 'tombstone' then
redis.call('ZREM', queueKey, waiter)
endTurn(waiter)
elseif not isSubscribedTo(entryInbox) then
offset = offset + 1
elseif turnOwner == waiter then
return untilMs - nowMs, ''
else
fromMs = nowMs + (headStart and nowUs % headStartEvery == 0 and headStartMs or 0)
redis.call('HSET', waitersKey, 'turn', string.format('%.0f %.0f %s', fromMs, fromMs + turnMs, waiter))
local reply = redis.pcall('PUBLISH', entryInbox, 'free ' .. waiter .. ' ' .. lockKey)
return turnMs, type(reply) == 'table' and reply.err or ''
end
end
end
if holder == owner then
local function keepFor(key, ms)
if redis.call('PTTL', key) < ms then
redis.call('PEXPIRE', key, ms)
end
end
local token = 0
if wantsToken then
token = count == 1 and redis.call('GET', tokenKey) or redis.call('INCR', tokenKey)
end
redis.call('HSET', lockKey, owner, count)
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
local token = wantsToken and redis.call('INCR', tokenKey) or 0
redis.call('HSET', lockKey, owner, 1)
redis.call('PEXPIRE', lockKey, leaseMs)
dropEntry(owner)
redis.call('HDEL', waitersKey, 'turn')
return token
end
ttlMs = remainingMs
else
endTurn(owner)
end
local grantLeaseMs = leaseMs
local position = 0
if entryTtlMs > 0 then
local isNew = redis.call('ZADD', queueKey, 'NX', nowText, owner) == 1
local rank = redis.call('ZRANK', queueKey, owner)
local lastRank = redis.call('ZCARD', queueKey) - 1
if isNew and rank < lastRank then
local newest = redis.call('ZRANGE', queueKey, '-1', '-1', 'WITHSCORES')[2]
redis.call('ZADD', queueKey, string.format('%.0f', newest + 1), owner)
rank = lastRank
end
redis.call('HSET', waitersKey, owner, string.format('%.0f %s %s', nowMs + entryTtlMs, grantLeaseMs, inbox))
if redis.call('PTTL', queueKey) < entryTtlMs then
local function keepFor(key, ms)
if redis.call('PTTL', key) < ms then
redis.call('PEXPIRE', key, ms)
end
end
redis.call('PEXPIRE', queueKey, 2 * entryTtlMs)
keepFor(waitersKey, 2 * entryTtlMs)
end
position = rank + 1
end
local busy = string.format('%d %s %d %s', ttlMs, nowText, position, holder)
return noticeError == '' and busy or { 0, busy, noticeError }`,
  },
  redissonLockForce: {
    name: 'redissonLockForce',
    sha1: 'f5e536f16c4fd0ee853dccb5c4cc67dc639fdc3a',
    lua: `local lockKey, queueKey, waitersKey = KEYS[1], KEYS[2], KEYS[3]
local owner = ARGV[1]
local inbox = ARGV[2]
local checkInbox = ARGV[3] == '1'
local publish = ARGV[4]
local channel = ARGV[5]
local time = redis.call('TIME')
local nowUs = time[1] * 1000000 + time[2]
local nowText = time[1] .. string.sub('00000' .. time[2], -6)
local nowMs = math.floor(nowUs / 1000)
local ttlMs = redis.call('PTTL', lockKey)
local holder = ''
if ttlMs ~= -2 then
local holders = redis.pcall('HKEYS', lockKey)
if holders.err or ttlMs == -1 then
return { -3, redis.pcall('TYPE', lockKey).ok or 'value of another type' }
end
holder = holders[1]
end
local turnMs = 100
local headStartMs = 5
local headStartEvery = 4
local function readEntry(waiter)
local state = 'none'
local entry = redis.call('HGET', waitersKey, waiter) or ''
local aliveUntilMs, entryLeaseMs, entryInbox = string.match(entry, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
state = 'alive'
elseif not aliveUntilMs then
local goneUntilMs = string.match(entry, '^gone (%d+)$')
if goneUntilMs and tonumber(goneUntilMs) > nowMs then
state = 'tombstone'
end
end
return state, entryInbox
end
local function dropEntry(waiter)
redis.call('ZREM', queueKey, waiter)
redis.call('HDEL', waitersKey, waiter)
end
local subscribed = {}
local function isSubscribedTo(entryInbox)
local isSubscribed = not checkInbox or subscribed[entryInbox]
if isSubscribed == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', entryInbox)
isSubscribed = reply.err ~= nil or reply[2] > 0
subscribed[entryInbox] = isSubscribed
end
return isSubscribed
end
local function readTurn()
local turn = redis.call('HGET', waitersKey, 'turn') or ''
local fromMs, untilMs, turnOwner = string.match(turn, '^(%d+) (%d+) (.+)$')
fromMs, untilMs = tonumber(fromMs), tonumber(untilMs)
if fromMs and fromMs > nowMs + headStartMs then
return nil
end
return turnOwner, untilMs, fromMs
end
local function endTurn(waiter)
if readTurn() == waiter then
redis.call('HDEL', waitersKey, 'turn')
end
end
local function offerTurn(before, headStart)
local offset = 0
while true do
local waiter = redis.call('ZRANGE', queueKey, offset, offset)[1]
if not waiter then
return nil, ''
end
local turnOwner, untilMs, fromMs = readTurn()
if waiter == before then
return turnOwner == waiter and fromMs > nowMs and fromMs - nowMs or nil, ''
end
local state, entryInbox = readEntry(waiter)
if state == 'alive' and turnOwner == waiter and untilMs <= nowMs then
redis.call('HDEL', waitersKey, 'turn')
dropEntry(waiter)
elseif state == 'none' then
dropEntry(waiter)
endTurn(waiter)
elseif state == 'tombstone' then
redis.call('ZREM', queueKey, waiter)
endTurn(waiter)
elseif not isSubscribedTo(entryInbox) then
offset = offset + 1
elseif turnOwner == waiter then
return untilMs - nowMs, ''
else
fromMs = nowMs + (headStart and nowUs % headStartEvery == 0 and headStartMs or 0)
redis.call('HSET', waitersKey, 'turn', string.format('%.0f %.0f %s', fromMs, fromMs + turnMs, waiter))
local reply = redis.pcall('PUBLISH', entryInbox, 'free ' .. waiter .. ' ' .. lockKey)
return turnMs, type(reply) == 'table' and reply.err or ''
end
end
end
local function free()
redis.call('DEL', lockKey)
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
    sha1: 'f71b04a90844d5b83604d788bd4037b9c488c4a8',
    lua: `local lockKey, queueKey, waitersKey = KEYS[1], KEYS[2], KEYS[3]
local owner = ARGV[1]
local count = tonumber(ARGV[2])
local tombstoneMs = tonumber(ARGV[3])
local checkInbox = ARGV[4] == '1'
local publish = ARGV[5]
local channel = ARGV[6]
local time = redis.call('TIME')
local nowUs = time[1] * 1000000 + time[2]
local nowText = time[1] .. string.sub('00000' .. time[2], -6)
local nowMs = math.floor(nowUs / 1000)
local turnMs = 100
local headStartMs = 5
local headStartEvery = 4
local function readEntry(waiter)
local state = 'none'
local entry = redis.call('HGET', waitersKey, waiter) or ''
local aliveUntilMs, entryLeaseMs, entryInbox = string.match(entry, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
state = 'alive'
elseif not aliveUntilMs then
local goneUntilMs = string.match(entry, '^gone (%d+)$')
if goneUntilMs and tonumber(goneUntilMs) > nowMs then
state = 'tombstone'
end
end
return state, entryInbox
end
local function dropEntry(waiter)
redis.call('ZREM', queueKey, waiter)
redis.call('HDEL', waitersKey, waiter)
end
local subscribed = {}
local function isSubscribedTo(entryInbox)
local isSubscribed = not checkInbox or subscribed[entryInbox]
if isSubscribed == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', entryInbox)
isSubscribed = reply.err ~= nil or reply[2] > 0
subscribed[entryInbox] = isSubscribed
end
return isSubscribed
end
local function readTurn()
local turn = redis.call('HGET', waitersKey, 'turn') or ''
local fromMs, untilMs, turnOwner = string.match(turn, '^(%d+) (%d+) (.+)$')
fromMs, untilMs = tonumber(fromMs), tonumber(untilMs)
if fromMs and fromMs > nowMs + headStartMs then
return nil
end
return turnOwner, untilMs, fromMs
end
local function endTurn(waiter)
if readTurn() == waiter then
redis.call('HDEL', waitersKey, 'turn')
end
end
local function offerTurn(before, headStart)
local offset = 0
while true do
local waiter = redis.call('ZRANGE', queueKey, offset, offset)[1]
if not waiter then
return nil, ''
end
local turnOwner, untilMs, fromMs = readTurn()
if waiter == before then
return turnOwner == waiter and fromMs > nowMs and fromMs - nowMs or nil, ''
end
local state, entryInbox = readEntry(waiter)
if state == 'alive' and turnOwner == waiter and untilMs <= nowMs then
redis.call('HDEL', waitersKey, 'turn')
dropEntry(waiter)
elseif state == 'none' then
dropEntry(waiter)
endTurn(waiter)
elseif state == 'tombstone' then
redis.call('ZREM', queueKey, waiter)
endTurn(waiter)
elseif not isSubscribedTo(entryInbox) then
offset = offset + 1
elseif turnOwner == waiter then
return untilMs - nowMs, ''
else
fromMs = nowMs + (headStart and nowUs % headStartEvery == 0 and headStartMs or 0)
redis.call('HSET', waitersKey, 'turn', string.format('%.0f %.0f %s', fromMs, fromMs + turnMs, waiter))
local reply = redis.pcall('PUBLISH', entryInbox, 'free ' .. waiter .. ' ' .. lockKey)
return turnMs, type(reply) == 'table' and reply.err or ''
end
end
end
local function free()
redis.call('DEL', lockKey)
local reply = redis.pcall(publish, channel, '0')
return type(reply) == 'table' and reply.err or ''
end
if count == 0 then
local waiter = owner
local state = 'none'
local entry = redis.call('HGET', waitersKey, waiter) or ''
local aliveUntilMs, entryLeaseMs, entryInbox = string.match(entry, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
state = 'alive'
elseif not aliveUntilMs then
local goneUntilMs = string.match(entry, '^gone (%d+)$')
if goneUntilMs and tonumber(goneUntilMs) > nowMs then
state = 'tombstone'
end
end
if state ~= 'tombstone' then
redis.call('ZREM', queueKey, waiter)
redis.call('HDEL', waitersKey, waiter)
end
if tombstoneMs > 0 then
local function keepFor(key, ms)
if redis.call('PTTL', key) < ms then
redis.call('PEXPIRE', key, ms)
end
end
local sample = redis.call('HRANDFIELD', waitersKey, 8, 'WITHVALUES')
for i = 1, #sample, 2 do
local untilMs = string.match(sample[i + 1], '^gone (%d+)$')
if untilMs and tonumber(untilMs) <= nowMs then
redis.call('HDEL', waitersKey, sample[i])
end
end
redis.call('HSET', waitersKey, owner, string.format('gone %.0f', nowMs + tombstoneMs))
keepFor(waitersKey, tombstoneMs)
end
end
local ttlMs = redis.call('PTTL', lockKey)
local holder = ''
if ttlMs ~= -2 then
local holders = redis.pcall('HKEYS', lockKey)
if holders.err or ttlMs == -1 then
return { -3, redis.pcall('TYPE', lockKey).ok or 'value of another type' }
end
holder = holders[1]
end
local mine = holder == owner
if count > 0 then
if mine then
redis.call('HSET', lockKey, owner, count)
end
return mine and 1 or 0
end
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
