import { writePermits, type SharedInspection } from '../../engine/requests.js'
import { readTriples, type LatchCalls } from '../carried-steps.js'
import { keyList, lockCalls, tombstoneOf, waitingOf, type Calls } from '../commands.js'
import type { Keys, Kind, Layout } from '../keys.js'
import { numberAt, textAt } from '../errors.js'
import type { Script } from '../scripts/script.js'
import { scripts } from './generated.js'

/** A lock that is shared with Redisson: a release announces it, and gives our first waiter a turn to request it. */
export const redissonLockCalls = (countsInboxes: boolean, publishing: Publishing): Calls => ({
  ...lockCalls,
  // A hold without a token may get one when it is entered again.
  setsCount: ({ count, wantsToken }) => count > 1 && !wantsToken,

  acquire(keys, request, inbox) {
    const { owner, count, leaseMs, wantsToken } = request
    const args = [owner, count, leaseMs, waitingOf(request, inbox, countsInboxes), wantsToken ? 1 : 0]
    return { script: scripts.redissonLockAcquire, keys: keyList(keys), args }
  },

  release({ main, queue, waiters }, request) {
    const args = [request.owner, publishing.command, releaseChannelOf(main), ...tombstoneOf(request)]
    return { script: scripts.redissonLockRelease, keys: [main, queue, waiters], args }
  },

  force: ({ main, queue, waiters }, owner, inbox) => ({
    script: scripts.redissonLockForce,
    keys: [main, queue, waiters],
    args: [owner, inbox, publishing.command, releaseChannelOf(main)],
  }),
})

const latchKeys = ({ main, counted }: Keys): string[] => [main, counted]

/** Latches that are shared with Redisson's `RCountDownLatch`: a number, beside which we note who of us has counted down. */
export function redissonLatchCalls(publishing: Publishing): LatchCalls {
  const publishingOf = ({ main }: Keys): string[] => [publishing.command, latchChannelOf(main)]
  return {
    set: (keys, { named, setter, count, keepMs }) => ({
      script: scripts.redissonLatchSet,
      keys: latchKeys(keys),
      args: [named, setter, count, keepMs, ...publishingOf(keys)],
    }),

    countDown: (keys, { named, party }) => ({
      script: scripts.redissonLatchCountDown,
      keys: latchKeys(keys),
      args: [named, party, ...publishingOf(keys)],
    }),

    wait: (waits) => ({
      script: scripts.redissonLatchWait,
      keys: waits.flatMap(({ address }) => latchKeys(address)),
      args: waits.map(({ awaited }) => awaited?.generation ?? 0),
    }),

    delete: (keys, { named }) => ({
      script: scripts.redissonLatchDelete,
      keys: latchKeys(keys),
      args: [named, ...publishingOf(keys)],
    }),

    inspect: (keys, limit) => ({
      script: scripts.redissonLatchInspect,
      keys: latchKeys(keys),
      args: [limit],
    }),
  }
}

/** How Redisson's clients here are notified: they listen to either kind of channel, never to both. */
export class Publishing {
  /** Plain channels, until it is known that they use sharded ones. */
  command: 'PUBLISH' | 'SPUBLISH' = 'PUBLISH'
}

/** The hash tag of a name, by Redisson's rule: the name itself, unless it has a brace already. */
const taggedOf = (name: string): string => (name.includes('{') ? name : `{${name}}`)

/**
 * The names of what Redisson 3.24 to 4.7 keeps beside an object. Names whose braces form no tag are refused before they get
 * here.
 */
const prefixed = (prefix: string, name: string): string => `${prefix}:${taggedOf(name)}`

/** The channel on which a release of a lock is announced. */
export const releaseChannelOf = (lock: string): string => prefixed('redisson_lock__channel', lock)

export const readWriteChannelOf = (lock: string): string => prefixed('redisson_rwlock', lock)

/** What the keys of a reader's holds begin with. */
const holdSlotOf = (lock: string): string => taggedOf(lock)

/** The key that lives as long as a hold of the read side. Redisson has one more for each time that a thread re-enters. */
const holdKeyOf = (lock: string, owner: string): string => `${holdSlotOf(lock)}:${owner}:rwlock_timeout:1`

const tokenKeyOf = (lock: string): string => prefixed('redisson_lock_token', lock)

/** The channel on which the free permits of a semaphore are announced. */
export const permitsChannelOf = (semaphore: string): string => prefixed('redisson_sc', semaphore)

