import { scripts, type ScriptName } from '../../../core/src/redis/scripts/generated.js'
import type { Observation, TokenRanks } from './observation.js'
import { obstacleIn } from './redis-lock.js'
import { asList, evalOf, inboxOf, pairsOf, type Command, type RedisSubject } from './redis-sequences.js'
import type { SharedStep } from './shared-step.js'

const names = ['main', 'ends', 'queue', 'waiters', 'fence', 'size'] as const

/** Makes the keys older by ARGV[1] ms, so that no time need pass. A clock that goes on by itself goes on too. */
const passLua = `
  local ms = tonumber(ARGV[1])
  for _, key in ipairs(KEYS) do
    local ttlMs = redis.call('PTTL', key)
    if ttlMs >= 0 then
      if ttlMs <= ms then redis.call('DEL', key) else redis.call('PEXPIRE', key, ttlMs - ms) end
    end
  end
  for _, owner in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do redis.call('ZINCRBY', KEYS[2], -ms, owner) end
  local waiters = redis.call('HGETALL', KEYS[4])
  for i = 1, #waiters, 2 do
    local head, time, rest = string.match(waiters[i + 1], '^(%D*)(%d+)(.*)$')
    redis.call('HSET', KEYS[4], waiters[i], head .. string.format('%.0f', time - ms) .. rest)
  end`

/** Writes another inbox into the owner's queue entry, if it has one. */
const moveInboxLua = `
  local entry = redis.call('HGET', KEYS[1], ARGV[1])
  local head = entry and string.match(entry, '^(%d+ %d+ 1 %d+ %d+ %S+ )')
  if head then redis.call('HSET', KEYS[1], ARGV[1], head .. ARGV[2]) end`

const readLua = `
  local time = redis.call('TIME')
  local ttls = {}
  for i, key in ipairs(KEYS) do ttls[i] = redis.call('PTTL', key) end
  return {
    string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)), ttls,
    redis.call('HGETALL', KEYS[1]), redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES'),
    redis.call('LRANGE', KEYS[3], 0, -1), redis.call('HGETALL', KEYS[4]),
    redis.call('GET', KEYS[5]) or '0', redis.call('GET', KEYS[6]) or '',
  }`

/** How one read/write lock or semaphore is driven on Redis. */
export const redisShared: RedisSubject<SharedStep> = {
  keysOf: (name) => names.map((each) => `holdfast:compare:${name}:${each}`),
  callOf,
  readLua,
  observe(step, { reply, messages, state, before }, tokens) {
    const answer = readReply(step, reply, tokens)
    const { isHalf, ended } = readHolds(before)
    // Its caller is to request now, because of a hold that has ended; in memory there is no trace of it any more.
    const isOfOldHold = step.kind === 'refresh' && (isHalf || ended.length > 0)
    const { untilChangeMs } = answer
    const known = observe(answer, messages, state, tokens)
    const ttlMs = { ...known.ttlMs, ...(untilChangeMs !== undefined && { 'the answer': untilChangeMs }) }
    // NaN is not far from anything.
    if (isOfOldHold) ttlMs['the answer'] = NaN
    const observation = { ...known, ttlMs, repliesInPart: isOfOldHold }
    // A release that looks at no clock does not know that its hold had ended: nobody else has noticed either.
    const isOldHold = step.kind === 'release' && step.count === 0 && (isHalf || ended.includes(step.owner))
    return isOldHold ? { ...observation, reply: ['not-held'] } : observation
  },
}

interface Answer {
  readonly reply: (string | number)[]
  readonly untilChangeMs?: number
}

