import { inspect, type InspectOptions } from 'node:util'
import { titleFrom, titleOf, type ObjectKind, type Target } from '../engine/requests.js'
import type { FencedClient } from '../engine/session.js'
import {
  HoldfastError,
  InvalidArgumentError,
  NotOwnerError,
  toHoldfastError,
  type ErrorSubject,
  type LockLostError,
} from '../errors/errors.js'
import { traced } from '../events/observer.js'
import { lossForCaller, lossOf, newTicket } from '../holding/loss.js'
import type { Member } from '../multi/member.js'
import {
  requireLeaseMs,
  resolveForce,
  resolveHandOver,
  resolveHold,
  resolveRun,
  resolveTakeOver,
  type ForceOptions,
  type HandOverOptions,
  type HoldOptions,
  type Request,
  type RunOptions,
  type Settings,
  type TakeOverOptions,
} from '../options/options.js'
import { callSite } from '../ownership/turns.js'
import { outsideFrames, nothingToUnlock } from '../ownership/frames.js'
import type { LeaseEntry, Possession } from '../ownership/possession.js'
import { monotonicMs } from '../time/time.js'
import { uncloneable } from '../util/symbols.js'
import { withTimeout } from '../util/timeouts.js'
import type { NotAcquired } from '../waiting/outcome.js'
import {
  acquireByOptions,
  acquireForBody,
  acquireInScope,
  endBody,
  joinTurns,
  ranOrNot,
  runHeld,
  splitArguments,
  timedOutWaiting,
  untilTurn,
  untilTurnOrTimeout,
  useLease,
  valueOrTimeout,
  type Acquiring,
  type Outcome,
  type TryWithLockResult,
  type Home,
} from './entrance.js'
import { describeLock, evict, find, sendOf, type Found, type LockInfo } from './inspection.js'

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

/** One entry into a hold, of any object. */
export abstract class BaseLease {
  /** @internal */
  readonly uncloneable = uncloneable
  readonly #entry: LeaseEntry
  readonly #settings: Settings

  /** @internal */
  constructor(settings: Settings, entry: LeaseEntry) {
    this.#settings = settings
    this.#entry = entry
    entry.belongTo(this)
  }

  /** The name of what is held, as given to `getLock`, `getSemaphore` and so on. */
  get name(): string {
    return this.#entry.name
  }

  /** What is held: a lock, one side of a read/write lock, or permits of a semaphore. */
  get kind(): ObjectKind {
    return this.#entry.kind
  }

  /** Who holds: `<clientId>:<n>`, as the store has it. */
  get owner(): string {
    return this.#entry.owner
  }

  /**
   * Aborts with a `LockLostError` when the hold is lost, no later than its deadline: pass it to what you await inside.
   * Never aborts once `unlock()` was called, which throws the loss that it finds. Created on first use.
   */
  get signal(): AbortSignal {
    const { signal } = this.#entry
    const { loss } = this
    if (loss) outsideFrames(() => this.#entry.abort(loss))
    return signal
  }

  /** Whether the hold can be relied on at this moment; correct even on the first line after an event-loop stall. Sends nothing. */
  get isHeld(): boolean {
    return !this.isLeft && this.hold.isHeld
  }

  /** Milliseconds until the deadline unless it is renewed before; 0 when not held. Sends nothing. */
  remainingMs(): number {
    return this.isLeft ? 0 : this.hold.remainingMs()
  }

  /**
   * Throws `LockLostError` when the hold was lost, or is in doubt because the machine was suspended (reason `suspended`);
   * `NotOwnerError` after this lease was released. Sends nothing.
   */
  assertHeld(): void {
    this.assertUsable()
    if (!this.hold.isHeld) throw lossOf(this.target, this.owner, 'suspended')
  }

  /**
   * Extends a fixed lease to at least `leaseMs` from now. Never shortens, never goes past `maxHoldMs`.
   *
   * @param leaseMs - milliseconds, at least 100
   * @throws `LockLostError` when the hold was lost, `NotOwnerError` after this lease was released, `UnavailableError` when no
   * reply came (the old deadline still applies), `InvalidArgumentError` for a lease that the watchdog renews anyway
   */
  async extend(leaseMs: number): Promise<void> {
    requireLeaseMs(leaseMs, this.#settings)
    this.assertUsable()
    if (this.#entry.isRenewed) {
      throw new InvalidArgumentError(
        `extend() needs a fixed lease (leaseMs); the watchdog already renews this lease on ${titleOf(this.target)}`,
        { lockName: this.name, owner: this.owner },
      )
    }
    await this.hold.extend(leaseMs)
  }

  /** @internal What the hold keeps of it. */
  get entry(): LeaseEntry {
    return this.#entry
  }

  /** @internal */
  protected get hold(): Possession {
    return this.#entry.hold
  }

  /** @internal Why the hold was lost, unless the lease was left before. */
  get loss(): LockLostError | undefined {
    return this.isLeft ? undefined : this.hold.loss
  }

  /** @internal Whether it was left. */
  get isLeft(): boolean {
    return this.#entry.isLeft
  }

  /** @internal */
  protected get target(): Target {
    return this.#entry.target
  }

  /** @internal */
  protected assertUsable(): void {
    if (this.isLeft) throw this.#alreadyLeft()
    if (this.hold.loss) throw lossForCaller(this.hold.loss)
  }

  #alreadyLeft(): NotOwnerError {
    return new NotOwnerError(`this lease on ${titleOf(this.target)} has already been released`, {
      lockName: this.name,
      owner: this.owner,
    })
  }
}

/**
 * One entry into a hold of a lock, to be released with `unlock()`.
 *
 * Nested leases of one hold share its owner, deadline and fencing token, and are lost together. Releasing an outer lease
 * leaves inner ones open; the lock is free when the last one is released.
 */
export class Lease extends BaseLease {
  readonly #home: Home

