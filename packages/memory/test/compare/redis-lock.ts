import { scripts, type ScriptName } from '../../../core/src/redis/scripts/generated.js'
import type { Observation, TokenRanks } from './observation.js'
import { asList, evalOf, inboxOf, pairsOf, type Command, type RedisSubject } from './redis-sequences.js'
import type { Step } from './step.js'

/** Makes the keys older by ARGV[1] ms, so that no time need pass. A clock that goes on by itself goes on too. */
export const passLua = `
  local ms = tonumber(ARGV[1])
  for _, key in ipairs(KEYS) do
    local ttlMs = redis.call('PTTL', key)
    if ttlMs >= 0 then
      if ttlMs <= ms then redis.call('DEL', key) else redis.call('PEXPIRE', key, ttlMs - ms) end
    end
  end
  local waiters = redis.call('HGETALL', KEYS[3])
  for i = 1, #waiters, 2 do
    local head, time, rest = string.match(waiters[i + 1], '^(%D*)(%d+)(.*)$')
    local earlier = time - (head == '' and 1000 or 1) * ms
    redis.call('HSET', KEYS[3], waiters[i], head .. string.format('%.0f', earlier) .. rest)
  end`

/** Writes another inbox into the owner's queue entry, if it has one. */
const moveInboxLua = `
  local entry = redis.call('HGET', KEYS[1], ARGV[1])
  local head = entry and string.match(entry, '^(%d+ %d+ %d+ 1 %S+ )')
  if head then redis.call('HSET', KEYS[1], ARGV[1], head .. ARGV[2]) end`

/** All there is of the lock, read at one instant. */
const readLua = `
  local time = redis.call('TIME')
  local ttls = {}
  for i, key in ipairs(KEYS) do ttls[i] = redis.call('PTTL', key) end
  return {
    string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)), ttls,
    redis.call('HGETALL', KEYS[1]), redis.call('LRANGE', KEYS[2], 0, -1), redis.call('HGETALL', KEYS[3]),
    redis.call('GET', KEYS[4]) or '0',
  }`

/** How one lock is driven on Redis. */
export const redisLock: RedisSubject<Step> = {
  keysOf,
  callOf,
  readLua,
  observe(step, { reply, messages, state }, tokens) {
    return observe(readReply(step, reply, tokens), messages, state, tokens)
  },
}

/** The lock, its queue, its waiters and its fence. */
function keysOf(name: string): readonly string[] {
  return ['lock', 'queue', 'waiters', 'fence'].map((each) => `holdfast:compare:${name}:${each}`)
}

/** @param deaf - the owners whose clients are not subscribed; kept up to date here */
function callOf(step: Step, keys: readonly string[], deaf: Set<string>): Command {
  const script = (name: ScriptName, names: readonly string[], ...args: (string | number)[]): Command =>
    evalOf(scripts[name].lua, names, args)
  switch (step.kind) {
    case 'acquire': {
      const { owner, count, leaseMs, entryTtlMs, grantLeaseMs, tokenFloor } = step
      if (count > 1) return script('lockSetCount', keys.slice(0, 1), owner, count, leaseMs)
      const inbox = inboxOf(owner, deaf.has(owner))
      const waiting = entryTtlMs > 0 ? `${entryTtlMs} ${grantLeaseMs} 1 p ${inbox}` : ''
      return script('lockAcquire', keys, owner, leaseMs, tokenFloor, waiting)
    }
    case 'release': {
      const { owner, count, tombstoneMs, tokenFloor } = step
      if (count > 0) return script('lockSetCount', keys.slice(0, 1), owner, count, 0)
      const tombstone = tombstoneMs > 0 ? [tombstoneMs] : []
      return script('lockRelease', keys, owner, tokenFloor, ...tombstone)
    }
    case 'force': {
      const inbox = inboxOf(step.owner, deaf.has(step.owner))
      return script('lockForce', keys, step.owner, inbox, step.tokenFloor)
    }
    case 'renew':
      return script('lockRenew', keys.slice(0, 1), step.owner, step.leaseMs)
    case 'refresh':
      return script('lockRefresh', keys.slice(0, 3), step.owner, step.entryTtlMs)
    case 'inspect':
      return script('lockInspect', keys, step.limit)
    case 'subscribe':
    case 'unsubscribe': {
      const isDeaf = step.kind === 'unsubscribe'
      if (isDeaf) deaf.add(step.owner)
      else deaf.delete(step.owner)
      return evalOf(moveInboxLua, keys.slice(2, 3), [step.owner, inboxOf(step.owner, isDeaf)])
    }
    case 'pass':
      return evalOf(passLua, keys, [step.ms])
  }
}

