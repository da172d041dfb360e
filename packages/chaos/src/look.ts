import { nowMs, until, withRedis, type HistoryEvent } from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import type { Scene } from './faults/scene.js'

/** A hold as its client knows it. */
export interface Taken {
  readonly lock: string
  readonly owner: string
  readonly atClient: number
}

/** Compares the counts that clients report with the server's, while nothing moves. */
export async function readCounts(scene: Scene, taken: readonly Taken[]): Promise<HistoryEvent[]> {
  const perLock = scene.locks.map(async (lock, n) => {
    const counts = await onMaster(scene, n, (redis, key) => redis.hgetall(key))
    const known = new Map(
      taken.filter((hold) => hold.lock === lock).map((hold) => [hold.owner, hold.atClient]),
    )
    // What is in a lock that nobody was left to take may be a dead process's.
    if (known.size === 0) return []
    const owners = [...new Set([...known.keys(), ...Object.keys(counts)])]
    return owners.map((owner): HistoryEvent => ({
      kind: 'counted',
      atMs: nowMs(),
      lock,
      owner,
      atClient: known.get(owner) ?? 0,
      atServer: Number(counts[owner] ?? 0),
    }))
  })
  return (await Promise.all(perLock)).flat()
}

interface Leftover {
  readonly what: string
  /** `null`: nobody may leave such a thing. */
  readonly owner: string | null
}

/** Whoever closes in good order takes everything along; the rest is for busy machines. */
const closedIsGoneWithinMs = 1_000

export interface LeftoverOptions {
  /** By when leases and places of dead processes have ended. */
  readonly deadIsGoneWithinMs: number
  /** Whether the owner may be of a process that did not close. */
  readonly mayBeDead: (owner: string) => boolean
}

/** What is still there of the locks when everybody has left. */
export async function lookForLeftovers(
  scene: Scene,
  { deadIsGoneWithinMs, mayBeDead }: LeftoverOptions,
): Promise<HistoryEvent[]> {
  const isOfDead = ({ owner }: Leftover) => owner !== null && mayBeDead(owner)
  const perLock = scene.locks.map(async (lock, n) => {
    const look = () => onMaster(scene, n, leftoversOf)
    const ofClosed = await remaining(
      async () => (await look()).filter((leftover) => !isOfDead(leftover)),
      closedIsGoneWithinMs,
    )
    const ofDead = await remaining(async () => (await look()).filter(isOfDead), deadIsGoneWithinMs)
    return [...ofClosed, ...ofDead].map(({ what }): HistoryEvent => ({
      kind: 'leftover',
      atMs: nowMs(),
      lock,
      what,
    }))
  })
  return (await Promise.all(perLock)).flat()
}

/** What is found again and again until that time is over. */
async function remaining(look: () => Promise<Leftover[]>, timeoutMs: number): Promise<Leftover[]> {
  let found: Leftover[] = []
  const isClean = async () => {
    found = await look()
    return found.length === 0
  }
  await until(isClean, { what: 'nothing to be left', timeoutMs }).catch(() => undefined)
  return found
}

async function leftoversOf(redis: Redis, lock: string): Promise<Leftover[]> {
  const keys = { lock, queue: `{${lock}}:queue`, waiters: `{${lock}}:waiters`, fence: `{${lock}}:fence` }
  const holders = await redis.hkeys(keys.lock)
  const queued = await redis.zrange(keys.queue, '0', '-1')
  const places = await redis.hgetall(keys.waiters)
  const ttls = await Promise.all(Object.values(keys).map((key) => redis.pttl(key)))
  return [
    ...holders.map((owner) => ({ owner, what: `hold of ${owner}` })),
    ...queued.map((owner) => ({ owner, what: `queue entry of ${owner}` })),
    // Marks of owners that were given up stay until nothing of them can be on its way any more.
    ...Object.entries(places)
      .filter(([, place]) => !place.startsWith('gone '))
      .map(([owner, place]) => ({ owner, what: `place of ${owner}: ${place}` })),
    ...Object.values(keys)
      .filter((_, n) => ttls[n] === -1)
      .map((key) => ({ owner: null, what: `${key} without a TTL` })),
  ]
}

async function onMaster<T>(
  scene: Scene,
  n: number,
  use: (redis: Redis, key: string) => Promise<T>,
): Promise<T> {
  const key = scene.keys[n] ?? ''
  const server = await scene.arena.topology.masterOf(n, key)
  return withRedis(server.url, (redis) => use(redis, key))
}