  /** @internal Leases come from `lock`, `tryLock` and `withLock`. */
  constructor(home: Home, entry: LeaseEntry) {
    super(home.settings, entry)
    this.#home = home
  }

  /** How many leases of this hold are open now. */
  get holdCount(): number {
    return this.hold.count
  }

  /**
   * A number that grows with every grant of this lock. Send it along with every write that the lock protects, and have
   * the store refuse one smaller than it has seen: the only protection that also covers a holder
   * that was frozen past its lease.
   * See {@link https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html | Kleppmann, 2016}.
   *
   * @throws `HoldfastError` if this hold has no token: with engines that have none, and, where only `getFencedLock` draws them, if
   * none of its leases came from there. `fencingTokenIfAny` is `undefined` then
   */
  get fencingToken(): number {
    const { owner } = this.hold
    const token = this.fencingTokenIfAny
    if (token !== undefined) return token
    const { settings, tokenAdvice } = this.#home
    const object = this.kind === 'lock' ? 'lock' : 'read-write-lock'
    const advice = (settings.hasTokens && tokenAdvice?.(object)) || `the engine ${settings.engine} has none`
    throw new HoldfastError(
      `this lease on ${titleFrom(this.kind, this.name)} has no fencing token; ${advice}`,
      {
        lockName: this.name,
        owner,
      },
    )
  }

  /**
   * The same, or `undefined` if this hold has no token: for code that runs with and without them, such as logs. A store that
   * must reject late writes needs `fencingToken`, so that it is not written to without one.
   */
  get fencingTokenIfAny(): number | undefined {
    const { fencingToken } = this.hold
    return fencingToken > 0 ? fencingToken : undefined
  }

  /**
   * Ties a transaction of the application to this hold, with an engine whose database it also writes to
   * (`@holdfast/stores/postgres`, `@holdfast/stores/mysql`). Call it right after `begin`, before the transaction reads or writes anything that the lock
   * protects.
   *
   * The transaction fails if this lease is not the current one. A later holder that calls `fence` waits until this
   * transaction is over, and then sees what it wrote: for as long as it keeps the lock. Protects only against transactions
   * that call it as well.
   *
   * @param client - of the application, inside a transaction in the database of the engine
   * @throws `LockLostError` when the hold was lost: roll the transaction back. `NotOwnerError` after `unlock()`.
   * `UnavailableError` when the client does not reply within `commandTimeoutMs`: do not commit. `InvalidArgumentError` outside
   * a transaction, with a client of `pg` that was never connected, with an engine that is not in a database, and in a quorum
   */
  async fence(client: FencedClient): Promise<void> {
    const { fence, settings } = this.#home
    if (!fence) {
      throw new InvalidArgumentError(
        `fence needs locks in the database of the transaction (@holdfast/stores/postgres, @holdfast/stores/mysql), and these are on the engine ` +
          `${settings.engine}: have the store compare fencingToken instead`,
        { lockName: this.name, owner: this.owner },
      )
    }
    if (this.isLeft) this.assertUsable()
    const { commandTimeoutMs } = settings
    const { signal } = this
    // Of a lost hold, too: the database fails the transaction itself, which keeps it from being committed all the same.
    const fencing = fence(client, this, commandTimeoutMs)
    await (signal.aborted ? withTimeout(fencing, commandTimeoutMs) : withTimeout(fencing, Infinity, signal))
    this.assertUsable()
  }