function callOf(step: SharedStep, keys: readonly string[], deaf: Set<string>): Command {
  const script = (name: ScriptName, given: readonly string[], ...args: (string | number)[]): Command =>
    evalOf(scripts[name].lua, given, args)
  const pick = (...wanted: (typeof names)[number][]): string[] =>
    wanted.map((name) => keys[names.indexOf(name)] ?? '')
  switch (step.kind) {
    case 'acquire': {
      const { owner, count, size, leaseMs, entryTtlMs, grantLeaseMs, tokenFloor } = step
      const inbox = inboxOf(owner, deaf.has(owner))
      const waiting = entryTtlMs > 0 ? `${entryTtlMs} ${grantLeaseMs} 1 ${count} ${size} p ${inbox}` : ''
      return script('sharedAcquire', keys, owner, count, leaseMs, tokenFloor, waiting, size)
    }
    case 'release': {
      const { owner, count, tombstoneMs, tokenFloor } = step
      const tombstone = tombstoneMs > 0 ? [tombstoneMs] : []
      return script('sharedRelease', keys, owner, count, tokenFloor, ...tombstone)
    }
    case 'force':
      return script(
        'sharedForce',
        keys,
        step.owner,
        inboxOf(step.owner, deaf.has(step.owner)),
        step.tokenFloor,
      )
    case 'resize':
      return script('sharedResize', keys, step.size, step.keepMs, step.version, step.id, step.tokenFloor)
    case 'renew':
      return script('sharedRenew', pick('main', 'ends'), step.owner, step.leaseMs)
    case 'refresh': {
      const given = pick('main', 'ends', 'queue', 'waiters', 'size')
      return script('sharedRefresh', given, step.owner, step.entryTtlMs)
    }
    case 'inspect':
      return script('sharedInspect', keys, step.limit)
    case 'subscribe':
    case 'unsubscribe': {
      const isDeaf = step.kind === 'unsubscribe'
      if (isDeaf) deaf.add(step.owner)
      else deaf.delete(step.owner)
      return evalOf(moveInboxLua, pick('waiters'), [step.owner, inboxOf(step.owner, isDeaf)])
    }
    case 'pass':
      return evalOf(passLua, keys, [step.ms])
    case 'evict':
      return ['del', ...pick(step.key)]
  }
}

/** The script's reply in the words of the port. */
function readReply(step: SharedStep, given: unknown, tokens: TokenRanks): Answer {
  const list: readonly unknown[] = Array.isArray(given) ? given : [given]
  const code = list[0]
  switch (step.kind) {
    case 'acquire': {
      if (code === -1) return { reply: ['lost'] }
      if (code === -2) return { reply: ['abandoned'] }
      const [first, , position, holder = ''] = String(given).split(' ')
      if (position === undefined) return { reply: ['held', tokens.rankOf(Number(first))] }
      return { reply: ['busy', holder, Number(position)], untilChangeMs: Number(first) }
    }
    case 'release':
    case 'force':
      return { reply: [code === 1 ? 'released' : 'not-held'] }
    case 'resize':
      return { reply: [code === 1 ? 'resized' : 'superseded', Number(list[1]), Number(list[2])] }
    case 'renew':
      return { reply: [code === 1 ? 'renewed' : 'not-held'] }
    case 'refresh': {
      const state = code === 1 ? 'waiting' : code === 2 ? 'granted' : 'missing'
      return { reply: [state, ...obstacleIn(list[1])], untilChangeMs: parseInt(String(list[1])) }
    }
    case 'inspect': {
      const firstWaiter = 7 + 3 * Number(list[6])
      const listed: string[] = []
      for (let i = 7; i < list.length; i += 3) {
        const isStale = i >= firstWaiter && !(Number(list[i + 2]) > 0)
        listed.push(`${String(list[i])} ${String(list[i + 1])}${isStale ? ' stale' : ''}`)
      }
      const [size, version, used, holders, token, entries] = list.map(Number)
      const ranked = tokens.rankOf(token ?? 0)
      return { reply: [size ?? 0, version ?? 0, used ?? 0, holders ?? 0, ranked, entries ?? 0, ...listed] }
    }
    case 'subscribe':
    case 'unsubscribe':
    case 'pass':
    case 'evict':
      return { reply: [] }
  }
}

/** Redis reads its clock for each of them: this much may pass in between. */
const apartMs = 1_000

