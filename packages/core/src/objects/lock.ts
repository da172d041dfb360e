import { inspect, type InspectOptions } from 'node:util'
import { titleOf, type ObjectKind, type Target } from '../engine/requests.js'
import { InvalidArgumentError, toHoldfastError, type ErrorSubject } from '../errors/errors.js'
import { traced } from '../events/observer.js'
import type { Member } from '../multi/member.js'
import {
  resolveForce,
  resolveHold,
  resolveTakeOver,
  type ForceOptions,
  type HoldOptions,
  type Request,
  type TakeOverOptions,
} from '../options/options.js'
import { nothingToUnlock } from '../ownership/scope.js'
import { uncloneable } from '../util/symbols.js'
import type { NotAcquired } from '../waiting/outcome.js'
import {
  acquireByOptions,
  acquireForBody,
  acquireInScope,
  endBody,
  joinTurns,
  ranOrNot,
  splitArguments,
  timedOutWaiting,
  useLease,
  valueOrTimeout,
  type Acquiring,
  type Outcome,
  type TryWithLockResult,
} from './entrance.js'
import type { Home } from './home.js'
import { describeLock, evict, find, sendOf, type Found, type LockInfo } from './inspection.js'
import { Lease, type LockCallback } from './lease.js'

const isNotAcquired = (outcome: Outcome): outcome is NotAcquired => 'waitedMs' in outcome

/** What a lock is that is not of this class. */
export const otherCopy = 'one of another copy of @holdfast/core, such as `require` beside `import`'

/** How many readers `forceUnlock` evicts at most, and how many of them it asks the store for at once. */
const mostEvicted = 10_000
const evictedAtOnce = 100

/**
 * A named lock. A cheap handle without state: it may live at module level and serve many requests at once, each of
 * which gets an owner of its own.
 */
export class Lock {
  /** @internal */
  readonly uncloneable = uncloneable
  readonly #home: Home
  readonly #target: Target
  readonly #isFenced: boolean
  readonly #reentrant: boolean

  /** @internal Locks come from `holdfast.getLock(name)` and `getFencedLock(name)`. */
  constructor(home: Home, target: Target, isFenced: boolean, reentrant?: boolean) {
    this.#home = home
    this.#target = target
    this.#isFenced = isFenced
    this.#reentrant = reentrant ?? home.settings.defaults.reentrant ?? true
  }

  /** The name given to `getLock`. */
  get name(): string {
    return this.#target.address.name
  }

  /** What it is: a lock, or one side of a read/write lock. */
  get kind(): ObjectKind {
    return this.#target.kind
  }

