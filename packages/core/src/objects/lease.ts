import { inspect } from 'node:util'
import type { InspectOptions } from 'node:util'
import { requireFunction } from '../checks.js'
import type { FencedClient, FencingLease } from '../engine/fencing.js'
import { HoldfastError, InvalidArgumentError } from '../errors.js'
import type { LeaseBounds } from '../options.js'
import type { Frames } from '../ownership/frames.js'
import type { Possession } from '../ownership/possession.js'
import { titleFrom } from '../ownership/target.js'
import type { Target } from '../ownership/target.js'
import { BaseLease } from './base-lease.js'

/** @internal What leases need of their client. */
export interface LeaseDeps {
  readonly frames: Frames<Possession<Lease>>
  readonly settings: LeaseBounds & {
    readonly hasTokens: boolean
    /** What to do for a token, if not what `interop` needs. */
    readonly tokenAdvice?: string
  }
  /** Of the engine, if it has it. */
  readonly fence?: ((client: FencedClient, lease: FencingLease) => Promise<void>) | undefined
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
    super(deps, hold, target, fixedLeaseMs, limitAt)
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
   * @throws `HoldfastError` if this hold has no token: with `interop` if none of its leases came from `getFencedLock`, and
   * with engines that have no tokens
   */
  get fencingToken(): number {
    const { fencingToken, owner } = this.#hold
    if (fencingToken > 0) return fencingToken
    const { engine, hasTokens, tokenAdvice } = this.#deps.settings
    const withInterop =
      this.kind === 'lock'
        ? 'with `interop`, use getFencedLock (RFencedLock in Java)'
        : 'with `interop`, sides of a read/write lock have none, as in Java: use getFencedLock'
    const advice = hasTokens ? (tokenAdvice ?? withInterop) : `the engine ${engine} has none`
    throw new HoldfastError(
      `this lease on ${titleFrom(this.kind, this.name)} has no fencing token; ${advice}`,
      {
        lockName: this.name,
        owner,
      },
    )
  }

  /**
   * Ties a transaction of the application to this hold, with an engine whose database it also writes to
   * (`@holdfast/postgres`). Call it right after `begin`, before the transaction reads or writes anything that the lock
   * protects.
   *
   * The transaction fails if this lease is not the current one. A later holder that calls `fence` waits until this
   * transaction is over, and then sees what it wrote. Protects only against transactions that call it as well.
   *
   * @param client - of the application, inside a transaction in the database of the engine
   * @throws `LockLostError` when the hold was lost: roll the transaction back. `NotOwnerError` after `unlock()`.
   * `InvalidArgumentError` outside a transaction, with an engine that is not in a database, and in a quorum
   */
  async fence(client: FencedClient): Promise<void> {
    const { fence, settings } = this.#deps
    if (!fence) {
      throw new InvalidArgumentError(
        `fence needs locks in the database of the transaction (@holdfast/postgres), and these are on the engine ` +
          `${settings.engine}: have the store compare fencingToken instead`,
        { lockName: this.name, owner: this.owner },
      )
    }
    if (this.isLeft) this.assertUsable()
    // The database comes first: it fails the transaction itself, which keeps it from being committed all the same.
    await fence(client, this)
    this.assertUsable()
  }

  /**
   * Runs `fn` inside this hold, so that calls on the same lock in it re-enter. Does not change the hold count.
   *
   * @throws `NotOwnerError` after `unlock()`, `LockLostError` when the hold was lost, `InvalidArgumentError` without a
   * function, and what `fn` throws
   */
  run<T>(fn: () => T): T {
    requireFunction('run', fn)
    this.assertUsable()
    return this.#deps.frames.runInHold(this.#hold, fn)
  }

  /**
   * Releases this lease; a second call does nothing. Resolves when the store has confirmed it, or when the lease has expired
   * on its own because no reply arrived before that.
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

  /** For logs; without `fencingToken` if there is none. */
  toJSON(): { name: string; owner: string; holdCount: number; fencingToken?: number; remainingMs: number } {
    const { name, owner, holdCount } = this
    const { fencingToken } = this.#hold
    const remainingMs = this.remainingMs()
    return { name, owner, holdCount, ...(fencingToken > 0 && { fencingToken }), remainingMs }
  }

  /** @internal What `console.log` shows. */
  [inspect.custom](_depth: number, options: InspectOptions): string {
    return `Lease ${inspect(this.toJSON(), options)}`
  }
}
