import { withRedis } from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import { redisOf, type FaultContext } from './faults/fault-context.js'
import { keysOf, type ObjectKeys } from './objects.js'
import type { Leftover, Records } from './records.js'

/** What Redis has of the locks, by their keys. */
export function recordsInRedis(context: FaultContext): Records {
  const { object, locks, keys } = context
  const topology = redisOf(context)
  const keysAt = (n: number) => keysOf(object, locks[n] ?? '')
  const onMaster = async <T>(n: number, use: (redis: Redis, keys: ObjectKeys) => Promise<T>): Promise<T> => {
    const server = await topology.masterOf(n, keys[n] ?? '')
    return withRedis(server.url, (redis) => use(redis, keysAt(n)))
  }
  return {
    counts: (n) => onMaster(n, readHolds),
    contradictions: (n) => onMaster(n, contradictionsIn),
    async leftovers(n) {
      if (object !== 'quorum') return onMaster(n, leftoversOf)
      // Each server may have a vote of a quorum.
      const all = topology.servers.map((server) =>
        withRedis(server.url, (redis) => leftoversOf(redis, keysAt(n))),
      )
      return (await Promise.all(all)).flat()
    },
  }
}

async function leftoversOf(redis: Redis, keys: ObjectKeys): Promise<Leftover[]> {
  // A latch that is not deleted stays until its time is up.
  if (keys.latch) return withoutTtl(redis, [keys.main, keys.latch.counted, keys.waiters])
  const { main, queue, waiters, fence, shared } = keys
  const all = [main, queue, waiters, fence, ...(shared ? [shared.ends, shared.size] : [])]
  const holders = Object.keys(await readHolds(redis, keys))
  const queued = await redis.lrange(queue, 0, -1)
  const entries = await redis.hgetall(waiters)
  return [
    ...holders.map((owner) => ({ owner, what: `hold of ${owner}` })),
    ...queued.map((owner) => ({ owner, what: `queue entry of ${owner}` })),
    // Tombstones of abandoned owners stay until none of their requests can still arrive.
    ...Object.entries(entries)
      .filter(([, entry]) => !entry.startsWith('gone '))
      .map(([owner, entry]) => ({ owner, what: `waiter record of ${owner}: ${entry}` })),
    ...(await contradictionsIn(redis, keys)).map((what) => ({ owner: null, what })),
    ...(await withoutTtl(redis, all)),
  ]
}

async function withoutTtl(redis: Redis, keys: readonly string[]): Promise<Leftover[]> {
  const ttls = await Promise.all(keys.map((key) => redis.pttl(key)))
  return keys.filter((_, n) => ttls[n] === -1).map((key) => ({ owner: null, what: `${key} without a TTL` }))
}

async function readHolds(redis: Redis, keys: ObjectKeys): Promise<Record<string, number>> {
  if (keys.shared) {
    const { holds, ended } = await readShared(redis, keys.main, keys.shared.ends)
    // What has ended is dropped by the next one that looks.
    return Object.fromEntries([...holds].filter(([owner]) => !ended.has(owner)))
  }
  const counts = await redis.hgetall(keys.main)
  return Object.fromEntries(Object.entries(counts).map(([owner, count]) => [owner, Number(count)]))
}

/** The sum of permits is that of the holds, and each hold has an end. Without one of the two keys nobody holds. */
async function contradictionsIn(redis: Redis, { main, shared }: ObjectKeys): Promise<string[]> {
  if (!shared) return []
  const { used, holds, ending } = await readShared(redis, main, shared.ends)
  if (holds.size === 0 || ending.size === 0) return []
  const sum = [...holds.values()].reduce((permits, more) => permits + more, 0)
  return [
    ...(used === sum ? [] : [`a sum of ${used} permits, where the holds have ${sum}`]),
    ...[...holds.keys()]
      .filter((owner) => !ending.has(owner))
      .map((owner) => `a hold of ${owner} without an end`),
    ...[...ending].filter((owner) => !holds.has(owner)).map((owner) => `an end of ${owner} without a hold`),
  ]
}

/** What the server has of an object that several may hold. */
interface SharedHolds {
  readonly used: number
  /** The permits of each owner. */
  readonly holds: ReadonlyMap<string, number>
  /** The owners whose holds have an end. */
  readonly ending: ReadonlySet<string>
  /** Those of them that have passed it. */
  readonly ended: ReadonlySet<string>
}

/** In one step: a hold may end at any time. */
async function readShared(redis: Redis, main: string, ends: string): Promise<SharedHolds> {
  const found = await redis.eval(readBoth, 2, main, ends)
  if (!Array.isArray(found)) throw new Error(`cannot read ${main}`)
  const [used = '', holds = '', ending = '', ended = ''] = found.map(String)
  const split = (text: string) => text.split(',').filter((part) => part !== '')
  return {
    used: Number(used),
    holds: new Map(
      split(holds).map((text) => {
        const [owner = '', permits] = text.split('=')
        return [owner, Number(permits)]
      }),
    ),
    ending: new Set(split(ending)),
    ended: new Set(split(ended)),
  }
}

/** `used`, the holds as `<owner>=<permits>,…`, the owners that have an end, and those of them that have passed it. */
const readBoth = `
  local fields, holds, used = redis.call('HGETALL', KEYS[1]), {}, ''
  for i = 1, #fields, 2 do
    if fields[i] == 'used' then
      used = fields[i + 1]
    else
      holds[#holds + 1] = fields[i] .. '=' .. string.match(fields[i + 1], '^%d+')
    end
  end
  local time = redis.call('TIME')
  local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
  local ended = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', nowMs))
  local ending = redis.call('ZRANGE', KEYS[2], 0, -1)
  return { used, table.concat(holds, ','), table.concat(ending, ','), table.concat(ended, ',') }`
