import { inspect, type InspectOptions } from 'node:util'
import type { FencedClient } from '../engine/session.js'
import { InvalidArgumentError, NotOwnerError, toHoldfastError, type LockLostError } from '../errors/errors.js'
import { lossForCaller, lossOf } from '../holding/loss.js'
import { lockOf, storeOf, type LockClient } from '../lock-client.js'
import {
  acquireByOptions,
  limitOf,
  notReachedTurn,
  ranOrNot,
  runHeld,
  splitArguments,
  timedOutWaiting,
  untilTurnOrTimeout,
  useLease,
  valueOrTimeout,
  type Acquiring,
  type TryWithLockResult,
} from '../objects/entrance.js'
import { Lease, Lock, otherCopy, type LockCallback } from '../objects/lock.js'
import {
  resolveReentrant,
  resolveRequest,
  resolveRun,
  type AcquireOptions,
  type LockOptions,
  type Request,
  type RunOptions,
  type Settings,
} from '../options/options.js'
import { nothingToUnlock } from '../ownership/frames.js'
import type { LeaseEntry, ScopedLease } from '../ownership/possession.js'
import { callSite, type CallSite } from '../ownership/turns.js'
import { multiSteps } from '../redis/carried-steps.js'
import type { StoreClient } from '../store-client.js'
import { monotonicMs } from '../time/time.js'
import { kindOf, shown } from '../util/mistakes.js'
import { uncloneable } from '../util/symbols.js'
import { abortController, timedOut, withTimeout } from '../util/timeouts.js'
import type { NotAcquired } from '../waiting/outcome.js'
import { inOrder, mayReenter, MemberBodies, type HeldMember, type Member, type MultiHold } from './member.js'
import { acquireTogether, type AcquiredTogether } from './multi-attempt.js'

/**
 * Several locks that are acquired as one, as `holdfast.getMultiLock` returns them, of any client. Sends nothing.
 *
 * @throws `InvalidArgumentError` as `holdfast.getMultiLock`
 */
export function getMultiLock(
  client: LockClient,
  members: readonly (Lock | string)[],
  options?: LockOptions,
): MultiLock {
  const store = storeOf(client, 'getMultiLock')
  const locks = locksOf(members, (member) => lockOf(store, member, false, undefined))
  for (const { member } of locks) member.client.session.carry?.(multiSteps)
  return new MultiLock(store, locks, resolveReentrant(options))
}

function leaseOrTimeout(outcome: MultiLease | NotAcquired): MultiLease {
  if (outcome instanceof MultiLease) return outcome
  throw timedOutWaiting(outcome)
}

const leaseOrNull = (outcome: MultiLease | NotAcquired): MultiLease | null =>
  outcome instanceof MultiLease ? outcome : null

/**
 * Several locks that are acquired as one: all of them, or none. A cheap handle without state.
 *
 * Locks are always acquired in the same order, whatever the order in which they were given, so two multi locks never wait for
 * each other. The loss of one lock is the loss of all.
 */
export class MultiLock {
  /** @internal */
  readonly uncloneable = uncloneable
  readonly #store: StoreClient
  readonly #locks: readonly Lock[]
  readonly #members: readonly Member[]
  readonly #reentrant: boolean | undefined

  /** @internal Multi locks come from `holdfast.getMultiLock(members)`. */
  constructor(store: StoreClient, locks: readonly Lock[], reentrant?: boolean) {
    this.#store = store
    this.#reentrant = reentrant
    this.#members = inOrder(locks.map(({ member }) => member))
    const byId = new Map([...locks].reverse().map((lock) => [lock.member.target.address.id, lock]))
    this.#locks = locks.filter((lock) => byId.get(lock.member.target.address.id) === lock)
  }

  /** The names of the locks, in the order in which they were given, without duplicates. */
  get names(): readonly string[] {
    return this.#locks.map(({ name }) => name)
  }

