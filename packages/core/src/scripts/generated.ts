// DO NOT EDIT: written from lua/ by `pnpm generate`.

/** One Lua script and the SHA-1 by which a server that has seen it knows it. */
export interface Script {
  readonly name: string
  readonly sha1: string
  readonly lua: string
}

export type ScriptName = 'acquire' | 'force' | 'identify' | 'inspect' | 'redissonAcquire' | 'redissonAskSharding' | 'redissonForce' | 'redissonRelease' | 'refresh' | 'register' | 'release' | 'renew'

export const scripts: Readonly<Record<ScriptName, Script>> = {
  acquire: {
    name: 'acquire',
    sha1: '2247b28521e4808035f86d879c0d4e11edc56e21',
    lua: `local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local count = tonumber(ARGV[2])
local leaseMs = ARGV[3]
local tokenFloor = tonumber(ARGV[7])
local time = redis.call('TIME')
local nowUs = time[1] * 1000000 + time[2]
local nowText = time[1] .. string.sub('00000' .. time[2], -6)
local nowMs = math.floor(nowUs / 1000)
local function nextToken(leaseMs)
local lifeMs = 2 * leaseMs > 60000 and 2 * leaseMs or '60000'
local token, text = nowUs, nowText
if tokenFloor >= token then
token = tokenFloor + 1
text = string.format('%.0f', token)
end
local last = redis.call('SET', fenceKey, text, 'PX', lifeMs, 'GET')
if last and tonumber(last) >= token then
token = tonumber(last) + 1
text = string.format('%.0f', token)
redis.call('SET', fenceKey, text, 'PX', lifeMs)
end
return token, text
end
local function admit(owner, leaseMs)
local token, text = nextToken(leaseMs)
redis.call('HSET', lockKey, owner, '1')
redis.call('PEXPIRE', lockKey, leaseMs)
return token, text
end
if count == 1 and redis.call('EXISTS', lockKey, queueKey, waitersKey) == 0 then
return (admit(owner, leaseMs))
end
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
local function keepFor(key, ms)
if redis.call('PTTL', key) < ms then
redis.call('PEXPIRE', key, ms)
end
end
if holder == owner then
redis.call('HSET', lockKey, owner, count)
keepFor(lockKey, tonumber(leaseMs))
local token = tonumber(redis.call('GET', fenceKey) or '0')
if count == 1 and token == 0 then
token = nextToken(leaseMs)
elseif count == 1 then
keepFor(fenceKey, math.max(60000, 2 * leaseMs))
end
return token
end
if count > 1 then
return { -1 }
end
local function readPlace(owner)
local place = redis.call('HGET', waitersKey, owner) or ''
local aliveUntilMs, leaseMs, inbox = string.match(place, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
return 'alive', leaseMs, inbox
end
local goneUntilMs = string.match(place, '^gone (%d+)$')
return goneUntilMs and tonumber(goneUntilMs) > nowMs and 'gone' or 'none'
end
local function dropPlace(owner)
redis.call('ZREM', queueKey, owner)
redis.call('HDEL', waitersKey, owner)
end
if readPlace(owner) == 'gone' then
return { -2 }
end
local noticeFault = ''
if ttlMs == -2 then
local heard = {}
local function isHeard(inbox)
if not checkInbox then
return true
end
if heard[inbox] == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', inbox)
heard[inbox] = reply.err ~= nil or reply[2] > 0
end
return heard[inbox]
end
local function grantNext(before, first)
local offset = 0
while true do
local owner = first or redis.call('ZRANGE', queueKey, offset, offset)[1]
if not owner or owner == before then
return nil, ''
end
first = nil
local state, leaseMs, inbox = readPlace(owner)
if state == 'none' then
dropPlace(owner)
elseif state == 'gone' then
redis.call('ZREM', queueKey, owner)
elseif not isHeard(inbox) then
offset = offset + 1
else
dropPlace(owner)
local _, token = admit(owner, leaseMs)
local notice = string.format('granted %s %s %s %s %s', owner, token, nowText, leaseMs, lockKey)
local reply = redis.pcall('PUBLISH', inbox, notice)
return owner, type(reply) == 'table' and reply.err or ''
end
end
end
holder, noticeFault = grantNext(owner)
if not holder then
dropPlace(owner)
return (admit(owner, leaseMs))
end
ttlMs = redis.call('PTTL', lockKey)
end
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
redis.call('PEXPIRE', queueKey, 2 * placeMs)
keepFor(waitersKey, 2 * placeMs)
end
position = rank + 1
end
local busy = string.format('%d %s %d %s', ttlMs, nowText, position, holder)
return noticeFault == '' and busy or { 0, busy, noticeFault }`,
  },
  force: {
    name: 'force',
    sha1: 'ecb4953adb37779e4f081319fc0f1d10de98216a',
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
local function nextToken(leaseMs)
local lifeMs = 2 * leaseMs > 60000 and 2 * leaseMs or '60000'
local token, text = nowUs, nowText
if tokenFloor >= token then
token = tokenFloor + 1
text = string.format('%.0f', token)
end
local last = redis.call('SET', fenceKey, text, 'PX', lifeMs, 'GET')
if last and tonumber(last) >= token then
token = tonumber(last) + 1
text = string.format('%.0f', token)
redis.call('SET', fenceKey, text, 'PX', lifeMs)
end
return token, text
end
local function admit(owner, leaseMs)
local token, text = nextToken(leaseMs)
redis.call('HSET', lockKey, owner, '1')
redis.call('PEXPIRE', lockKey, leaseMs)
return token, text
end
local function readPlace(owner)
local place = redis.call('HGET', waitersKey, owner) or ''
local aliveUntilMs, leaseMs, inbox = string.match(place, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
return 'alive', leaseMs, inbox
end
local goneUntilMs = string.match(place, '^gone (%d+)$')
return goneUntilMs and tonumber(goneUntilMs) > nowMs and 'gone' or 'none'
end
local function dropPlace(owner)
redis.call('ZREM', queueKey, owner)
redis.call('HDEL', waitersKey, owner)
end
local heard = {}
local function isHeard(inbox)
if not checkInbox then
return true
end
if heard[inbox] == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', inbox)
heard[inbox] = reply.err ~= nil or reply[2] > 0
end
return heard[inbox]
end
local function grantNext(before, first)
local offset = 0
while true do
local owner = first or redis.call('ZRANGE', queueKey, offset, offset)[1]
if not owner or owner == before then
return nil, ''
end
first = nil
local state, leaseMs, inbox = readPlace(owner)
if state == 'none' then
dropPlace(owner)
elseif state == 'gone' then
redis.call('ZREM', queueKey, owner)
elseif not isHeard(inbox) then
offset = offset + 1
else
dropPlace(owner)
local _, token = admit(owner, leaseMs)
local notice = string.format('granted %s %s %s %s %s', owner, token, nowText, leaseMs, lockKey)
local reply = redis.pcall('PUBLISH', inbox, notice)
return owner, type(reply) == 'table' and reply.err or ''
end
end
end
local function answer(isDone, fault)
local code = isDone and 1 or 0
return fault == '' and code or { code, fault }
end
if holder ~= owner then
return 0
end
redis.call('DEL', lockKey)
local revoked = redis.pcall('PUBLISH', inbox, 'revoked ' .. owner .. ' ' .. lockKey)
local _, noticeFault = grantNext()
if noticeFault == '' and type(revoked) == 'table' then
noticeFault = revoked.err
end
return answer(true, noticeFault)`,
  },
  identify: {
    name: 'identify',
    sha1: '7cb745dbdcde9eec419bfe50450da411351bf83b',
    lua: `return redis.call('INFO', 'server') .. redis.call('INFO', 'replication') .. redis.call('INFO', 'memory')`,
  },
  inspect: {
    name: 'inspect',
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
  redissonAcquire: {
    name: 'redissonAcquire',
    sha1: 'd06b6644007b48ce8c9ded71c2a1af2bed4325d4',
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
local function readPlace(owner)
local place = redis.call('HGET', waitersKey, owner) or ''
local aliveUntilMs, leaseMs, inbox = string.match(place, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
return 'alive', leaseMs, inbox
end
local goneUntilMs = string.match(place, '^gone (%d+)$')
return goneUntilMs and tonumber(goneUntilMs) > nowMs and 'gone' or 'none'
end
local function dropPlace(owner)
redis.call('ZREM', queueKey, owner)
redis.call('HDEL', waitersKey, owner)
end
local heard = {}
local function isHeard(inbox)
if not checkInbox then
return true
end
if heard[inbox] == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', inbox)
heard[inbox] = reply.err ~= nil or reply[2] > 0
end
return heard[inbox]
end
local turnMs = 100
local headStartMs = 5
local headStartEvery = 4
local function readTurn()
local turn = redis.call('HGET', waitersKey, 'turn') or ''
local fromMs, untilMs, owner = string.match(turn, '^(%d+) (%d+) (.+)$')
return owner, tonumber(untilMs), tonumber(fromMs)
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
elseif not isHeard(inbox) then
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
redis.call('PEXPIRE', queueKey, 2 * placeMs)
keepFor(waitersKey, 2 * placeMs)
end
position = rank + 1
end
local busy = string.format('%d %s %d %s', ttlMs, nowText, position, holder)
return noticeFault == '' and busy or { 0, busy, noticeFault }`,
  },
  redissonAskSharding: {
    name: 'redissonAskSharding',
    sha1: '64f4c222080c5863c7a9f75acf2c8af93a36ce85',
    lua: `local reply = redis.pcall('PUBSUB', 'SHARDNUMSUB', '0')
return { reply.err and 0 or 1 }`,
  },
  redissonForce: {
    name: 'redissonForce',
    sha1: 'ffc7de4c193e647579e7792052ffbccd4db56384',
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
local function readPlace(owner)
local place = redis.call('HGET', waitersKey, owner) or ''
local aliveUntilMs, leaseMs, inbox = string.match(place, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
return 'alive', leaseMs, inbox
end
local goneUntilMs = string.match(place, '^gone (%d+)$')
return goneUntilMs and tonumber(goneUntilMs) > nowMs and 'gone' or 'none'
end
local function dropPlace(owner)
redis.call('ZREM', queueKey, owner)
redis.call('HDEL', waitersKey, owner)
end
local heard = {}
local function isHeard(inbox)
if not checkInbox then
return true
end
if heard[inbox] == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', inbox)
heard[inbox] = reply.err ~= nil or reply[2] > 0
end
return heard[inbox]
end
local turnMs = 100
local headStartMs = 5
local headStartEvery = 4
local function readTurn()
local turn = redis.call('HGET', waitersKey, 'turn') or ''
local fromMs, untilMs, owner = string.match(turn, '^(%d+) (%d+) (.+)$')
return owner, tonumber(untilMs), tonumber(fromMs)
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
elseif not isHeard(inbox) then
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
local function answer(isDone, fault)
local code = isDone and 1 or 0
return fault == '' and code or { code, fault }
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
return answer(true, noticeFault)`,
  },
  redissonRelease: {
    name: 'redissonRelease',
    sha1: 'af570381709b082f2ee9cec2e3208adfdba6b300',
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
local function readPlace(owner)
local place = redis.call('HGET', waitersKey, owner) or ''
local aliveUntilMs, leaseMs, inbox = string.match(place, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
return 'alive', leaseMs, inbox
end
local goneUntilMs = string.match(place, '^gone (%d+)$')
return goneUntilMs and tonumber(goneUntilMs) > nowMs and 'gone' or 'none'
end
local function dropPlace(owner)
redis.call('ZREM', queueKey, owner)
redis.call('HDEL', waitersKey, owner)
end
local heard = {}
local function isHeard(inbox)
if not checkInbox then
return true
end
if heard[inbox] == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', inbox)
heard[inbox] = reply.err ~= nil or reply[2] > 0
end
return heard[inbox]
end
local turnMs = 100
local headStartMs = 5
local headStartEvery = 4
local function readTurn()
local turn = redis.call('HGET', waitersKey, 'turn') or ''
local fromMs, untilMs, owner = string.match(turn, '^(%d+) (%d+) (.+)$')
return owner, tonumber(untilMs), tonumber(fromMs)
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
elseif not isHeard(inbox) then
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
local function answer(isDone, fault)
local code = isDone and 1 or 0
return fault == '' and code or { code, fault }
end
local function keepFor(key, ms)
if redis.call('PTTL', key) < ms then
redis.call('PEXPIRE', key, ms)
end
end
if count == 0 then
if readPlace(owner) ~= 'gone' then
dropPlace(owner)
end
if goneMs > 0 then
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
return answer(mine, messageFault ~= '' and messageFault or noticeFault)`,
  },
  refresh: {
    name: 'refresh',
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
  register: {
    name: 'register',
    sha1: '74b27a270f1ac288d5089228161d2cfa5ca2d0e9',
    lua: `redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
redis.call('PEXPIRE', KEYS[1], ARGV[1])
local inbox = ARGV[2]
local reply = inbox ~= '' and redis.pcall('PUBLISH', inbox, 'hello')
return { type(reply) == 'table' and reply.err or '' }`,
  },
  release: {
    name: 'release',
    sha1: 'eabfd3baa8c8d18caf5279ff45f82691aec8a7c9',
    lua: `local lockKey, queueKey, waitersKey, fenceKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local count = tonumber(ARGV[2])
local goneMs = tonumber(ARGV[3])
local tokenFloor = tonumber(ARGV[4])
local checkInbox = ARGV[5] == '1'
local mine = count == 0 and redis.pcall('HDEL', lockKey, owner) == 1
local isPlain = mine and goneMs == 0
local first = isPlain and redis.call('ZRANGE', queueKey, '0', '0')[1]
if isPlain and not first then
return 1
end
local time = redis.call('TIME')
local nowUs = time[1] * 1000000 + time[2]
local nowText = time[1] .. string.sub('00000' .. time[2], -6)
local nowMs = math.floor(nowUs / 1000)
local function nextToken(leaseMs)
local lifeMs = 2 * leaseMs > 60000 and 2 * leaseMs or '60000'
local token, text = nowUs, nowText
if tokenFloor >= token then
token = tokenFloor + 1
text = string.format('%.0f', token)
end
local last = redis.call('SET', fenceKey, text, 'PX', lifeMs, 'GET')
if last and tonumber(last) >= token then
token = tonumber(last) + 1
text = string.format('%.0f', token)
redis.call('SET', fenceKey, text, 'PX', lifeMs)
end
return token, text
end
local function admit(owner, leaseMs)
local token, text = nextToken(leaseMs)
redis.call('HSET', lockKey, owner, '1')
redis.call('PEXPIRE', lockKey, leaseMs)
return token, text
end
local function readPlace(owner)
local place = redis.call('HGET', waitersKey, owner) or ''
local aliveUntilMs, leaseMs, inbox = string.match(place, '^(%d+) (%d+) (.+)$')
if aliveUntilMs and tonumber(aliveUntilMs) > nowMs then
return 'alive', leaseMs, inbox
end
local goneUntilMs = string.match(place, '^gone (%d+)$')
return goneUntilMs and tonumber(goneUntilMs) > nowMs and 'gone' or 'none'
end
local function dropPlace(owner)
redis.call('ZREM', queueKey, owner)
redis.call('HDEL', waitersKey, owner)
end
local heard = {}
local function isHeard(inbox)
if not checkInbox then
return true
end
if heard[inbox] == nil then
local reply = redis.pcall('PUBSUB', 'NUMSUB', inbox)
heard[inbox] = reply.err ~= nil or reply[2] > 0
end
return heard[inbox]
end
local function grantNext(before, first)
local offset = 0
while true do
local owner = first or redis.call('ZRANGE', queueKey, offset, offset)[1]
if not owner or owner == before then
return nil, ''
end
first = nil
local state, leaseMs, inbox = readPlace(owner)
if state == 'none' then
dropPlace(owner)
elseif state == 'gone' then
redis.call('ZREM', queueKey, owner)
elseif not isHeard(inbox) then
offset = offset + 1
else
dropPlace(owner)
local _, token = admit(owner, leaseMs)
local notice = string.format('granted %s %s %s %s %s', owner, token, nowText, leaseMs, lockKey)
local reply = redis.pcall('PUBLISH', inbox, notice)
return owner, type(reply) == 'table' and reply.err or ''
end
end
end
local function answer(isDone, fault)
local code = isDone and 1 or 0
return fault == '' and code or { code, fault }
end
if isPlain then
local _, noticeFault = grantNext(nil, first)
return answer(true, noticeFault)
end
local function keepFor(key, ms)
if redis.call('PTTL', key) < ms then
redis.call('PEXPIRE', key, ms)
end
end
if count == 0 then
if readPlace(owner) ~= 'gone' then
dropPlace(owner)
end
if goneMs > 0 then
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
local noticeFault = ''
if ttlMs == -2 then
local _
_, noticeFault = grantNext()
end
return answer(mine, noticeFault)`,
  },
  renew: {
    name: 'renew',
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
}
