import { inspect } from 'node:util'
import type { InspectOptions } from 'node:util'
import { requireFunction } from '../checks.js'
import { HoldfastError, InvalidArgumentError, NotOwnerError } from '../errors.js'
import type { LockLostError } from '../errors.js'
import type { Hold } from '../holding/hold.js'
import { lossForCaller, lossOf } from '../holding/loss.js'
import { requireLeaseMs } from '../options.js'
import type { Frames } from '../ownership/frames.js'

/** @internal What leases need of their client. */
export interface LeaseDeps {
  readonly frames: Frames<Hold<Lease>>
  readonly settings: {
    readonly engine: string
    readonly hasTokens: boolean
    readonly shortestLeaseMs: number
  }
}

/**
 * One entry into a hold, to be left with `unlock()`.
 *
 * Nested leases of one hold share its owner, deadline, signal and fencing token. Leaving an outer lease leaves inner
 * ones alive; the lock is free when the last one is left.
 */
export class Lease {
  readonly #deps: LeaseDeps
  readonly #hold: Hold<Lease>
  readonly #fixedLeaseMs: number | null
  readonly #limitAt: number
  #abort: AbortController | undefined
  #left: Promise<void> | undefined

  /** @internal Leases come from `lock`, `tryLock` and `withLock`. */
  constructor(deps: LeaseDeps, hold: Hold<Lease>, fixedLeaseMs: number | null, limitAt: number) {
    this.#deps = deps
    this.#hold = hold
    this.#fixedLeaseMs = fixedLeaseMs
    this.#limitAt = limitAt
  }

  /** The name of the lock, as given to `getLock`. */
  get name(): string {
    return this.#hold.address.name
  }

  /** Who holds: `<clientId>:<n>`, as the store has it. */
  get owner(): string {
    return this.#hold.owner
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
    const { engine, hasTokens } = this.#deps.settings
    const advice = hasTokens
      ? 'with `interop`, use getFencedLock (RFencedLock in Java)'
      : `the engine ${engine} has none`
    throw new HoldfastError(`this lease on lock ${this.name} has no fencing token; ${advice}`, {
      lockName: this.name,
      owner,
    })
  }

  /**
   * Aborts with a `LockLostError` when the hold is lost, at its deadline at the latest: hand it to what you await inside.
   * Never aborts after `unlock()`. Made on first use.
   */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    const loss = this.#left ? undefined : this.#hold.loss
    if (loss) this.abort(loss)
    return this.#abort.signal
  }

  /** Whether the lock may be relied on at this very moment; correct even on the first line after an event-loop stall. */
  get isHeld(): boolean {
    return !this.#left && this.#hold.isHeld
  }

  /** Milliseconds until the deadline unless it is renewed before; 0 when not held. */
  remainingMs(): number {
    return this.#left ? 0 : this.#hold.remainingMs()
  }

  /**
   * Throws `LockLostError` when the hold was lost, or is in doubt because the machine was suspended (reason `suspended`);
   * `NotOwnerError` after `unlock()`.
   */
  assertHeld(): void {
    this.#assertUsable()
    if (!this.#hold.isHeld) throw lossOf(this.#hold.address, this.owner, 'suspended')
  }

  /**
   * Extends a fixed lease to at least `leaseMs` from now. Never shortens, never goes past `maxHoldMs`.
   *
   * @param leaseMs - milliseconds, at least 100
   * @throws `LockLostError` when the hold was lost, `NotOwnerError` after `unlock()`, `UnavailableError` when no
   * reply came (the old deadline then stands), `InvalidArgumentError` for a lease that the watchdog renews anyway
   */
  async extend(leaseMs: number): Promise<void> {
    requireLeaseMs(leaseMs, this.#deps.settings)
    if (this.#fixedLeaseMs === null) {
      throw new InvalidArgumentError(
        `extend() needs a fixed lease (leaseMs); the watchdog already renews this lease on lock ${this.name}`,
        { lockName: this.name, owner: this.owner },
      )
    }
    if (this.#left) throw this.#alreadyLeft()
    await this.#hold.extend(leaseMs)
  }

  /**
   * Runs `fn` inside this hold, so that calls on the same lock in it re-enter. Does not change the hold count.
   *
   * @throws `NotOwnerError` after `unlock()`, `LockLostError` when the hold was lost, `InvalidArgumentError` without a
   * function, and what `fn` throws
   */
  run<T>(fn: () => T): T {
    requireFunction('run', fn)
    this.#assertUsable()
    return this.#deps.frames.runInHold(this.#hold, fn)
  }

  /**
   * Releases this lease; a second call does nothing. Resolves when the store has confirmed it, or when the lease has expired
   * on its own because no reply arrived before that.
   *
   * @throws `LockLostError` when the hold was lost before: another client may have held the lock since
   */
  unlock(): Promise<void> {
    if (this.#left) return this.#left.catch(() => undefined)
    this.#left = this.#hold.leave(this)
    return this.#left
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

  /** @internal Whether the watchdog is to renew the hold for this lease. */
  get isRenewed(): boolean {
    return this.#fixedLeaseMs === null
  }

  /** @internal Until when this lease lets the hold be renewed. */
  get limitAt(): number {
    return this.#limitAt
  }

  /** @internal Whether it was left. */
  get isLeft(): boolean {
    return this.#left !== undefined
  }

  /** @internal The hold was lost. */
  abort(error: LockLostError): void {
    if (this.#left) return
    this.#deps.frames.outside(() => {
      this.#abort?.abort(error)
    })
  }

  #assertUsable(): void {
    if (this.#left) throw this.#alreadyLeft()
    if (this.#hold.loss) throw lossForCaller(this.#hold.loss)
  }

  #alreadyLeft(): NotOwnerError {
    return new NotOwnerError(`this lease on lock ${this.name} has already been released`, {
      lockName: this.name,
      owner: this.owner,
    })
  }
}