/** The key of the permits of an `RPermitExpirableSemaphore` by their ends. */
const permitIdsKeyOf = (semaphore: string): string => `${taggedOf(semaphore)}:timeout`

/** The channel on which it is announced that a latch has opened. Other than all the rest, it always gets braces. */
export const latchChannelOf = (latch: string): string => `redisson_countdownlatch__channel__{${latch}}`

/**
 * The semaphores of Redisson.
 *
 * - `RSemaphore`: a number of free permits. Those of Java have no owner and no end
 * - `RPermitExpirableSemaphore`: each permit has an id, and ends by itself if it was acquired with a lease
 */
export type RedissonSemaphore = 'RSemaphore' | 'RPermitExpirableSemaphore'

/** Redisson keeps every object under its bare name, and each kind has a form of its own. */
export const layoutWith = (semaphores: RedissonSemaphore | undefined): Layout => ({
  kindOf: (object): Kind =>
    object === 'semaphore' && semaphores === 'RPermitExpirableSemaphore' ? 'permits' : object,
  mainOf: (lock) => lock,
  fenceOf: tokenKeyOf,
})

/** The keys that are about one owner, in the order that the scripts want. */
const readWriteKeys = ({ id, main }: Keys, owner: string): string[] => [
  main,
  holdKeyOf(main, owner),
  `${id}:gone:${owner}`,
]

/** Redisson's forms have neither tokens nor waiters. */
const noQueue = { kind: 'shared', token: 0, waiterCount: 0, waiters: [] } as const

/**
 * A read/write lock that is shared with Redisson: its form has neither a queue nor tokens, so all that wait compete once a
 * release was announced.
 */
export function redissonReadWriteCalls(publishing: Publishing): Calls {
  const announcementOf = ({ main }: Keys): string[] => [
    holdSlotOf(main),
    publishing.command,
    readWriteChannelOf(main),
  ]
  return {
    acquire(keys, { owner, count, leaseMs, entryTtlMs }) {
      const side = count === writePermits ? 'write' : 'read'
      const args = [owner, side, leaseMs, entryTtlMs > 0 ? 1 : 0]
      return { script: scripts.redissonReadWriteAcquire, keys: readWriteKeys(keys, owner), args }
    },

    release(keys, request) {
      const { owner, count } = request
      const args = [owner, count, ...announcementOf(keys), ...tombstoneOf(request)]
      return { script: scripts.redissonReadWriteRelease, keys: readWriteKeys(keys, owner), args }
    },

    force: (keys, owner, inbox) => ({
      script: scripts.redissonReadWriteForce,
      keys: [keys.main],
      args: [owner, inbox, ...announcementOf(keys)],
    }),

    renew: (renewals) => ({
      script: scripts.redissonReadWriteRenew,
      keys: renewals.flatMap(({ address: { main }, owner }) => [main, holdKeyOf(main, owner)]),
      args: renewals.flatMap(({ owner, leaseMs }) => [owner, leaseMs]),
    }),

    refresh: (entries) => ({
      script: scripts.redissonReadWriteRefresh,
      keys: entries.map(({ address: { main } }) => main),
      args: entries.map(({ owner }) => owner),
    }),

    inspect: ({ main }, limit) => ({
      script: scripts.redissonReadWriteInspect,
      keys: [main],
      args: [holdSlotOf(main), limit],
    }),

    readInspection(reply) {
      const permits = textAt(reply, 1) === 'write' ? writePermits : 1
      const holders = []
      for (let i = 2; i < reply.length; i += 2) {
        holders.push({ owner: textAt(reply, i), permits, ttlMs: numberAt(reply, i + 1) })
      }
      const holderCount = numberAt(reply, 0)
      return { ...noQueue, size: 0, version: 0, used: permits * holderCount, holderCount, holders }
    },
  }
}

type SemaphoreStep = 'acquire' | 'release' | 'force' | 'renew' | 'refresh' | 'inspect'