  /**
   * Runs `fn` inside this hold, so that calls on the same lock in it re-enter, and returns what it returned. Does not change the
   * hold count, and sends nothing.
   *
   * Callbacks in one hold take turns, as those of `withLock`: `fn` starts before this returns unless another one is in its way.
   *
   * @throws `NotOwnerError` after `unlock()`; `LockLostError` when the hold was lost before `fn` began or before it failed (`cause`: its
   * error); `LockTimeoutError` when another callback in this hold ran for all of `waitMs`, the signal's reason when aborted,
   * `InvalidArgumentError`; what `fn` throws while the hold is not lost
   */
  run<T>(fn: () => T | PromiseLike<T>): Promise<T>
  /** The same with options: `waitMs` and `signal` are about its turn. */
  run<T>(options: RunOptions | undefined, fn: () => T | PromiseLike<T>): Promise<T>
  async run<T>(
    first: RunOptions | undefined | (() => T | PromiseLike<T>),
    second?: () => T | PromiseLike<T>,
  ): Promise<T> {
    const { options, fn } = splitArguments<RunOptions, () => T | PromiseLike<T>>(
      'run',
      this.name,
      first,
      second,
    )
    const { frames, events, settings } = this.#home
    const request = resolveRun(options, settings)
    this.assertUsable()
    const body = joinTurns(frames, this.hold, this.target, callSite(1))
    try {
      if (body.ready) {
        await untilTurnOrTimeout(
          untilTurn(body, this.hold, this.target, request, monotonicMs()),
          request.signal,
        )
        this.assertUsable()
      }
      return await runHeld(this, () => frames.runInBody(this.hold, body, fn))
    } finally {
      endBody(body, this.hold, this.target, events)
    }
  }

  /**
   * Releases this lease; a second call does nothing. Resolves when the store has confirmed it. If no reply comes within
   * `commandTimeoutMs`, or before the lease expires, it resolves all the same, with the `warning` `RELEASE_UNCONFIRMED`: the
   * lease counts as released here, and the release is repeated in the background until the lease expires at the store.
   *
   * @throws `LockLostError` when the hold was lost before: another client may have held the lock since
   */
  unlock(): Promise<void> {
    return this.entry.unlock()
  }

  /**
   * Hands the lock over to whichever process takes it over first: to the bearer of the ticket, within `withinMs`. The lock stays held all the
   * time, and this lease is released, as by `unlock()`. If no one takes it over in time, the lock becomes free.
   *
   * @returns the ticket, for one `lock.takeOver(ticket)` of the same lock: a secret, to be kept out of logs
   * @throws `InvalidArgumentError`, and changes nothing, for a lease that is not the only one of its hold, while a callback runs in the hold,
   * for one that is to be held at least until later, for read/write locks and quorum locks, and with Redisson and engines whose holds end with
   * a session. `LockLostError` when the hold was lost before; `NotOwnerError` after this lease was released. `UnavailableError` when the store
   * did not reply within `commandTimeoutMs`, or before the lease expired: the lease is released all the same, and so is the lock in the
   * background, which may stay held for `withinMs`
   */
  async handOver(options: HandOverOptions): Promise<string> {
    const { settings } = this.#home
    const withinMs = resolveHandOver(options, settings, this.kind)
    this.assertUsable()
    const { text, heir } = newTicket(settings.engine, this.target.address, this.owner)
    await this.entry.handOver(heir, withinMs)
    return text
  }

  /** `unlock()` at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.unlock()
  }

  /** For logs; without `fencingToken` if there is none. */
  toJSON(): { name: string; owner: string; holdCount: number; fencingToken?: number; remainingMs: number } {
    const { name, owner, holdCount, fencingTokenIfAny: fencingToken } = this
    const remainingMs = this.remainingMs()
    return { name, owner, holdCount, ...(fencingToken !== undefined && { fencingToken }), remainingMs }
  }

  /** @internal What `console.log` shows. */
  [inspect.custom](_depth: number, options: InspectOptions): string {
    return `Lease ${inspect(this.toJSON(), options)}`
  }
}

/** What `withLock` runs while it holds the lock. */
export type LockCallback<T, L = Lease> = (lease: L) => T | PromiseLike<T>