/** The holds as they are written, and those among them that have ended. */
function readHolds(given: unknown) {
  const [nowText, ttls, mainList, endsList]: readonly unknown[] = asList(given)
  const nowMs = Number(nowText)
  const [mainMs = 0, endsMs = 0] = asList(ttls).map(Number)
  const main = pairsOf(asList(mainList).map(String))
  const ends = new Map([...pairsOf(asList(endsList).map(String))].map(([owner, end]) => [owner, Number(end)]))
  const used = Number(main.get('used') ?? 0)
  main.delete('used')
  const isHalf = (main.size === 0) !== (ends.size === 0)
  const holds = isHalf ? [] : [...main]
  const ended = holds.flatMap(([owner]) => ((ends.get(owner) ?? 0) <= nowMs ? [owner] : []))
  const sum = holds.reduce((total, [, hold]) => total + parseInt(hold), 0)
  const isWhole =
    isHalf ||
    (sum === used &&
      main.size === ends.size &&
      Math.abs(mainMs - endsMs) <= apartMs &&
      [...ends.values()].every((end) => end - nowMs <= mainMs + apartMs))
  return {
    nowMs,
    ends,
    isHalf,
    ended,
    isWhole,
    live: holds.filter(([owner]) => !ended.includes(owner)),
  }
}

function observe(
  { reply }: Answer,
  messages: readonly string[],
  given: unknown,
  tokens: TokenRanks,
): Observation {
  const [, ttls, , , queueList, waitersList, fenceText, sizeText]: readonly unknown[] = asList(given)
  const { nowMs, ends, live, isWhole } = readHolds(given)
  const [, , queueMs, , fenceMs, sizeMs] = asList(ttls).map(Number)
  const ttlMs: Record<string, number> = {}
  const notices = messages.flatMap((message) => readNotice(message, tokens))
  const holds = live.map(([owner, hold]) => {
    const [permits = '', token] = hold.split(' ')
    ttlMs[`the hold of ${owner}`] = (ends.get(owner) ?? 0) - nowMs
    return `${owner} ${permits} ${tokens.rankOf(Number(token))}`
  })
  if (sizeText !== '') ttlMs['the size'] = sizeMs ?? -1
  const queue = asList(queueList).map(String)
  if (queue.length > 0) ttlMs['the queue'] = queueMs ?? -1
  const waiters = pairsOf(asList(waitersList).map(String))
  const entries = queue.map((owner) => {
    const [aliveUntilMs, grantLeaseMs = '', , want = '', size = ''] = (waiters.get(owner) ?? '').split(' ')
    const leftMs = Number(aliveUntilMs) - nowMs
    if (leftMs > 0) ttlMs[`the queue entry of ${owner}`] = leftMs
    return `${owner} ${grantLeaseMs} ${want} ${size}`
  })
  const tombstones = [...waiters].flatMap(([owner, text]) => {
    const [, untilMs] = /^gone (\d+)$/.exec(text) ?? []
    if (!(Number(untilMs) > nowMs)) return []
    ttlMs[`the tombstone of ${owner}`] = Number(untilMs) - nowMs
    return [owner]
  })
  const token = tokens.rankOf(Number(fenceText))
  if (token > 0) ttlMs['the fence'] = fenceMs ?? -1
  const hold = `${holds.sort().join(', ')}; ${String(sizeText)}${isWhole ? '' : '; the sum and the list do not go together'}`
  return { reply, notices, hold, queue: entries, tombstones: tombstones.sort(), token, ttlMs }
}

/** `entered <token> <nowUs> <owner>:<leaseMs>:<proof>,… <main>` or `revoked <owner> <main>` */
function readNotice(message: string, tokens: TokenRanks): string[] {
  const [kind = '', first = '', , owners = ''] = message.split(' ')
  if (kind === 'revoked') return [`revoked ${first}`]
  return owners.split(',').map((each) => {
    const [owner = '', leaseMs = ''] = each.split(':')
    return `entered ${owner} ${tokens.rankOf(Number(first))} ${leaseMs}`
  })
}