/** Who is in the way of one that refreshes, and its position, if the reply says so. */
export function obstacleIn(said: unknown): (string | number)[] {
  const [, , position, holder = ''] = String(said).split(' ')
  return position === undefined ? [] : [holder, Number(position)]
}

/** The script's reply in the words of the port. */
function readReply(step: Step, given: unknown, tokens: TokenRanks): (string | number)[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : [given]
  const code = list[0]
  switch (step.kind) {
    case 'acquire': {
      if (typeof given === 'number') return [given === 1 ? 'held' : 'lost']
      if (code === -2) return ['abandoned']
      const [token, , position, holder = ''] = String(given).split(' ')
      if (position === undefined) return ['held', tokens.rankOf(Number(token))]
      return ['busy', holder, Number(position)]
    }
    case 'release':
    case 'force':
      return [code === 1 ? 'released' : 'not-held']
    case 'renew':
      return [code === 1 ? 'renewed' : 'not-held']
    case 'refresh':
      return [code === 1 ? 'waiting' : code === 2 ? 'granted' : 'missing', ...obstacleIn(list[1])]
    case 'inspect': {
      const waiters = list.slice(5)
      const listed = waiters.flatMap((owner, i) =>
        i % 2 === 0 ? [`${String(owner)}${Number(waiters[i + 1]) > 0 ? '' : ' stale'}`] : [],
      )
      return [String(list[1]), Number(list[2]), tokens.rankOf(Number(list[3])), Number(list[4]), ...listed]
    }
    case 'subscribe':
    case 'unsubscribe':
    case 'pass':
      return []
  }
}

function observe(
  reply: (string | number)[],
  messages: readonly string[],
  given: unknown,
  tokens: TokenRanks,
): Observation {
  const [nowText, ttls, holdList, queueList, waitersList, fenceText]: readonly unknown[] = asList(given)
  const nowMs = Number(nowText)
  const [holdMs, queueMs, , fenceMs] = asList(ttls).map(Number)
  const hold = asList(holdList).map(String)
  const ttlMs: Record<string, number> = {}
  const notices = messages.map((message) => readNotice(message, tokens))
  if (hold.length > 0) ttlMs['the hold'] = holdMs ?? -1
  const queue = asList(queueList).map(String)
  if (queue.length > 0) ttlMs['the queue'] = queueMs ?? -1
  const waiters = pairsOf(asList(waitersList).map(String))
  const entries = queue.map((owner) => {
    const [sinceUs, forMs, grantLeaseMs = ''] = (waiters.get(owner) ?? '').split(' ')
    const leftMs = Number(sinceUs) / 1_000 + Number(forMs) - nowMs
    if (leftMs > 0) ttlMs[`the queue entry of ${owner}`] = leftMs
    return `${owner} ${grantLeaseMs}`
  })
  const tombstones = [...waiters].flatMap(([owner, text]) => {
    const [, untilMs] = /^gone (\d+)$/.exec(text) ?? []
    if (!(Number(untilMs) > nowMs)) return []
    ttlMs[`the tombstone of ${owner}`] = Number(untilMs) - nowMs
    return [owner]
  })
  const token = tokens.rankOf(Number(fenceText))
  if (token > 0) ttlMs['the fence'] = fenceMs ?? -1
  return { reply, notices, hold: hold.join(' '), queue: entries, tombstones: tombstones.sort(), token, ttlMs }
}

/** `granted <owner> <proof> <token> <nowUs> <leaseMs> <lock>` or `revoked <owner> <lock>` */
function readNotice(message: string, tokens: TokenRanks): string {
  const [kind = '', owner = '', , token, , leaseMs = ''] = message.split(' ')
  return kind === 'revoked'
    ? `revoked ${owner}`
    : `granted ${owner} ${tokens.rankOf(Number(token))} ${leaseMs}`
}