  /**
   * Runs `fn` while holding all locks and returns what it returned. Calls on the same locks inside `fn` re-enter, single
   * ones as well as those of other multi locks; they take turns, as for `Lock.withLock`.
   *
   * @throws `LockLostError` if one of the locks was lost before `fn` ended: with `result` if `fn` succeeded, or with its error as `cause`
   * if it failed after the loss; what `fn` throws otherwise; what `lock` throws
   */
  withLock<T>(fn: LockCallback<T, MultiLease>): Promise<T>
  /** The same with options. */
  withLock<T>(options: AcquireOptions | undefined, fn: LockCallback<T, MultiLease>): Promise<T>
  withLock<T>(
    first: AcquireOptions | undefined | LockCallback<T, MultiLease>,
    second?: LockCallback<T, MultiLease>,
  ): Promise<T> {
    const call = callSite(1)
    return useLease<AcquiredTogether | NotAcquired, T, T>(
      () => this.#acquireForBody('withLock', call, first, second),
      valueOrTimeout,
    )
  }

  /**
   * Runs `fn` while holding all locks if all are free or become free within `waitMs` (default 0: one attempt); otherwise `fn` is not called,
   * and none of them is held.
   *
   * @returns `{ ran: true, value }` with what `fn` returned, or `{ ran: false, holder }` with the owner that kept one of the locks
   * @throws as `withLock`, except the `LockTimeoutError` of its own wait: one that is thrown comes from `fn`
   */
  tryWithLock<T>(fn: LockCallback<T, MultiLease>): Promise<TryWithLockResult<T>>
  /** The same with options. */
  tryWithLock<T>(
    options: AcquireOptions | undefined,
    fn: LockCallback<T, MultiLease>,
  ): Promise<TryWithLockResult<T>>
  tryWithLock<T>(
    first: AcquireOptions | undefined | LockCallback<T, MultiLease>,
    second?: LockCallback<T, MultiLease>,
  ): Promise<TryWithLockResult<T>> {
    const call = callSite(1)
    return useLease<AcquiredTogether | NotAcquired, T, TryWithLockResult<T>>(
      () => this.#acquireForBody('tryWithLock', call, first, second, 0),
      ranOrNot,
    )
  }

  /**
   * Waits until all locks are acquired. `waitMs` is for all of them together; `leaseMs` and `maxHoldMs` count from when the
   * last one was. Outside `withLock`, `lease.run` and `scope`, later calls do not re-enter: they wait for this hold.
   *
   * @throws `LockTimeoutError` when another owner kept one of the locks for `waitMs`; otherwise as `Lock.lock`. A call that
   * rejects leaves nothing held
   */
  lock(options?: AcquireOptions): Promise<MultiLease>
  lock(options?: AcquireOptions, second?: unknown): Promise<MultiLease> {
    return this.#acquireInScope(leaseOrTimeout, options, second)
  }

  /**
   * Tries for `waitMs` (default 0: one attempt) and returns `null` when another owner kept one of the locks. Then none of them
   * is held.
   *
   * @throws as `lock`, except `LockTimeoutError`
   */
  tryLock(options?: AcquireOptions): Promise<MultiLease | null>
  tryLock(options?: AcquireOptions, second?: unknown): Promise<MultiLease | null> {
    return this.#acquireInScope(leaseOrNull, options, second, 0)
  }

