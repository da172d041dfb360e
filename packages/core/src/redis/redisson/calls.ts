import type { SharedInspection } from '../../engine/replies.js'
import {
  writePermits,
  type AcquireRequest,
  type ReleaseRequest,
  type ResizeRequest,
} from '../../engine/requests.js'
import type { ScriptCall } from '../connection/script-connection.js'
import type { Keys, Kind, Layout } from '../keys.js'
import type { LatchCalls } from '../kinds/latch.js'
import {
  keyList,
  LockCalls,
  tombstoneOf,
  waitingOf,
  type Calls,
  type RedisQueueEntry,
  type RedisRenewal,
} from '../kinds/lock.js'
import { numberAt, textAt } from '../reply.js'
import { scripts } from './generated.js'
import type { RedissonSemaphore } from './options.js'

/** A lock that is shared with Redisson: a release announces it, and gives our first waiter a turn to request it. */
export class RedissonLockCalls extends LockCalls {
  readonly drawsTokenOnReentry = true
  readonly #inboxesCanBeCounted: boolean
  readonly #publishing: Publishing

  constructor(inboxesCanBeCounted: boolean, publishing: Publishing) {
    super()
    this.#publishing = publishing
    this.#inboxesCanBeCounted = inboxesCanBeCounted
  }

  acquire(keys: Keys, request: AcquireRequest, inbox: string): ScriptCall {
    const { owner, count, leaseMs, wantsToken } = request
    const waiting = waitingOf(request, inbox, this.#inboxesCanBeCounted)
    const args = [owner, count, leaseMs, waiting, wantsToken ? 1 : 0]
    return { script: scripts.redissonLockAcquire, keys: keyList(keys), args }
  }

  release({ main, queue, waiters }: Keys, request: ReleaseRequest): ScriptCall {
    const args = [request.owner, this.#publishing.command, releaseChannelOf(main), ...tombstoneOf(request)]
    return { script: scripts.redissonLockRelease, keys: [main, queue, waiters], args }
  }

  force({ main, queue, waiters }: Keys, owner: string, inbox: string): ScriptCall {
    const args = [owner, inbox, this.#publishing.command, releaseChannelOf(main)]
    return { script: scripts.redissonLockForce, keys: [main, queue, waiters], args }
  }
}

const latchKeys = ({ main, counted }: Keys): string[] => [main, counted]

/** Latches that are shared with Redisson's `RCountDownLatch`: a number, beside which we note who of us has counted down. */
export function redissonLatchCalls(publishing: Publishing): LatchCalls {
  const publishingOf = ({ main }: Keys): string[] => [publishing.command, latchChannelOf(main)]
  return {
    set(keys, { named, setter, count, keepMs }): ScriptCall {
      const args = [named, setter, count, keepMs, ...publishingOf(keys)]
      return { script: scripts.redissonLatchSet, keys: latchKeys(keys), args }
    },

    countDown(keys, { named, party }): ScriptCall {
      const args = [named, party, ...publishingOf(keys)]
      return { script: scripts.redissonLatchCountDown, keys: latchKeys(keys), args }
    },

    wait(waits): ScriptCall {
      const keys = waits.flatMap(({ address }) => latchKeys(address))
      const args = waits.map(({ awaited }) => awaited?.generation ?? 0)
      return { script: scripts.redissonLatchWait, keys, args }
    },

    delete(keys, { named }): ScriptCall {
      const args = [named, ...publishingOf(keys)]
      return { script: scripts.redissonLatchDelete, keys: latchKeys(keys), args }
    },

    inspect(keys, limit): ScriptCall {
      return { script: scripts.redissonLatchInspect, keys: latchKeys(keys), args: [limit] }
    },
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

/** The same of a read/write lock. */
export const readWriteChannelOf = (lock: string): string => prefixed('redisson_rwlock', lock)

/** What the keys of a reader's holds begin with. */
const holdSlotOf = (lock: string): string => taggedOf(lock)

/** The key that lives as long as a hold of the read side. Redisson has one more for each time that a thread re-enters. */
const holdKeyOf = (lock: string, owner: string): string => `${holdSlotOf(lock)}:${owner}:rwlock_timeout:1`

/** The key of the last fencing token. */
const tokenKeyOf = (lock: string): string => prefixed('redisson_lock_token', lock)

/** The channel on which the free permits of a semaphore are announced. */
export const permitsChannelOf = (semaphore: string): string => prefixed('redisson_sc', semaphore)

/** The key of the permits of an `RPermitExpirableSemaphore` by their ends. */
const permitIdsKeyOf = (semaphore: string): string => `${taggedOf(semaphore)}:timeout`

/** The channel on which it is announced that a latch has opened. Other than all the rest, it always gets braces. */
export const latchChannelOf = (latch: string): string => `redisson_countdownlatch__channel__{${latch}}`

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

/**
 * A read/write lock that is shared with Redisson: its form has neither a queue nor tokens, so all that wait compete once a
 * release was announced.
 */
export class RedissonReadWriteCalls implements Calls {
  readonly #publishing: Publishing

  constructor(publishing: Publishing) {
    this.#publishing = publishing
  }

  acquire(keys: Keys, request: AcquireRequest): ScriptCall {
    const { owner, count, leaseMs, entryTtlMs } = request
    const side = count === writePermits ? 'write' : 'read'
    const args = [owner, side, leaseMs, entryTtlMs > 0 ? 1 : 0]
    return { script: scripts.redissonReadWriteAcquire, keys: readWriteKeys(keys, owner), args }
  }

  release(keys: Keys, request: ReleaseRequest): ScriptCall {
    const { owner, count } = request
    const args = [owner, count, ...this.#announcement(keys), ...tombstoneOf(request)]
    return { script: scripts.redissonReadWriteRelease, keys: readWriteKeys(keys, owner), args }
  }

  force(keys: Keys, owner: string, inbox: string): ScriptCall {
    const args = [owner, inbox, ...this.#announcement(keys)]
    return { script: scripts.redissonReadWriteForce, keys: [keys.main], args }
  }

  renew(renewals: readonly RedisRenewal[]): ScriptCall {
    const keys = renewals.flatMap(({ address: { main }, owner }) => [main, holdKeyOf(main, owner)])
    const args = renewals.flatMap(({ owner, leaseMs }) => [owner, leaseMs])
    return { script: scripts.redissonReadWriteRenew, keys, args }
  }

  refresh(entries: readonly RedisQueueEntry[]): ScriptCall {
    const keys = entries.map(({ address: { main } }) => main)
    const args = entries.map(({ owner }) => owner)
    return { script: scripts.redissonReadWriteRefresh, keys, args }
  }

  inspect({ main }: Keys, limit: number): ScriptCall {
    return { script: scripts.redissonReadWriteInspect, keys: [main], args: [holdSlotOf(main), limit] }
  }

  readInspection(reply: readonly unknown[]): SharedInspection {
    const permits = textAt(reply, 1) === 'write' ? writePermits : 1
    const holders = []
    for (let i = 2; i < reply.length; i += 2) {
      holders.push({ owner: textAt(reply, i), permits, ttlMs: numberAt(reply, i + 1) })
    }
    const holderCount = numberAt(reply, 0)
    const used = permits * holderCount
    return {
      kind: 'shared',
      size: 0,
      version: 0,
      used,
      holderCount,
      holders,
      token: 0,
      waiterCount: 0,
      waiters: [],
    }
  }

  #announcement({ main }: Keys): string[] {
    return [holdSlotOf(main), this.#publishing.command, readWriteChannelOf(main)]
  }
}

/** What both forms of semaphores that are shared with Redisson have in common: their scripts have the same arguments. */
abstract class AnySemaphoreCalls implements Calls {
  protected readonly publishing: Publishing
  protected abstract readonly scripts: Record<
    'acquire' | 'release' | 'force' | 'renew' | 'refresh' | 'inspect',
    ScriptCall['script']
  >

  constructor(publishing: Publishing) {
    this.publishing = publishing
  }

  /** A waiter has no queue entry at Redis: messages wake it. */
  acquire(keys: Keys, request: AcquireRequest): ScriptCall {
    const { owner, count, leaseMs, entryTtlMs, size = count } = request
    const args = [owner, count, leaseMs, entryTtlMs > 0 ? 1 : 0, size, ...this.#publishingOf(keys)]
    return { script: this.scripts.acquire, keys: [...this.keyList(keys), keys.waiters], args }
  }

  release(keys: Keys, request: ReleaseRequest): ScriptCall {
    const args = [request.owner, request.count, ...this.#publishingOf(keys), ...tombstoneOf(request)]
    return { script: this.scripts.release, keys: [...this.keyList(keys), keys.waiters], args }
  }

  force(keys: Keys, owner: string, inbox: string): ScriptCall {
    const args = [owner, inbox, ...this.#publishingOf(keys)]
    return { script: this.scripts.force, keys: this.keyList(keys), args }
  }

  renew(renewals: readonly RedisRenewal[]): ScriptCall {
    const keys = renewals.flatMap(({ address }) => this.keyList(address))
    const args = renewals.flatMap(({ address, owner, leaseMs }) => [
      ...this.#publishingOf(address),
      owner,
      leaseMs,
    ])
    return { script: this.scripts.renew, keys, args }
  }

  refresh(entries: readonly RedisQueueEntry[]): ScriptCall {
    const keys = entries.flatMap(({ address }) => this.keyList(address))
    const args = entries.flatMap(({ address, owner }) => [...this.#publishingOf(address), owner])
    return { script: this.scripts.refresh, keys, args }
  }

  inspect(keys: Keys, limit: number): ScriptCall {
    return { script: this.scripts.inspect, keys: this.keyList(keys), args: [limit] }
  }

  abstract readInspection(reply: readonly unknown[]): SharedInspection

  protected keyList({ main, id, ends }: Keys): string[] {
    return [main, id, ends]
  }

  #publishingOf({ main }: Keys): string[] {
    return [this.publishing.command, permitsChannelOf(main)]
  }
}

/** A semaphore that is shared with Redisson's `RSemaphore`: a number of free permits, beside which we note who of us has some. */
export class RSemaphoreCalls extends AnySemaphoreCalls {
  protected readonly scripts = {
    acquire: scripts.redissonSemaphoreAcquire,
    release: scripts.redissonSemaphoreRelease,
    force: scripts.redissonSemaphoreForce,
    renew: scripts.redissonSemaphoreRenew,
    refresh: scripts.redissonSemaphoreRefresh,
    inspect: scripts.redissonSemaphoreInspect,
  }

  readInspection(reply: readonly unknown[]): SharedInspection {
    return {
      ...inspectionOf(reply),
      size: 0,
      version: 0,
      holders: holdersOf(reply, 3, reply.length),
    }
  }
}

/** A semaphore that is shared with Redisson's `RPermitExpirableSemaphore`: each permit has an id, and an end of its own. */
export class PermitExpirableCalls extends AnySemaphoreCalls {
  protected readonly scripts = {
    acquire: scripts.redissonPermitsAcquire,
    release: scripts.redissonPermitsRelease,
    force: scripts.redissonPermitsForce,
    renew: scripts.redissonPermitsRenew,
    refresh: scripts.redissonPermitsRefresh,
    inspect: scripts.redissonPermitsInspect,
  }

  resize(keys: Keys, { size, keepMs, version, id }: ResizeRequest): ScriptCall {
    const { command } = this.publishing
    const args = [size, keepMs, version, id, command, permitsChannelOf(keys.main)]
    return { script: scripts.redissonPermitsResize, keys: [...this.keyList(keys), keys.size], args }
  }

  readInspection(reply: readonly unknown[]): SharedInspection {
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
  }

  protected override keyList(keys: Keys): string[] {
    return [...super.keyList(keys), permitIdsKeyOf(keys.main)]
  }
}

function inspectionOf(reply: readonly unknown[]): Omit<SharedInspection, 'size' | 'version' | 'holders'> {
  return {
    kind: 'shared',
    free: reply[1] === '' ? undefined : numberAt(reply, 1),
    used: numberAt(reply, 0),
    holderCount: numberAt(reply, 2),
    token: 0,
    waiterCount: 0,
    waiters: [],
  }
}

function holdersOf(reply: readonly unknown[], from: number, to: number) {
  const holders = []
  for (let i = from; i < to; i += 3) {
    holders.push({ owner: textAt(reply, i), permits: numberAt(reply, i + 1), ttlMs: numberAt(reply, i + 2) })
  }
  return holders
}
