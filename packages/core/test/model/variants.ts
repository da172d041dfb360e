import type { Promised } from './problem.js'
import { realLua, type Lua } from './script-runner.js'
import type { Bounds } from './state.js'

/** The scripts with one mistake, and the promise that it breaks first. */
export interface Variant {
  readonly mistake: string
  readonly breaks: Promised
  readonly bounds: Bounds
  /** The scripts to change; all that contain the text when not given. */
  readonly script?: keyof Lua
  readonly from: string
  readonly to: string
}

const two: Bounds = { owners: 2, faults: 0 }
const three: Bounds = { owners: 3, faults: 0, nesting: 0 }
const twoWithFault: Bounds = { owners: 2, faults: 1 }
const threeWithFault: Bounds = { owners: 3, faults: 1, nesting: 0 }

export const variants: readonly Variant[] = [
  {
    mistake: 'counts by increment',
    breaks: 'count',
    bounds: twoWithFault,
    from: `redis.call('HSET', lockKey, owner, count)\nkeepFor`,
    to: `redis.call('HINCRBY', lockKey, owner, 1)\nkeepFor`,
  },
  {
    mistake: 'enters a held lock',
    breaks: 'exclusion',
    bounds: two,
    script: 'acquire',
    from: `local isFree = ttlMs == -2`,
    to: `local isFree = true`,
  },
  {
    mistake: 'releases without checking who holds',
    breaks: 'exclusion',
    bounds: two,
    script: 'release',
    from: `redis.pcall('HDEL', lockKey, owner) == 1`,
    to: `redis.call('DEL', lockKey) == 1`,
  },
  {
    mistake: 'lets a count of 2 in without a hold',
    breaks: 'leftover',
    bounds: twoWithFault,
    from: `if count > 1 then\nreturn { -1 }\nend`,
    to: ``,
  },
  {
    mistake: 'grants without removing the queue entry',
    breaks: 'leftover',
    bounds: two,
    from: `redis.call('ZREM', queueKey, waiter)\nredis.call('HDEL', waitersKey, waiter)\nlocal newHolder`,
    to: `local newHolder`,
  },
  {
    mistake: 'enters without removing its own queue entry',
    breaks: 'leftover',
    bounds: twoWithFault,
    from: `local waiter = owner\nredis.call('ZREM', queueKey, waiter)\nredis.call('HDEL', waitersKey, waiter)\nend\nlocal newHolder`,
    to: `end\nlocal newHolder`,
  },
  {
    mistake: 'gives up without removing the queue entry',
    breaks: 'leftover',
    bounds: two,
    script: 'release',
    from: `if count == 0 then`,
    to: `if count == 0 and tombstoneMs > 0 then`,
  },
  {
    mistake: 'gives up without leaving a tombstone',
    breaks: 'leftover',
    bounds: twoWithFault,
    from: `if tombstoneMs > 0 then`,
    to: `if false then`,
  },
  {
    mistake: 'removes the tombstone of an abandoned owner',
    breaks: 'leftover',
    bounds: twoWithFault,
    script: 'release',
    from: `if state ~= 'tombstone' then`,
    to: `if true then`,
  },
  {
    mistake: 'overlooks the tombstone of an abandoned owner',
    breaks: 'leftover',
    bounds: twoWithFault,
    from: `if state == 'tombstone' then\nreturn { -2 }\nend`,
    to: ``,
  },
  {
    mistake: 'lets a request pass the waiters ahead of it',
    breaks: 'order',
    bounds: threeWithFault,
    script: 'acquire',
    from: `while isFree and first and first ~= before do`,
    to: `while false do`,
  },
  {
    mistake: 'queues again with a new ticket',
    breaks: 'order',
    bounds: threeWithFault,
    from: `redis.call('ZADD', queueKey, 'NX', `,
    to: `redis.call('ZADD', queueKey, `,
  },
  {
    mistake: 'takes tickets from a clock that went back',
    breaks: 'order',
    bounds: three,
    from: `if isNew and rank < lastRank then`,
    to: `if false then`,
  },
  {
    mistake: 'releases without granting',
    breaks: 'handOff',
    bounds: two,
    script: 'release',
    from: `while isFree and first and first ~= before do`,
    to: `while false do`,
  },
  {
    mistake: 'grants to a waiter that is not subscribed',
    breaks: 'handOff',
    bounds: twoWithFault,
    from: `if isSubscribed then`,
    to: `if true then`,
  },
  {
    mistake: 'grants to a stale entry',
    breaks: 'handOff',
    bounds: twoWithFault,
    from: `aliveUntilMs and tonumber(aliveUntilMs) > nowMs`,
    to: `aliveUntilMs`,
  },
  {
    mistake: 'stops at a waiter that is not subscribed',
    breaks: 'handOff',
    bounds: threeWithFault,
    from: `offset = offset + 1`,
    to: `break`,
  },
  {
    mistake: 'repeats the last token',
    breaks: 'token',
    bounds: two,
    from: `token = tonumber(lastToken) + 1`,
    to: `token = tonumber(lastToken)`,
  },
  {
    mistake: 'takes tokens from a clock that went back',
    breaks: 'token',
    bounds: two,
    from: `if lastToken and tonumber(lastToken) >= token then`,
    to: `if false then`,
  },
  {
    mistake: 'shortens the TTL of a queue',
    breaks: 'ttl',
    bounds: three,
    from: `if redis.call('PTTL', key) < ms then\nredis.call('PEXPIRE', key, ms)\nend`,
    to: `redis.call('PEXPIRE', key, ms)`,
  },
  {
    mistake: 'refuses an owner that has not given up',
    breaks: 'refusal',
    bounds: two,
    from: `if state == 'tombstone' then\nreturn { -2 }\nend`,
    to: `if ttlMs ~= -2 then\nreturn { -2 }\nend`,
  },
  {
    mistake: 'admits an owner only once',
    breaks: 'quiet',
    bounds: two,
    from: `if not isFree then`,
    to: `if not isFree or redis.call('EXISTS', fenceKey) == 1 then`,
  },
]

/** Throws when there is nothing to replace, so that a variant never outlives the text that it breaks. */
export function broken({ mistake, script, from, to }: Variant): Lua {
  const change = (name: keyof Lua): string =>
    script === undefined || script === name ? realLua[name].replaceAll(from, to) : realLua[name]
  const changed: Lua = {
    acquire: change('acquire'),
    release: change('release'),
    refresh: change('refresh'),
    force: change('force'),
  }
  const isChanged = Object.values(realLua).some((lua) => !Object.values(changed).includes(lua))
  if (!isChanged) throw new Error(`no script contains what "${mistake}" replaces`)
  return changed
}
