import { inspect } from 'node:util'
import type { InspectOptions } from 'node:util'
import type { FencedClient, FencingLease } from '../engine/fencing.js'
import type { ObjectType } from '../engine/requests.js'
import { HoldfastError, InvalidArgumentError } from '../errors/errors.js'
import type { Events } from '../events/events.js'
import type { LeaseMaker } from '../holding/lease-set.js'
import { resolveRun } from '../options/options.js'
import type { AcquireOptions, LeaseBounds, RunOptions } from '../options/options.js'
import { callSite } from '../ownership/call-site.js'
import type { Frames } from '../ownership/frames.js'
import type { Possession } from '../ownership/possession.js'
import { titleFrom } from '../ownership/target.js'
import type { Target } from '../ownership/target.js'
import { monotonicMs } from '../util/clock.js'
import { withTimeout } from '../util/with-timeout.js'
import { endBody, joinTurns, untilTurn } from '../waiting/turn.js'
import { BaseLease } from './base-lease.js'
import type { LeasedHold } from './base-lease.js'
import { splitArguments } from './split-arguments.js'
import { runHeld } from './use-lease.js'
import { untilTurnOrTimeout } from './until-turn.js'

/** @internal What leases need of their client. */
export interface LeaseDeps {
  readonly frames: Frames<Possession<Lease>>
  readonly events: Pick<Events, 'warn'>
  readonly settings: LeaseBounds & {
    readonly defaults: AcquireOptions
    readonly hasTokens: boolean
    readonly commandTimeoutMs: number
  }
  /** What to do for a token, if the engine has some but not for each lease. */
  readonly tokenAdvice?: ((object: ObjectType) => string) | undefined
  /** Of the engine, if it has it. */
  readonly fence?:
    ((client: FencedClient, lease: FencingLease, timeoutMs: number) => Promise<void>) | undefined
}

/**
 * One entry into a hold of a lock, to be released with `unlock()`.
 *
 * Nested leases of one hold share its owner, deadline and fencing token, and are lost together. Releasing an outer lease
 * leaves inner ones open; the lock is free when the last one is released.
 */
export class Lease extends BaseLease {
  readonly #deps: LeaseDeps
  readonly #hold: Possession<Lease>

  /** @internal Leases come from `lock`, `tryLock` and `withLock`. */
  constructor(
    deps: LeaseDeps,
    hold: Possession<Lease>,
    target: Target,
    fixedLeaseMs: number | null,
    limitAt: number,
  ) {
    super(target, fixedLeaseMs, limitAt)
    this.#deps = deps
    this.#hold = hold
  }

  /** How many leases of this hold are open now. */
  get holdCount(): number {
    return this.#hold.count
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
    const { owner } = this.#hold
    const token = this.fencingTokenIfAny
    if (token !== undefined) return token
    const { settings, tokenAdvice } = this.#deps
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
    const { fencingToken } = this.#hold
    return fencingToken > 0 ? fencingToken : undefined
  }

  /**
   * Ties a transaction of the application to this hold, with an engine whose database it also writes to
   * (`@holdfast/postgres`, `@holdfast/mysql`). Call it right after `begin`, before the transaction reads or writes anything that the lock
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
    const { fence, settings } = this.#deps
    if (!fence) {
      throw new InvalidArgumentError(
        `fence needs locks in the database of the transaction (@holdfast/postgres, @holdfast/mysql), and these are on the engine ` +
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
    const { frames, events, settings } = this.#deps
    const request = resolveRun(options, settings)
    this.assertUsable()
    const body = joinTurns(frames, this.#hold, this.target, callSite(1))
    try {
      if (body.ready) {
        await untilTurnOrTimeout(
          untilTurn(body, this.#hold, this.target, request, monotonicMs()),
          request.signal,
        )
        this.assertUsable()
      }
      return await runHeld(this, () => frames.runInBody(this.#hold, body, fn))
    } finally {
      endBody(body, this.#hold, this.target, events)
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
    return this.leaveOnce(() => this.#hold.leave(this))
  }

  /** `unlock()` at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.unlock()
  }

  /** @internal */
  protected override get hold(): LeasedHold {
    return this.#hold
  }

  /** @internal */
  protected override get bounds(): LeaseBounds {
    return this.#deps.settings
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

/** @internal Makes the leases of locks and of the sides of read/write locks. */
export class LockLeases implements LeaseMaker<Possession<Lease>, Lease> {
  readonly #deps: LeaseDeps

  constructor(deps: LeaseDeps) {
    this.#deps = deps
  }

  makeLease(hold: Possession<Lease>, target: Target, fixedLeaseMs: number | null, limitAt: number): Lease {
    return new Lease(this.#deps, hold, target, fixedLeaseMs, limitAt)
  }
}
