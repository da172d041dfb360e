import type { SharedInspection } from '../../engine/replies.js'
import type { AcquireRequest, ReleaseRequest, ResizeRequest } from '../../engine/requests.js'
import type { ScriptCall } from '../connection/script-connection.js'
import type { Keys } from '../keys.js'
import type { Calls, RedisQueueEntry, RedisRenewal } from '../kinds/calls.js'
import { tombstoneOf } from '../kinds/lock.js'
import { numberAt, textAt } from '../reply.js'
import { scripts } from './generated.js'
import { permitIdsKeyOf, permitsChannelOf } from './names.js'
import type { Publishing } from './publishing.js'

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