  /**
   * Runs `fn` while holding the lock and returns what it returned. Calls on the same lock inside `fn` re-enter.
   *
   * Such nested calls take turns: two callbacks in one hold run at the same time only if one encloses the other, or if both
   * read. One whose turn does not come within `waitMs` rejects with a `LockTimeoutError` that says where the other was called.
   *
   * @throws `LockLostError` if the hold was lost before `fn` ended: with `result` if `fn` succeeded, or with its error as `cause` if it
   * failed after the loss; what `fn` throws otherwise; what `lock` throws
   */
  withLock<T>(fn: LockCallback<T>): Promise<T>
  /** The same with options. */
  withLock<T>(options: HoldOptions | undefined, fn: LockCallback<T>): Promise<T>
  withLock<T>(first: HoldOptions | undefined | LockCallback<T>, second?: LockCallback<T>): Promise<T> {
    return useLease<Outcome, T, T>(() => this.#acquireForBody('withLock', first, second), valueOrTimeout)
  }

  /**
   * Runs `fn` while holding the lock if the lock is free or becomes free within `waitMs` (default 0: one attempt); otherwise `fn` is not
   * called. Apart from that it is `withLock`.
   *
   * @returns `{ ran: true, value }` with what `fn` returned, or `{ ran: false, holder }` when another owner kept the lock
   * @throws as `withLock`, except the `LockTimeoutError` of its own wait: one that is thrown comes from `fn`
   */
  tryWithLock<T>(fn: LockCallback<T>): Promise<TryWithLockResult<T>>
  /** The same with options. */
  tryWithLock<T>(options: HoldOptions | undefined, fn: LockCallback<T>): Promise<TryWithLockResult<T>>
  tryWithLock<T>(
    first: HoldOptions | undefined | LockCallback<T>,
    second?: LockCallback<T>,
  ): Promise<TryWithLockResult<T>> {
    return useLease<Outcome, T, TryWithLockResult<T>>(
      () => this.#acquireForBody('tryWithLock', first, second, 0),
      ranOrNot,
    )
  }

  /**
   * Waits until the lock is acquired. Outside `withLock`, `lease.run` and `scope`, later calls do not re-enter this hold:
   * they wait for it.
   *
   * @throws `LockTimeoutError` when another owner kept the lock for `waitMs`; the signal's reason when aborted;
   * `UnavailableError` when the store did not reply within `waitMs` (an unlimited wait outlives outages);
   * `RefusedError`, `NotALockError`, `InvalidArgumentError`; `LockLostError` when the enclosing hold was lost; `UpgradeError`
   * for a write lock inside a read lock of the same caller; `ReplicationError` when too few replicas acknowledged the grant
   * (`minReplicas`); `TooManyWaitersError`, `ClosedError`; `NotOwnerError` when the scope of the call had ended by then
   */
  lock(options?: HoldOptions): Promise<Lease>
  lock(options?: HoldOptions, second?: unknown): Promise<Lease> {
    return this.#acquireInScope((outcome) => this.#leaseOrTimeout(outcome), options, second)
  }

  /**
   * Tries for `waitMs` (default 0: one attempt) and returns `null` when another owner kept the lock.
   *
   * @throws as `lock`, except `LockTimeoutError`
   */
  tryLock(options?: HoldOptions): Promise<Lease | null>
  tryLock(options?: HoldOptions, second?: unknown): Promise<Lease | null> {
    return this.#acquireInScope((outcome) => this.#leaseOrNull(outcome), options, second, 0)
  }

  /**
   * Takes the lock over from the lease that was handed over: see `lease.handOver`. The lock is not free in between, and the new hold has a
   * larger fencing token. Never waits for another owner, and never re-enters.
   *
   * @param ticket - what `lease.handOver` resolved with
   * @returns `null` when the ticket is used or too old, or the lock was forced open: `(await lock.takeOver(ticket)) ?? (await lock.lock())`
   * @throws `InvalidArgumentError` for the ticket of another lock, and where no lock can be handed over; `UnavailableError` when the store did
   * not reply within `commandTimeoutMs`: then what it may have taken over is released; otherwise as `tryLock`
   */
  takeOver(ticket: string, options?: TakeOverOptions): Promise<Lease | null> {
    return acquireByOptions(
      options,
      undefined,
      () => resolveTakeOver(options, this.#home.settings, this.#target, ticket),
      (request) => acquireInScope(this.#home, this.#target, request, this.#isFenced),
      traced(this.#home.events, (outcome) => this.#leaseOrNull(outcome), 1),
    )
  }

  /**
   * Undoes the newest `lock()` or `tryLock()` of the nearest scope; never a `withLock` around it.
   *
   * @throws `NotOwnerError` when there is none, `LockLostError` when the hold was lost before
   */
  async unlock(): Promise<void> {
    const { frames } = this.#home
    const scope = frames.nearestScope()
    if (!scope) throw nothingToUnlock(this.#target, frames.enclosingHold(this.#target.address) !== undefined)
    await scope.unlock(this.#target)
  }

  /**
   * Evicts the current holder, or the current readers of a read lock (up to 10,000), and hands the lock to the next waiter.
   * The signal of an evicted holder aborts as soon as it is notified, but its code may still run: only a fencing token keeps
   * its writes out.
   *
   * With `owner`, evicts that owner or nobody: name the one that you looked at, since another may hold the lock by now. With
   * `by`, the evicted holder learns who did it.
   *
   * @returns whether any holder was evicted
   * @throws `InvalidArgumentError` for bad options, `UnavailableError`, `RefusedError`, `NotALockError`, `ClosedError`
   */
  async forceUnlock(options: ForceOptions = {}): Promise<boolean> {
    const { owner: wanted, by } = resolveForce(options, this.name)
    if (wanted !== undefined) return this.#evict(wanted, by)
    const limit = this.kind === 'read-lock' ? evictedAtOnce : 1
    let hasEvicted = false
    for (let evicted = 0; evicted < mostEvicted; evicted += limit) {
      const { holders, holderCount } = await this.#inspect(limit)
      const listed = holders.filter(({ kind }) => kind === this.kind)
      const results = await Promise.all(listed.map(({ owner }) => this.#evict(owner, by)))
      hasEvicted ||= results.includes(true)
      if (listed.length === 0 || holders.length >= holderCount) break
    }
    return hasEvicted
  }

  /** Whether any owner holds the lock, according to the store. Throws as `forceUnlock`. */
  async isLocked(): Promise<boolean> {
    return this.#isAmong(await this.#inspect(1))
  }

  /** Whether the running async context holds the lock, by the clock; sends nothing. */
  isHeld(): boolean {
    return this.holdCount() > 0
  }

  /** How many times the running async context has entered the lock; 0 when it does not hold it. Sends nothing. */
  holdCount(): number {
    const hold = this.#home.frames.enclosingHold(this.#target.address)
    return hold?.isHeld ? hold.countOf(this.kind) : 0
  }

  /**
   * For how long the store keeps the current hold, of any owner, unless it is renewed, milliseconds; of several readers, the
   * hold that ends first. 0 when free. Throws as `forceUnlock`.
   */
  async remainingMs(): Promise<number> {
    const found = await this.#inspect(1)
    return this.#isAmong(found) ? Math.max(0, found.holders[0]?.ttlMs ?? 0) : 0
  }

  /** Who holds, who waits, and which processes they are. For diagnostics only. Throws as `forceUnlock`. */
  async inspect(): Promise<LockInfo> {
    const inspection = await this.#inspect(100)
    return sendOf(this.#home, this.#target, () => describeLock(this.#target, inspection, this.#home))
  }

  /** For logs. */
  toJSON(): { name: string } {
    return { name: this.name }
  }

  /** @internal What `console.log` shows. */
  [inspect.custom](_depth: number, options: InspectOptions): string {
    return `Lock ${inspect(this.toJSON(), options)}`
  }

  /** @internal The owner of the hold that a call here would re-enter. */
  get enclosingOwner(): string | undefined {
    return this.#home.frames.enclosingHold(this.#target.address)?.owner
  }

  /** @internal Has this owner lose the lock because it lost another one that it holds together with it. */
  loseWith(owner: string, cause: Error): void {
    const hold = this.#home.holds.find(owner)
    if (!hold?.isReleased) hold?.lose('member-lost', cause)
  }

  /** @internal What a multi lock needs of it. */
  get member(): Member {
    const client = this.#home.asStore
    if (!client) {
      throw new InvalidArgumentError(
        `quorum lock ${this.name} cannot be a member of a multi lock; use locks of new Holdfast`,
        { lockName: this.name },
      )
    }
    return { client, target: this.#target, wantsToken: this.#isFenced, reentrant: this.#reentrant }
  }

  #acquireForBody<T>(
    method: string,
    first: HoldOptions | undefined | LockCallback<T>,
    second: LockCallback<T> | undefined,
    waitMs?: number,
  ): Acquiring<Outcome, T> {
    const { frames, events } = this.#home
    const { options, fn } = splitArguments<HoldOptions, LockCallback<T>>(method, this.name, first, second)
    const request = this.#request(options, waitMs)
    return {
      acquired: acquireForBody(this.#home, this.#target, request, this.#isFenced),
      signal: request.signal,
      use: (outcome) => {
        if (isNotAcquired(outcome)) return outcome
        const { hold, entry, body = joinTurns(frames, hold, this.#target, undefined) } = outcome
        const lease = new Lease(this.#home, entry)
        return {
          lease,
          run: () => frames.runInBody(hold, body, () => fn(lease)),
          leave: () => {
            endBody(body, hold, this.#target, events)
            return lease.unlock()
          },
          report: (error) => this.#report(error),
        }
      },
    }
  }

  #leaseOrTimeout(outcome: Outcome): Lease {
    if (isNotAcquired(outcome)) throw timedOutWaiting(outcome)
    return new Lease(this.#home, outcome.entry)
  }

  #leaseOrNull(outcome: Outcome): Lease | null {
    return isNotAcquired(outcome) ? null : new Lease(this.#home, outcome.entry)
  }

  #request(options: HoldOptions | undefined, waitMs?: number): Request {
    return resolveHold(options, this.#home.settings, waitMs, this.#reentrant, this.kind)
  }

  #acquireInScope<T extends Lease | null>(
    toResult: (outcome: Outcome) => T,
    options: HoldOptions | undefined,
    second: unknown,
    waitMs?: number,
  ): Promise<T> {
    return acquireByOptions(
      options,
      second,
      () => this.#request(options, waitMs),
      (request) => acquireInScope(this.#home, this.#target, request, this.#isFenced),
      traced(this.#home.events, toResult, 2),
    )
  }

  #inspect(limit: number): Promise<Found> {
    return find(this.#home, this.#target, limit)
  }

  #evict(owner: string, by: string | undefined): Promise<boolean> {
    return evict(this.#home, this.#target, owner, by)
  }

  /** Readers and writers never hold at once, so the first holder tells. */
  #isAmong({ holders: [first] }: Found): boolean {
    return first?.kind === this.kind
  }

  get #subject(): ErrorSubject {
    return { lockName: this.name, title: titleOf(this.#target) }
  }

  #report(error: unknown): void {
    this.#home.events.emitError(toHoldfastError(error, this.#subject))
  }
}

/** Inspects an unused name: a read that needs the same connection, scripts and rights as a lock. */
export async function ping({ steps, readiness, names }: Home): Promise<void> {
  const address = names.locate('ping', 'lock')
  try {
    await readiness.ready(address)
    await steps.inspect(address, 1)
  } catch (error) {
    throw toHoldfastError(error)
  }
}