  /**
   * Undoes the newest `lock()` or `tryLock()` of a multi lock with the same members in the nearest scope.
   *
   * @throws `NotOwnerError` when there is none, `LockLostError` when one of the locks was lost before
   */
  async unlock(): Promise<void> {
    const [first] = this.#members
    if (!first) return
    const inScope = this.#members.find(({ client }) => client.frames.nearestScope()) ?? first
    const scope = inScope.client.frames.nearestScope()
    if (!scope) throw nothingToUnlock(first.target, this.isHeld())
    await scope.unlock(inScope.target, this.#id)
  }

  /** Whether the running async context holds all of them, by the clock; sends nothing. */
  isHeld(): boolean {
    return this.#locks.every((lock) => lock.isHeld())
  }

  /** For logs. */
  toJSON(): { names: readonly string[] } {
    return { names: this.names }
  }

  /** @internal What `console.log` shows. */
  [inspect.custom](_depth: number, options: InspectOptions): string {
    return `MultiLock ${inspect(this.toJSON(), options)}`
  }

  /** The same for the same members. */
  get #id(): string {
    return JSON.stringify(this.#members.map(({ target: { kind, address } }) => [kind, address.id]))
  }

  #acquireForBody<T>(
    method: string,
    call: CallSite,
    first: AcquireOptions | undefined | LockCallback<T, MultiLease>,
    second: LockCallback<T, MultiLease> | undefined,
    waitMs?: number,
  ): Acquiring<AcquiredTogether | NotAcquired, T> {
    const { options, fn } = splitArguments<AcquireOptions, LockCallback<T, MultiLease>>(
      method,
      undefined,
      first,
      second,
    )
    const request = this.#request(options, waitMs)
    const beginBody = (): MemberBodies => new MemberBodies(call)
    return {
      acquired: acquireTogether(this.#members, request, monotonicMs(), beginBody),
      signal: request.signal,
      use: (outcome) => {
        if (outcome.kind === 'not-acquired') return outcome
        const { hold, bodies = beginBody() } = outcome
        const lease = new MultiLease(hold, this.names, this.#store.settings)
        return {
          lease,
          run: () => bodies.run(() => fn(lease)),
          leave: () => {
            bodies.end()
            return lease.unlock()
          },
          report: (error) => this.#report(error),
        }
      },
    }
  }

  #request(options: AcquireOptions | undefined, waitMs?: number): Request {
    return resolveRequest(options, this.#store.settings, waitMs, this.#reentrant)
  }

  async #acquire(request: Request, startedAt = monotonicMs()): Promise<MultiLease | NotAcquired> {
    const outcome = await acquireTogether(this.#members, request, startedAt)
    return outcome.kind === 'acquired'
      ? new MultiLease(outcome.hold, this.names, this.#store.settings)
      : outcome
  }

  #acquireInScope<T>(
    toResult: (outcome: MultiLease | NotAcquired) => T,
    options: AcquireOptions | undefined,
    second: unknown,
    waitMs?: number,
  ): Promise<T> {
    return acquireByOptions(
      options,
      second,
      () => this.#request(options, waitMs),
      (request) => {
        const acquire = (startedAt: number) => this.#acquire(request, startedAt)
        return acquireInScopes(this.#members, this.#id, request, acquire)
      },
      toResult,
    )
  }

  #report(error: unknown): void {
    this.#store.events.emitError(toHoldfastError(error))
  }
}

/**
 * Acquires, after earlier calls on the same locks in the scopes around the caller, and keeps the lease for `unlock()` there.
 * It joins all their queues at once: so calls in one scope never wait for each other in a circle.
 *
 * @param id - of the multi lock
 */
async function acquireInScopes(
  members: readonly Member[],
  id: string,
  request: Request,
  acquire: (startedAt: number) => Promise<MultiLease | NotAcquired>,
): Promise<MultiLease | NotAcquired> {
  const startedAt = monotonicMs()
  const places = members.flatMap((member) => {
    const { client, target } = member
    const scope = client.frames.nearestScope()
    if (!scope) return []
    // One that must not re-enter may wait for what the scope holds: the scope's `unlock()` must not wait behind it.
    const slot = mayReenter(member, request) ? scope.nextSlot(target.address) : undefined
    return [{ scope, client, target, slot }]
  })
  try {
    for (const { client, target, slot } of places) {
      const limitMs = limitOf(request, client.settings)
      const leftMs = Math.max(0, startedAt + limitMs - monotonicMs())
      if (!slot?.ready || (await withTimeout(slot.ready, leftMs, request.signal)) !== timedOut) continue
      return notReachedTurn(target, Math.round(monotonicMs() - startedAt))
    }
    const outcome = await acquire(startedAt)
    if ('kind' in outcome) return outcome
    for (const { scope, target } of places) {
      const held = outcome.members.find(({ member }) => member.target.address === target.address)
      if (held) scope.keep(held.hold, partOf(outcome, held.entry, id))
    }
    return outcome
  } finally {
    for (const { slot } of places) slot?.done()
  }
}

/** What a scope keeps for one of the locks: to leave it is to leave all. */
const partOf = (whole: MultiLease, { name, kind, owner }: LeaseEntry, multiLock: string): ScopedLease => ({
  name,
  kind,
  owner,
  multiLock,
  get isLeft() {
    return whole.isLeft
  },
  unlock: () => whole.unlock(),
})

/**
 * The locks of a multi lock.
 *
 * @param lockOf - makes the lock of a name
 * @throws `InvalidArgumentError` for anything but an array of locks and names
 */
function locksOf(members: readonly unknown[], lockOf: (name: string) => Lock): Lock[] {
  const given: unknown = members
  if (!Array.isArray(given) || given.length === 0) {
    const got = Array.isArray(given) ? 'an empty array' : kindOf(given)
    throw new InvalidArgumentError(
      `getMultiLock needs an array of at least one lock or lock name, got ${got}; write getMultiLock([lock, 'name'])`,
    )
  }
  // Unlike `map`, this does not skip the holes of an array.
  return Array.from(members, (member, i) => {
    if (member instanceof Lock) return member
    if (typeof member === 'string') return lockOf(member)
    throw new InvalidArgumentError(
      `members[${i}] of a multi lock must be a lock of this package or a lock name, got ${notALock(member)}`,
    )
  })
}

/** Names what cannot be a member of a multi lock, with what can be instead. */
function notALock(given: unknown): string {
  const kind = kindOf(given)
  if (kind === 'a read/write lock') return `${kind}: pass one of its sides, read or write`
  if (kind === 'a multi lock') return `${kind}: pass its members`
  return kind === 'a lock' ? otherCopy : kind
}

/**
 * One entry into all locks of a multi lock, to be released with `unlock()`. The loss of one lock is the loss of all.
 */
export class MultiLease {
  /** @internal */
  readonly uncloneable = uncloneable
  readonly #hold: MultiHold
  readonly #names: readonly string[]
  readonly #settings: Settings
  #abort: AbortController | undefined
  #left: Promise<void> | undefined

  /** @internal Multi leases come from `lock`, `tryLock` and `withLock` of a multi lock. */
  constructor(hold: MultiHold, names: readonly string[], settings: Settings) {
    this.#hold = hold
    this.#names = names
    this.#settings = settings
    hold.whenLost((error) => this.#abort?.abort(error))
  }

  /** The names of the locks, in the order in which they were given to `getMultiLock`. */
  get names(): readonly string[] {
    return this.#names
  }

  /**
   * The fencing token of one of the locks: each has a sequence of its own.
   *
   * @param member - its name, or the lock itself where several have this name
   * @throws `InvalidArgumentError` for a lock that is not one of these, `HoldfastError` as `Lease.fencingToken`
   */
  fencingToken(member: string | Lock): number {
    return leaseOf(this.#memberOf(member)).fencingToken
  }

  /**
   * The same, or `undefined` if the hold of that lock has no token.
   *
   * @throws `InvalidArgumentError` for a lock that is not one of these
   */
  fencingTokenIfAny(member: string | Lock): number | undefined {
    return leaseOf(this.#memberOf(member)).fencingTokenIfAny
  }

  /**
   * Ties a transaction of the application to all the holds, as `Lease.fence` does to one: it fails if one of them is not the
   * current one. Takes them in the order in which the locks were acquired, so that two transactions never deadlock.
   *
   * @param client - of the application, inside a transaction in the database that has all the locks
   * @throws as `Lease.fence`
   */
  async fence(client: FencedClient): Promise<void> {
    for (const held of this.#hold.members) await leaseOf(held).fence(client)
  }

  /**
   * Aborts with a `LockLostError` (reason `member-lost`) when one of the locks is lost, at the earliest deadline at the
   * latest: pass it to what you await inside. Never aborts once `unlock()` was called, which throws the loss
   * that it finds. Created on first use.
   */
  get signal(): AbortSignal {
    this.#abort ??= abortController()
    const { loss } = this
    if (loss) this.#abort.abort(loss)
    return this.#abort.signal
  }

  /** @internal Why it was lost, unless it was left before. */
  get loss(): LockLostError | undefined {
    return this.#left ? undefined : this.#hold.loss
  }

  /** Whether all of them can be relied on at this moment; correct even on the first line after an event-loop stall. */
  get isHeld(): boolean {
    return !this.#left && this.#hold.isHeld
  }

  /** Milliseconds until the earliest deadline unless it is renewed before; 0 when not held. */
  remainingMs(): number {
    return this.#left ? 0 : this.#hold.remainingMs()
  }

  /**
   * Throws `LockLostError` when one of the locks was lost, or is in doubt because the machine was suspended (reason
   * `suspended`); `NotOwnerError` after `unlock()`.
   */
  assertHeld(): void {
    this.#assertUsable()
    const doubtful = this.#hold.members.find(({ hold }) => !hold.isHeld)
    this.#assertUsable()
    if (doubtful) throw lossOf(doubtful.member.target, doubtful.hold.owner, 'suspended')
  }

  /**
   * Runs `fn` inside all the holds, so that calls on the same locks in it re-enter, and returns what it returned. Waits for its
   * turn in each of them, as `Lease.run`.
   *
   * @throws `NotOwnerError` after `unlock()`, `LockLostError` when one of the locks was lost, otherwise as `Lease.run`
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
      undefined,
      first,
      second,
    )
    const request = resolveRun(options, this.#settings)
    this.#assertUsable()
    const bodies = new MemberBodies(callSite(1))
    try {
      for (const { member, hold } of this.#hold.members) bodies.join(member, hold)
      if (bodies.mustWait) {
        await untilTurnOrTimeout(bodies.untilTurn(request, monotonicMs()), request.signal)
        this.#assertUsable()
      }
      return await runHeld(this, () => bodies.run(fn))
    } finally {
      bodies.end()
    }
  }

  /**
   * Releases all of them at once; a second call does nothing. Resolves when the store has confirmed it, as for `Lease`.
   *
   * @throws `LockLostError` when one of them was lost before: another client may have held that lock since
   */
  unlock(): Promise<void> {
    if (this.#left) return this.#left.catch(() => undefined)
    this.#left = this.#hold.leave()
    return this.#left
  }

  /** `unlock()` at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.unlock()
  }

  /** For logs. */
  toJSON(): { names: readonly string[]; owners: readonly string[]; remainingMs: number } {
    const owners = this.#hold.members.map(({ hold }) => hold.owner)
    return { names: this.#names, owners, remainingMs: this.remainingMs() }
  }

  /** @internal What `console.log` shows. */
  [inspect.custom](_depth: number, options: InspectOptions): string {
    return `MultiLease ${inspect(this.toJSON(), options)}`
  }

  /** @internal Whether it was left. */
  get isLeft(): boolean {
    return this.#left !== undefined
  }

  /** @internal The locks, in the order in which they were acquired. */
  get members(): readonly HeldMember[] {
    return this.#hold.members
  }

  #memberOf(member: string | Lock): HeldMember {
    const wanted = member instanceof Lock ? member.member : undefined
    const found = this.#hold.members.filter(({ member: { client, target } }) =>
      wanted
        ? client === wanted.client && target.address.id === wanted.target.address.id
        : target.address.name === member,
    )
    const [first] = found
    const name = member instanceof Lock ? member.name : member
    if (!first) {
      throw new InvalidArgumentError(
        `fencingToken needs one of the locks of this multi lock (${this.#names.join(', ')}), got ${shown(name)}`,
      )
    }
    if (found.length === 1) return first
    throw new InvalidArgumentError(
      `several locks of this multi lock are named ${name}: pass the lock itself`,
      {
        lockName: name,
      },
    )
  }

  #assertUsable(): void {
    if (this.#left) {
      throw new NotOwnerError(`this lease on the locks ${this.#names.join(', ')} has already been released`)
    }
    const { loss } = this.#hold
    if (loss) throw lossForCaller(loss)
  }
}

/** The lease of one of the locks, for what only a lease can do. */
const leaseOf = ({ member: { client }, entry }: HeldMember): Lease => new Lease(client, entry)
