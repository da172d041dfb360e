import { inspect, type InspectOptions } from 'node:util'
import { titleFrom, titleOf, type ObjectKind, type Target } from '../engine/requests.js'
import type { FencedClient } from '../engine/session.js'
import { HoldfastError, InvalidArgumentError, NotOwnerError, type LockLostError } from '../errors/errors.js'
import { lossForCaller, lossOf } from '../holding/loss.js'
import { newTicket } from '../holding/ticket.js'
import {
  requireLeaseMs,
  resolveHandOver,
  resolveRun,
  type HandOverOptions,
  type RunOptions,
  type Settings,
} from '../options/options.js'
import { callSite } from '../ownership/call-site.js'
import { outsideFrames } from '../ownership/frames.js'
import type { LeaseEntry, Possession } from '../ownership/possession.js'
import { monotonicMs } from '../time/time.js'
import { uncloneable } from '../util/symbols.js'
import { withTimeout } from '../util/timeouts.js'
import { endBody, joinTurns, runHeld, splitArguments, untilTurn, untilTurnOrTimeout } from './entrance.js'
import type { Home } from './home.js'

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
