import type {
  AcquireReply,
  AcquireRequest,
  ClientInfo,
  Inspection,
  QueueEntryReply,
  ReleaseReply,
  ReleaseRequest,
  RenewalReply,
} from '@holdfast/core/engine'

interface TrialLock {
  owner: string
  count: number
  until: number
  /** Waiters in no order, and until when they are alive. */
  readonly entries: Map<string, { until: number; wake: () => void }>
  readonly tombstones: Map<string, number>
}

const stepMs = 400
const marginMs = 20

/** A deliberately plain store: leases in whole steps that may end a little early, hints instead of grants, no order. */
export class TrialStore {
  readonly clients = new Map<string, ClientInfo>()
  readonly incarnation = 'the only one'
  steps = 0
  readonly #locks = new Map<string, TrialLock>()

  wipe(): void {
    this.#locks.clear()
    this.clients.clear()
  }

  acquire(name: string, request: AcquireRequest, wake: () => void): AcquireReply {
    const lock = this.#lock(name)
    const { owner, count, leaseMs, entryTtlMs } = request
    if ((lock.tombstones.get(owner) ?? 0) > performance.now()) return { kind: 'abandoned' }
    if (lock.owner !== owner && count > 1) return { kind: 'lost' }
    if (lock.owner === '' || lock.owner === owner) {
      lock.until = Math.max(lock.owner === owner ? lock.until : 0, endOf(leaseMs))
      if (lock.owner !== owner || count > 1) lock.count = count
      lock.owner = owner
      lock.entries.delete(owner)
      return { kind: 'held', token: 0 }
    }
    if (entryTtlMs > 0) lock.entries.set(owner, { until: performance.now() + entryTtlMs, wake })
    const position = lock.entries.has(owner) ? 1 : 0
    return { kind: 'busy', ttlMs: leftMs(lock.until), holder: lock.owner, position }
  }

  release(name: string, { owner, count, tombstoneMs }: ReleaseRequest): ReleaseReply {
    const lock = this.#lock(name)
    if (count === 0) lock.entries.delete(owner)
    if (tombstoneMs > 0) lock.tombstones.set(owner, performance.now() + tombstoneMs)
    const isHeld = lock.owner === owner
    if (isHeld) lock.count = count
    if (isHeld && count === 0) lock.owner = ''
    if (lock.owner === '') this.#wakeSome(lock)
    return { kind: isHeld ? 'released' : 'not-held' }
  }

  renew(name: string, owner: string, leaseMs: number): RenewalReply {
    const lock = this.#lock(name)
    if (lock.owner !== owner) return 'not-held'
    lock.until = Math.max(lock.until, endOf(leaseMs))
    return 'renewed'
  }

  refresh(name: string, owner: string, entryTtlMs: number): QueueEntryReply {
    const lock = this.#lock(name)
    const entry = lock.entries.get(owner)
    if (entry) entry.until = performance.now() + entryTtlMs
    const ttlMs = lock.owner === '' ? -1 : leftMs(lock.until)
    return { state: lock.owner === owner ? 'granted' : entry ? 'waiting' : 'missing', ttlMs }
  }

  inspect(name: string, limit: number): Inspection {
    const lock = this.#lock(name)
    const waiters = [...lock.entries].map(([owner, { until }]) => ({ owner, aliveMs: leftMs(until) }))
    return {
      kind: 'lock',
      owner: lock.owner,
      count: lock.owner === '' ? 0 : lock.count,
      ttlMs: lock.owner === '' ? -1 : leftMs(lock.until),
      token: 0,
      waiterCount: waiters.length,
      waiters: waiters.slice(0, limit),
    }
  }

  /** The lock as it is now: without a hold that has expired, without queue entries that are stale. */
  #lock(name: string): TrialLock {
    this.steps += 1
    let lock = this.#locks.get(name)
    if (!lock) {
      lock = { owner: '', count: 0, until: 0, entries: new Map(), tombstones: new Map() }
      this.#locks.set(name, lock)
    }
    const now = performance.now()
    if (lock.until <= now) lock.owner = ''
    for (const [owner, { until }] of lock.entries) if (until <= now) lock.entries.delete(owner)
    return lock
  }

  #wakeSome({ entries }: TrialLock): void {
    const waiting = [...entries.values()]
    waiting[Math.floor(Math.random() * waiting.length)]?.wake()
  }
}

const endOf = (leaseMs: number): number =>
  performance.now() + Math.ceil(leaseMs / stepMs) * stepMs - marginMs * Math.random()

const leftMs = (until: number): number => Math.max(0, Math.ceil(until - performance.now()))