/** What both forms of semaphores that are shared with Redisson have in common: their scripts have the same arguments. */
function semaphoreCalls(
  publishing: Publishing,
  keyList: (keys: Keys) => string[],
  steps: Readonly<Record<SemaphoreStep, Script>>,
): Omit<Calls, 'readInspection'> {
  const publishingOf = ({ main }: Keys): string[] => [publishing.command, permitsChannelOf(main)]
  return {
    /** A waiter has no queue entry at Redis: messages wake it. */
    acquire(keys, { owner, count, leaseMs, entryTtlMs, size = count }) {
      const args = [owner, count, leaseMs, entryTtlMs > 0 ? 1 : 0, size, ...publishingOf(keys)]
      return { script: steps.acquire, keys: [...keyList(keys), keys.waiters], args }
    },

    release(keys, request) {
      const args = [request.owner, request.count, ...publishingOf(keys), ...tombstoneOf(request)]
      return { script: steps.release, keys: [...keyList(keys), keys.waiters], args }
    },

    force: (keys, owner, inbox) => ({
      script: steps.force,
      keys: keyList(keys),
      args: [owner, inbox, ...publishingOf(keys)],
    }),

    renew: (renewals) => ({
      script: steps.renew,
      keys: renewals.flatMap(({ address }) => keyList(address)),
      args: renewals.flatMap(({ address, owner, leaseMs }) => [...publishingOf(address), owner, leaseMs]),
    }),

    refresh: (entries) => ({
      script: steps.refresh,
      keys: entries.flatMap(({ address }) => keyList(address)),
      args: entries.flatMap(({ address, owner }) => [...publishingOf(address), owner]),
    }),

    inspect: (keys, limit) => ({ script: steps.inspect, keys: keyList(keys), args: [limit] }),
  }
}

const semaphoreKeys = ({ main, id, ends }: Keys): string[] => [main, id, ends]

/** A semaphore that is shared with Redisson's `RSemaphore`: a number of free permits, beside which we note who of us has some. */
export const rSemaphoreCalls = (publishing: Publishing): Calls => ({
  ...semaphoreCalls(publishing, semaphoreKeys, {
    acquire: scripts.redissonSemaphoreAcquire,
    release: scripts.redissonSemaphoreRelease,
    force: scripts.redissonSemaphoreForce,
    renew: scripts.redissonSemaphoreRenew,
    refresh: scripts.redissonSemaphoreRefresh,
    inspect: scripts.redissonSemaphoreInspect,
  }),

  readInspection: (reply) => ({
    ...inspectionOf(reply),
    size: 0,
    version: 0,
    holders: holdersOf(reply, 3, reply.length),
  }),
})

const permitsKeys = (keys: Keys): string[] => [...semaphoreKeys(keys), permitIdsKeyOf(keys.main)]

/** A semaphore that is shared with Redisson's `RPermitExpirableSemaphore`: each permit has an id, and an end of its own. */
export const permitExpirableCalls = (publishing: Publishing): Calls => ({
  ...semaphoreCalls(publishing, permitsKeys, {
    acquire: scripts.redissonPermitsAcquire,
    release: scripts.redissonPermitsRelease,
    force: scripts.redissonPermitsForce,
    renew: scripts.redissonPermitsRenew,
    refresh: scripts.redissonPermitsRefresh,
    inspect: scripts.redissonPermitsInspect,
  }),

  resize: (keys, { size, keepMs, version, id }) => ({
    script: scripts.redissonPermitsResize,
    keys: [...permitsKeys(keys), keys.size],
    args: [size, keepMs, version, id, publishing.command, permitsChannelOf(keys.main)],
  }),

  readInspection(reply) {
    const inspection = inspectionOf(reply)
    const { free = 0, used } = inspection
    const firstId = 4 + 3 * numberAt(reply, 3)
    const holders = holdersOf(reply, 4, firstId)
    for (let i = firstId; i < reply.length; i += 2) {
      const ttlMs = numberAt(reply, i + 1)
      holders.push({ owner: textAt(reply, i), permits: 1, ttlMs: ttlMs === -1 ? Infinity : ttlMs })
    }
    holders.sort((a, b) => a.ttlMs - b.ttlMs)
    return { ...inspection, size: free + used, version: inspection.free === undefined ? 0 : 1, holders }
  },
})

const inspectionOf = (reply: readonly unknown[]): Omit<SharedInspection, 'size' | 'version' | 'holders'> => ({
  ...noQueue,
  free: reply[1] === '' ? undefined : numberAt(reply, 1),
  used: numberAt(reply, 0),
  holderCount: numberAt(reply, 2),
})

const holdersOf = (reply: readonly unknown[], from: number, to: number) =>
  readTriples(reply, from, to).map(({ owner, permits, ms: ttlMs }) => ({ owner, permits, ttlMs }))
