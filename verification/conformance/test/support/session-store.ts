import type {
  AcquireReply,
  AcquireRequest,
  ClientInfo,
  GrantNotice,
  Inspection,
  QueueEntryReply,
  ReleaseReply,
  ReleaseRequest,
  RenewalReply,
} from '@holdfast/core/engine'

/** One client's stay at the store. What it has there ends with it. */
interface Session {
  until: number
  readonly lengthMs: number
  readonly granted: (name: string, owner: string, grant: GrantNotice) => void
}

/** A holder or waiter. The first of a lock holds it. */
interface Entry {
  readonly owner: string
  readonly session: number
  readonly grantLeaseMs: number
  readonly proof: string
  count: number
  /** When its own lease ends; `Infinity` while it waits. */
  until: number
}

interface SessionLock {
  token: number
  entries: Entry[]
  /** Owners that were abandoned, and until when. */
  readonly tombstones: Map<string, number>
}

/** Its client's session is over, and all that it had with it. */
export class SessionOverError extends Error {}

/**
 * A store with sessions, as ZooKeeper and etcd have them: an entry lives for as long as its client's session, whoever is first holds the lock,
 * and the next one is told.
 */
export class SessionStore {
  readonly clients = new Map<string, ClientInfo>()
  steps = 0
  readonly #locks = new Map<string, SessionLock>()
  readonly #sessions = new Map<number, Session>()
  #sessionCount = 0
  #timer: NodeJS.Timeout | undefined

  wipe(): void {
    this.#locks.clear()
    this.clients.clear()
  }

  begin(lengthMs: number, granted: Session['granted']): number {
    this.#sessionCount += 1
    this.#sessions.set(this.#sessionCount, { until: performance.now() + lengthMs, lengthMs, granted })
    return this.#sessionCount
  }

  end(session: number): void {
    this.#sessions.delete(session)
    for (const name of this.#locks.keys()) this.#settle(name)
  }

  /** Has the session live on. @throws `SessionOverError` */
  prove(session: number): void {
    this.steps += 1
    const found = this.#live(session)
    if (!found) throw new SessionOverError('the session is over')
    found.until = performance.now() + found.lengthMs
  }

  acquire(session: number, name: string, request: AcquireRequest): AcquireReply {
    this.prove(session)
    const lock = this.#settle(name)
    const { owner, count, leaseMs, entryTtlMs, grantLeaseMs, proof } = request
    if ((lock.tombstones.get(owner) ?? 0) > performance.now()) return { kind: 'abandoned' }
    const [holder] = lock.entries
    const end = performance.now() + leaseMs
    if (holder?.owner === owner) {
      holder.until = Math.max(holder.until, end)
      if (count > 1) holder.count = count
      return { kind: 'held', token: lock.token }
    }
    if (count > 1) return { kind: 'lost' }
    if (!holder) {
      lock.token += 1
      lock.entries = [{ owner, session, grantLeaseMs, proof, count, until: end }]
      this.#wakeAtNextEnd()
      return { kind: 'held', token: lock.token }
    }
    if (entryTtlMs > 0 && !lock.entries.some((entry) => entry.owner === owner)) {
      lock.entries.push({ owner, session, grantLeaseMs, proof, count, until: Infinity })
      this.#wakeAtNextEnd()
    }
    const position = Math.max(
      0,
      lock.entries.findIndex((entry) => entry.owner === owner),
    )
    return { kind: 'busy', ttlMs: Infinity, holder: holder.owner, position }
  }

  release(session: number, name: string, { owner, count, tombstoneMs }: ReleaseRequest): ReleaseReply {
    this.prove(session)
    return this.#release(name, owner, count, tombstoneMs)
  }

  /** Whoever asks for it. */
  force(session: number, name: string, owner: string): ReleaseReply {
    this.prove(session)
    const isHolder = this.#settle(name).entries[0]?.owner === owner
    return isHolder ? this.#release(name, owner, 0, 0) : { kind: 'not-held' }
  }

  renew(session: number, name: string, owner: string, leaseMs: number): RenewalReply {
    const [holder] = this.#settle(name).entries
    if (holder?.owner !== owner || holder.session !== session) return 'not-held'
    holder.until = Math.max(holder.until, performance.now() + leaseMs)
    return 'renewed'
  }

  refresh(name: string, owner: string): QueueEntryReply {
    const { entries } = this.#settle(name)
    const index = entries.findIndex((entry) => entry.owner === owner)
    const state = index > 0 ? 'waiting' : index === 0 ? 'granted' : 'missing'
    return { state, ttlMs: entries.length > 0 ? Infinity : -1 }
  }

  inspect(name: string, limit: number): Inspection {
    const { token, entries } = this.#settle(name)
    const [holder, ...waiting] = entries
    const restOf = ({ session, until }: Entry): number =>
      Math.ceil(Math.min(until, this.#sessions.get(session)?.until ?? 0) - performance.now())
    return {
      kind: 'lock',
      owner: holder?.owner ?? '',
      count: holder?.count ?? 0,
      ttlMs: holder ? restOf(holder) : -1,
      token,
      waiterCount: waiting.length,
      waiters: waiting.slice(0, limit).map((entry) => ({ owner: entry.owner, aliveMs: restOf(entry) })),
    }
  }

  #release(name: string, owner: string, count: number, tombstoneMs: number): ReleaseReply {
    const lock = this.#settle(name)
    if (tombstoneMs > 0) lock.tombstones.set(owner, performance.now() + tombstoneMs)
    const [holder] = lock.entries
    const isHolder = holder?.owner === owner
    if (isHolder && count > 0) holder.count = count
    if (count === 0) {
      const left = lock.entries.filter((entry) => entry.owner !== owner)
      lock.entries = left
      if (isHolder) this.#grantNext(name, lock)
    }
    return { kind: isHolder ? 'released' : 'not-held' }
  }

  #live(session: number): Session | undefined {
    const found = this.#sessions.get(session)
    return found && found.until > performance.now() ? found : undefined
  }

  /** The lock as it is now: without the entries of sessions that are over, and without a hold that has expired. */
  #settle(name: string): SessionLock {
    let lock = this.#locks.get(name)
    if (!lock) this.#locks.set(name, (lock = { token: 0, entries: [], tombstones: new Map() }))
    const [holder] = lock.entries
    lock.entries = lock.entries.filter(
      ({ session, until }) => this.#live(session) && until > performance.now(),
    )
    if (holder && lock.entries[0] !== holder) this.#grantNext(name, lock)
    return lock
  }

  #grantNext(name: string, lock: SessionLock): void {
    const [next] = lock.entries
    if (!next) return
    lock.token += 1
    next.until = performance.now() + next.grantLeaseMs
    const { owner, proof, grantLeaseMs: leaseMs } = next
    this.#live(next.session)?.granted(name, owner, {
      proof,
      token: lock.token,
      leaseMs,
      grantedAt: performance.now(),
    })
    this.#wakeAtNextEnd()
  }

  /** Whoever waits is told when the hold before it ends by itself. */
  #wakeAtNextEnd(): void {
    clearTimeout(this.#timer)
    const ends = [...this.#locks.values()].flatMap(({ entries: [holder, next] }) =>
      holder && next ? [Math.min(holder.until, this.#sessions.get(holder.session)?.until ?? 0)] : [],
    )
    if (ends.length === 0) return
    this.#timer = setTimeout(
      () => {
        for (const name of this.#locks.keys()) this.#settle(name)
        this.#wakeAtNextEnd()
      },
      Math.max(1, Math.min(...ends) - performance.now()),
    )
    this.#timer.unref()
  }
}
