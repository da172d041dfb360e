// DO NOT EDIT: written from lua/ by `pnpm generate`.

/** One Lua script and the SHA-1 by which a server that has seen it knows it. */
export interface Script {
  readonly name: string
  readonly sha1: string
  readonly lua: string
}

export type ScriptName = 'clientIdentify' | 'clientRegister' | 'lockAcquire' | 'lockForce' | 'lockInspect' | 'lockRefresh' | 'lockRelease' | 'lockRenew' | 'redissonAskSharding' | 'redissonLockAcquire' | 'redissonLockForce' | 'redissonLockRelease'

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
    sha1: '73e28491aa4d9c5c7a649e4a709028373403deb5',
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
local placeMs = tonumber(ARGV[4])
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
local lifeMs = 2 * leaseMs > 60000 and 2 * leaseMs or '60000'
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
local state = 'none'
local place = redis.call('HGET', waitersKey, owner) or ''
local aliveUntilMs, leaseMs, inbox = string.match(place, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
state = 'alive'
elseif not aliveUntilMs then
local goneUntilMs = string.match(place, '^gone (%d+)$')
if goneUntilMs and tonumber(goneUntilMs) > nowMs then
state = 'gone'
end
end
if state == 'gone' then
return { -2 }
end
end
local isFree = ttlMs == -2
local before = owner
local first = isFree and redis.call('ZRANGE', queueKey, '0', '0')[1]
local granted, noticeFault = nil, ''
local offset = 0
local heard = {}
while isFree and first and first ~= before do
local owner = first
local state = 'none'
local place = redis.call('HGET', waitersKey, owner) or ''
local aliveUntilMs, leaseMs, inbox = string.match(place, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
state = 'alive'
elseif not aliveUntilMs then
local goneUntilMs = string.match(place, '^gone (%d+)$')
if goneUntilMs and tonumber(goneUntilMs) > nowMs then
state = 'gone'
end
end
if state == 'alive' then
local isHeard = not checkInbox or heard[inbox]
if isHeard == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', inbox)
isHeard = reply.err ~= nil or reply[2] > 0
heard[inbox] = isHeard
end
if isHeard then
redis.call('ZREM', queueKey, owner)
redis.call('HDEL', waitersKey, owner)
local lifeMs = 2 * leaseMs > 60000 and 2 * leaseMs or '60000'
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
redis.call('HSET', lockKey, owner, '1')
redis.call('PEXPIRE', lockKey, leaseMs)
local notice = 'granted ' .. owner .. ' ' .. tokenText .. ' ' .. nowText .. ' ' .. leaseMs .. ' ' .. lockKey
local reply = redis.pcall('PUBLISH', inbox, notice)
noticeFault = type(reply) == 'table' and reply.err or ''
granted = owner
isFree = false
else
offset = offset + 1
end
elseif state == 'none' then
redis.call('ZREM', queueKey, owner)
redis.call('HDEL', waitersKey, owner)
else
redis.call('ZREM', queueKey, owner)
end
first = isFree and redis.call('ZRANGE', queueKey, offset, offset)[1]
end
if granted then
holder = granted
ttlMs = redis.call('PTTL', lockKey)
end
if not isFree then
local position = 0
if placeMs > 0 then
local isNew = redis.call('ZADD', queueKey, 'NX', nowText, owner) == 1
local rank = redis.call('ZRANK', queueKey, owner)
local lastRank = redis.call('ZCARD', queueKey) - 1
if isNew and rank < lastRank then
local newest = redis.call('ZRANGE', queueKey, '-1', '-1', 'WITHSCORES')[2]
redis.call('ZADD', queueKey, string.format('%.0f', newest + 1), owner)
rank = lastRank
end
redis.call('HSET', waitersKey, owner, string.format('%.0f %s %s', nowMs + placeMs, grantLeaseMs, inbox))
if redis.call('PTTL', queueKey) < placeMs then
local function keepFor(key, ms)
if redis.call('PTTL', key) < ms then
redis.call('PEXPIRE', key, ms)
end
end
redis.call('PEXPIRE', queueKey, 2 * placeMs)
keepFor(waitersKey, 2 * placeMs)
end
position = rank + 1
end
local busy = string.format('%d %s %d %s', ttlMs, nowText, position, holder)
return noticeFault == '' and busy or { 0, busy, noticeFault }
end
redis.call('ZREM', queueKey, owner)
redis.call('HDEL', waitersKey, owner)
end
local lifeMs = 2 * leaseMs > 60000 and 2 * leaseMs or '60000'
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
redis.call('HSET', lockKey, owner, '1')
redis.call('PEXPIRE', lockKey, leaseMs)
return token`,
  },
  lockForce: {
    name: 'lockForce',
    sha1: '3369f9cb1734ca92b7c762c2a45338c6074839f5',
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
local granted, noticeFault = nil, ''
local offset = 0
local heard = {}
while isFree and first and first ~= before do
local owner = first
local state = 'none'
local place = redis.call('HGET', waitersKey, owner) or ''
local aliveUntilMs, leaseMs, inbox = string.match(place, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
state = 'alive'
elseif not aliveUntilMs then
local goneUntilMs = string.match(place, '^gone (%d+)$')
if goneUntilMs and tonumber(goneUntilMs) > nowMs then
state = 'gone'
end
end
if state == 'alive' then
local isHeard = not checkInbox or heard[inbox]
if isHeard == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', inbox)
isHeard = reply.err ~= nil or reply[2] > 0
heard[inbox] = isHeard
end
if isHeard then
redis.call('ZREM', queueKey, owner)
redis.call('HDEL', waitersKey, owner)
local lifeMs = 2 * leaseMs > 60000 and 2 * leaseMs or '60000'
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
redis.call('HSET', lockKey, owner, '1')
redis.call('PEXPIRE', lockKey, leaseMs)
local notice = 'granted ' .. owner .. ' ' .. tokenText .. ' ' .. nowText .. ' ' .. leaseMs .. ' ' .. lockKey
local reply = redis.pcall('PUBLISH', inbox, notice)
noticeFault = type(reply) == 'table' and reply.err or ''
granted = owner
isFree = false
else
offset = offset + 1
end
elseif state == 'none' then
redis.call('ZREM', queueKey, owner)
redis.call('HDEL', waitersKey, owner)
else
redis.call('ZREM', queueKey, owner)
end
first = isFree and redis.call('ZRANGE', queueKey, offset, offset)[1]
end
if noticeFault == '' and type(revoked) == 'table' then
noticeFault = revoked.err
end
local mine = true
local code = mine and 1 or 0
return noticeFault == '' and code or { code, noticeFault }`,
  },
  lockInspect: {
    name: 'lockInspect',
    sha1: '05c665789234dcd2f20515baf13f5f5ee5c736ae',
    lua: `local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local most = tonumber(ARGV[1])
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
for _, owner in ipairs(most > 0 and redis.call('ZRANGE', queueKey, 0, most - 1) or {}) do
local aliveUntilMs = string.match(redis.call('HGET', waitersKey, owner) or '', '^(%d+) ')
reply[#reply + 1] = owner
reply[#reply + 1] = math.max(0, (tonumber(aliveUntilMs) or 0) - nowMs)
end
return reply`,
  },
  lockRefresh: {
    name: 'lockRefresh',
    sha1: 'fb88c995f0da13a91207ac4433c3eec9bfd29fff',
    lua: `local time = redis.call('TIME')
local nowUs = time[1] * 1000000 + time[2]
local nowText = time[1] .. string.sub('00000' .. time[2], -6)
local nowMs = math.floor(nowUs / 1000)
local answers = {}
for i = 1, #KEYS / 3 do
local lockKey, queueKey, waitersKey = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
local owner = ARGV[2 * i - 1]
local placeMs = tonumber(ARGV[2 * i])
local ttlMs = redis.call('PTTL', lockKey)
local state = 0
local rest = string.match(redis.call('HGET', waitersKey, owner) or '', '^%d+( .+)$')
if rest and redis.call('ZSCORE', queueKey, owner) then
redis.call('HSET', waitersKey, owner, string.format('%.0f', nowMs + placeMs) .. rest)
for _, key in ipairs({ queueKey, waitersKey }) do
if redis.call('PTTL', key) < placeMs then
redis.call('PEXPIRE', key, placeMs)
end
end
state = 1
elseif ttlMs ~= -2 and type(redis.pcall('HGET', lockKey, owner)) == 'string' then
state = 2
end
answers[2 * i - 1] = state
answers[2 * i] = ttlMs
end
return answers`,
  },
  lockRelease: {
    name: 'lockRelease',
    sha1: '43dd9684c4b95c29cee778909eee70597a33c83c',
    lua: `local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local count = tonumber(ARGV[2])
local goneMs = tonumber(ARGV[3])
local tokenFloor = tonumber(ARGV[4])
local checkInbox = ARGV[5] == '1'
local mine = count == 0 and redis.pcall('HDEL', lockKey, owner) == 1
local isFree = mine and goneMs == 0
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
local state = 'none'
local place = redis.call('HGET', waitersKey, owner) or ''
local aliveUntilMs, leaseMs, inbox = string.match(place, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
state = 'alive'
elseif not aliveUntilMs then
local goneUntilMs = string.match(place, '^gone (%d+)$')
if goneUntilMs and tonumber(goneUntilMs) > nowMs then
state = 'gone'
end
end
if state ~= 'gone' then
redis.call('ZREM', queueKey, owner)
redis.call('HDEL', waitersKey, owner)
end
if goneMs > 0 then
local function keepFor(key, ms)
if redis.call('PTTL', key) < ms then
redis.call('PEXPIRE', key, ms)
end
end
local marks = redis.call('HRANDFIELD', waitersKey, 8, 'WITHVALUES')
for i = 1, #marks, 2 do
local untilMs = string.match(marks[i + 1], '^gone (%d+)$')
if untilMs and tonumber(untilMs) <= nowMs then
redis.call('HDEL', waitersKey, marks[i])
end
end
redis.call('HSET', waitersKey, owner, string.format('gone %.0f', nowMs + goneMs))
keepFor(waitersKey, goneMs)
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
local granted, noticeFault = nil, ''
local offset = 0
local heard = {}
while isFree and first and first ~= before do
local owner = first
local state = 'none'
local place = redis.call('HGET', waitersKey, owner) or ''
local aliveUntilMs, leaseMs, inbox = string.match(place, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
state = 'alive'
elseif not aliveUntilMs then
local goneUntilMs = string.match(place, '^gone (%d+)$')
if goneUntilMs and tonumber(goneUntilMs) > nowMs then
state = 'gone'
end
end
if state == 'alive' then
local isHeard = not checkInbox or heard[inbox]
if isHeard == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', inbox)
isHeard = reply.err ~= nil or reply[2] > 0
heard[inbox] = isHeard
end
if isHeard then
redis.call('ZREM', queueKey, owner)
redis.call('HDEL', waitersKey, owner)
local lifeMs = 2 * leaseMs > 60000 and 2 * leaseMs or '60000'
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
redis.call('HSET', lockKey, owner, '1')
redis.call('PEXPIRE', lockKey, leaseMs)
local notice = 'granted ' .. owner .. ' ' .. tokenText .. ' ' .. nowText .. ' ' .. leaseMs .. ' ' .. lockKey
local reply = redis.pcall('PUBLISH', inbox, notice)
noticeFault = type(reply) == 'table' and reply.err or ''
granted = owner
isFree = false
else
offset = offset + 1
end
elseif state == 'none' then
redis.call('ZREM', queueKey, owner)
redis.call('HDEL', waitersKey, owner)
else
redis.call('ZREM', queueKey, owner)
end
first = isFree and redis.call('ZRANGE', queueKey, offset, offset)[1]
end
local code = mine and 1 or 0
return noticeFault == '' and code or { code, noticeFault }`,
  },
  lockRenew: {
    name: 'lockRenew',
    sha1: '5203e40445b3a1385c3424c74589ea9f6167ec4e',
    lua: `local answers = {}
for i, lockKey in ipairs(KEYS) do
local owner = ARGV[2 * i - 1]
local leaseMs = ARGV[2 * i]
local ttlMs = redis.call('PTTL', lockKey)
local count = ttlMs ~= -2 and redis.pcall('HGET', lockKey, owner)
if not count then
answers[i] = 0
elseif type(count) == 'table' or ttlMs == -1 then
answers[i] = -3
else
if ttlMs < tonumber(leaseMs) then
redis.call('PEXPIRE', lockKey, leaseMs)
end
answers[i] = 1
end
end
return answers`,
  },
  redissonAskSharding: {
    name: 'redissonAskSharding',
    sha1: '64f4c222080c5863c7a9f75acf2c8af93a36ce85',
    lua: `local reply = redis.pcall('PUBSUB', 'SHARDNUMSUB', '0')
return { reply.err and 0 or 1 }`,
  },
  redissonLockAcquire: {
    name: 'redissonLockAcquire',
    sha1: 'ab2907a36fd202439702b73af9ee747f5bf8bbfb',
    lua: `local lockKey, queueKey, waitersKey, tokenKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local count = tonumber(ARGV[2])
local leaseMs = tonumber(ARGV[3])
local placeMs = tonumber(ARGV[4])
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
local function keepFor(key, ms)
if redis.call('PTTL', key) < ms then
redis.call('PEXPIRE', key, ms)
end
end
local turnMs = 100
local headStartMs = 5
local headStartEvery = 4
local function readPlace(owner)
local state = 'none'
local place = redis.call('HGET', waitersKey, owner) or ''
local aliveUntilMs, leaseMs, inbox = string.match(place, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
state = 'alive'
elseif not aliveUntilMs then
local goneUntilMs = string.match(place, '^gone (%d+)$')
if goneUntilMs and tonumber(goneUntilMs) > nowMs then
state = 'gone'
end
end
return state, leaseMs, inbox
end
local function dropPlace(owner)
redis.call('ZREM', queueKey, owner)
redis.call('HDEL', waitersKey, owner)
end
local heard = {}
local function hears(inbox)
local isHeard = not checkInbox or heard[inbox]
if isHeard == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', inbox)
isHeard = reply.err ~= nil or reply[2] > 0
heard[inbox] = isHeard
end
return isHeard
end
local function readTurn()
local turn = redis.call('HGET', waitersKey, 'turn') or ''
local fromMs, untilMs, owner = string.match(turn, '^(%d+) (%d+) (.+)$')
fromMs, untilMs = tonumber(fromMs), tonumber(untilMs)
if fromMs and fromMs > nowMs + headStartMs then
return nil
end
return owner, untilMs, fromMs
end
local function endTurn(owner)
if readTurn() == owner then
redis.call('HDEL', waitersKey, 'turn')
end
end
local function offerTurn(before, headStart)
local offset = 0
while true do
local owner = redis.call('ZRANGE', queueKey, offset, offset)[1]
if not owner then
return nil, ''
end
local turnOwner, untilMs, fromMs = readTurn()
if owner == before then
return turnOwner == owner and fromMs > nowMs and fromMs - nowMs or nil, ''
end
local state, _, inbox = readPlace(owner)
if state == 'alive' and turnOwner == owner and untilMs <= nowMs then
redis.call('HDEL', waitersKey, 'turn')
dropPlace(owner)
elseif state == 'none' then
dropPlace(owner)
endTurn(owner)
elseif state == 'gone' then
redis.call('ZREM', queueKey, owner)
endTurn(owner)
elseif not hears(inbox) then
offset = offset + 1
elseif turnOwner == owner then
return untilMs - nowMs, ''
else
fromMs = nowMs + (headStart and nowUs % headStartEvery == 0 and headStartMs or 0)
redis.call('HSET', waitersKey, 'turn', string.format('%.0f %.0f %s', fromMs, fromMs + turnMs, owner))
local reply = redis.pcall('PUBLISH', inbox, 'free ' .. owner .. ' ' .. lockKey)
return turnMs, type(reply) == 'table' and reply.err or ''
end
end
end
if holder == owner then
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
if readPlace(owner) == 'gone' then
return { -2 }
end
local noticeFault = ''
if ttlMs == -2 then
local restMs
restMs, noticeFault = offerTurn(owner)
if not restMs then
local token = wantsToken and redis.call('INCR', tokenKey) or 0
redis.call('HSET', lockKey, owner, 1)
redis.call('PEXPIRE', lockKey, leaseMs)
dropPlace(owner)
redis.call('HDEL', waitersKey, 'turn')
return token
end
ttlMs = restMs
else
endTurn(owner)
end
local grantLeaseMs = leaseMs
local position = 0
if placeMs > 0 then
local isNew = redis.call('ZADD', queueKey, 'NX', nowText, owner) == 1
local rank = redis.call('ZRANK', queueKey, owner)
local lastRank = redis.call('ZCARD', queueKey) - 1
if isNew and rank < lastRank then
local newest = redis.call('ZRANGE', queueKey, '-1', '-1', 'WITHSCORES')[2]
redis.call('ZADD', queueKey, string.format('%.0f', newest + 1), owner)
rank = lastRank
end
redis.call('HSET', waitersKey, owner, string.format('%.0f %s %s', nowMs + placeMs, grantLeaseMs, inbox))
if redis.call('PTTL', queueKey) < placeMs then
local function keepFor(key, ms)
if redis.call('PTTL', key) < ms then
redis.call('PEXPIRE', key, ms)
end
end
redis.call('PEXPIRE', queueKey, 2 * placeMs)
keepFor(waitersKey, 2 * placeMs)
end
position = rank + 1
end
local busy = string.format('%d %s %d %s', ttlMs, nowText, position, holder)
return noticeFault == '' and busy or { 0, busy, noticeFault }`,
  },
  redissonLockForce: {
    name: 'redissonLockForce',
    sha1: '9b9653cd37c2a441c34b8c1cd4e25e11a10ac8da',
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
local function readPlace(owner)
local state = 'none'
local place = redis.call('HGET', waitersKey, owner) or ''
local aliveUntilMs, leaseMs, inbox = string.match(place, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
state = 'alive'
elseif not aliveUntilMs then
local goneUntilMs = string.match(place, '^gone (%d+)$')
if goneUntilMs and tonumber(goneUntilMs) > nowMs then
state = 'gone'
end
end
return state, leaseMs, inbox
end
local function dropPlace(owner)
redis.call('ZREM', queueKey, owner)
redis.call('HDEL', waitersKey, owner)
end
local heard = {}
local function hears(inbox)
local isHeard = not checkInbox or heard[inbox]
if isHeard == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', inbox)
isHeard = reply.err ~= nil or reply[2] > 0
heard[inbox] = isHeard
end
return isHeard
end
local function readTurn()
local turn = redis.call('HGET', waitersKey, 'turn') or ''
local fromMs, untilMs, owner = string.match(turn, '^(%d+) (%d+) (.+)$')
fromMs, untilMs = tonumber(fromMs), tonumber(untilMs)
if fromMs and fromMs > nowMs + headStartMs then
return nil
end
return owner, untilMs, fromMs
end
local function endTurn(owner)
if readTurn() == owner then
redis.call('HDEL', waitersKey, 'turn')
end
end
local function offerTurn(before, headStart)
local offset = 0
while true do
local owner = redis.call('ZRANGE', queueKey, offset, offset)[1]
if not owner then
return nil, ''
end
local turnOwner, untilMs, fromMs = readTurn()
if owner == before then
return turnOwner == owner and fromMs > nowMs and fromMs - nowMs or nil, ''
end
local state, _, inbox = readPlace(owner)
if state == 'alive' and turnOwner == owner and untilMs <= nowMs then
redis.call('HDEL', waitersKey, 'turn')
dropPlace(owner)
elseif state == 'none' then
dropPlace(owner)
endTurn(owner)
elseif state == 'gone' then
redis.call('ZREM', queueKey, owner)
endTurn(owner)
elseif not hears(inbox) then
offset = offset + 1
elseif turnOwner == owner then
return untilMs - nowMs, ''
else
fromMs = nowMs + (headStart and nowUs % headStartEvery == 0 and headStartMs or 0)
redis.call('HSET', waitersKey, 'turn', string.format('%.0f %.0f %s', fromMs, fromMs + turnMs, owner))
local reply = redis.pcall('PUBLISH', inbox, 'free ' .. owner .. ' ' .. lockKey)
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
local messageFault = free()
local _, noticeFault = offerTurn()
if messageFault ~= '' then
noticeFault = messageFault
elseif noticeFault == '' and type(revoked) == 'table' then
noticeFault = revoked.err
end
local mine = true
local code = mine and 1 or 0
return noticeFault == '' and code or { code, noticeFault }`,
  },
  redissonLockRelease: {
    name: 'redissonLockRelease',
    sha1: '7885b1f65be4c9b9ce56d4743340b36a9f1218d6',
    lua: `local lockKey, queueKey, waitersKey = KEYS[1], KEYS[2], KEYS[3]
local owner = ARGV[1]
local count = tonumber(ARGV[2])
local goneMs = tonumber(ARGV[3])
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
local function readPlace(owner)
local state = 'none'
local place = redis.call('HGET', waitersKey, owner) or ''
local aliveUntilMs, leaseMs, inbox = string.match(place, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
state = 'alive'
elseif not aliveUntilMs then
local goneUntilMs = string.match(place, '^gone (%d+)$')
if goneUntilMs and tonumber(goneUntilMs) > nowMs then
state = 'gone'
end
end
return state, leaseMs, inbox
end
local function dropPlace(owner)
redis.call('ZREM', queueKey, owner)
redis.call('HDEL', waitersKey, owner)
end
local heard = {}
local function hears(inbox)
local isHeard = not checkInbox or heard[inbox]
if isHeard == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', inbox)
isHeard = reply.err ~= nil or reply[2] > 0
heard[inbox] = isHeard
end
return isHeard
end
local function readTurn()
local turn = redis.call('HGET', waitersKey, 'turn') or ''
local fromMs, untilMs, owner = string.match(turn, '^(%d+) (%d+) (.+)$')
fromMs, untilMs = tonumber(fromMs), tonumber(untilMs)
if fromMs and fromMs > nowMs + headStartMs then
return nil
end
return owner, untilMs, fromMs
end
local function endTurn(owner)
if readTurn() == owner then
redis.call('HDEL', waitersKey, 'turn')
end
end
local function offerTurn(before, headStart)
local offset = 0
while true do
local owner = redis.call('ZRANGE', queueKey, offset, offset)[1]
if not owner then
return nil, ''
end
local turnOwner, untilMs, fromMs = readTurn()
if owner == before then
return turnOwner == owner and fromMs > nowMs and fromMs - nowMs or nil, ''
end
local state, _, inbox = readPlace(owner)
if state == 'alive' and turnOwner == owner and untilMs <= nowMs then
redis.call('HDEL', waitersKey, 'turn')
dropPlace(owner)
elseif state == 'none' then
dropPlace(owner)
endTurn(owner)
elseif state == 'gone' then
redis.call('ZREM', queueKey, owner)
endTurn(owner)
elseif not hears(inbox) then
offset = offset + 1
elseif turnOwner == owner then
return untilMs - nowMs, ''
else
fromMs = nowMs + (headStart and nowUs % headStartEvery == 0 and headStartMs or 0)
redis.call('HSET', waitersKey, 'turn', string.format('%.0f %.0f %s', fromMs, fromMs + turnMs, owner))
local reply = redis.pcall('PUBLISH', inbox, 'free ' .. owner .. ' ' .. lockKey)
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
local state = 'none'
local place = redis.call('HGET', waitersKey, owner) or ''
local aliveUntilMs, leaseMs, inbox = string.match(place, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
state = 'alive'
elseif not aliveUntilMs then
local goneUntilMs = string.match(place, '^gone (%d+)$')
if goneUntilMs and tonumber(goneUntilMs) > nowMs then
state = 'gone'
end
end
if state ~= 'gone' then
redis.call('ZREM', queueKey, owner)
redis.call('HDEL', waitersKey, owner)
end
if goneMs > 0 then
local function keepFor(key, ms)
if redis.call('PTTL', key) < ms then
redis.call('PEXPIRE', key, ms)
end
end
local marks = redis.call('HRANDFIELD', waitersKey, 8, 'WITHVALUES')
for i = 1, #marks, 2 do
local untilMs = string.match(marks[i + 1], '^gone (%d+)$')
if untilMs and tonumber(untilMs) <= nowMs then
redis.call('HDEL', waitersKey, marks[i])
end
end
redis.call('HSET', waitersKey, owner, string.format('gone %.0f', nowMs + goneMs))
keepFor(waitersKey, goneMs)
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
local messageFault = ''
if mine then
messageFault = free()
ttlMs = -2
end
local noticeFault = ''
if ttlMs == -2 then
local _
_, noticeFault = offerTurn(nil, mine)
end
if messageFault ~= '' then
noticeFault = messageFault
end
local code = mine and 1 or 0
return noticeFault == '' and code or { code, noticeFault }`,
  },
}
