import { InvalidArgumentError, NotOwnerError } from '../errors.js'
import type { LockLostError } from '../errors.js'
import { lossForCaller, lossOf } from '../holding/loss.js'
import { requireLeaseMs } from '../options.js'
import type { LeaseBounds } from '../options.js'
import type { Possession } from '../ownership/possession.js'
import { titleOf } from '../ownership/target.js'
import type { ObjectKind, Target } from '../ownership/target.js'

/** @internal What all leases need of their client. */
export interface BaseLeaseDeps {
  readonly frames: { outside<T>(fn: () => T): T }
  readonly settings: LeaseBounds
}

/** One entry into a hold, of any object. */
export abstract class BaseLease {
  readonly #deps: BaseLeaseDeps
  readonly #hold: Omit<Possession<never>, 'enter' | 'leave'>
  readonly #target: Target
  readonly #fixedLeaseMs: number | null
  readonly #limitAt: number
  #abort: AbortController | undefined
  #left: Promise<void> | undefined

  /** @internal */
  constructor(
    deps: BaseLeaseDeps,
    hold: Omit<Possession<never>, 'enter' | 'leave'>,
    target: Target,
    fixedLeaseMs: number | null,
    limitAt: number,
  ) {
    this.#deps = deps
    this.#hold = hold
    this.#target = target
    this.#fixedLeaseMs = fixedLeaseMs
    this.#limitAt = limitAt
  }

  /** The name of what is held, as given to `getLock`, `getSemaphore` and so on. */
  get name(): string {
    return this.#hold.address.name
  }

  /** What is held: a lock, one side of a read/write lock, or permits of a semaphore. */
  get kind(): ObjectKind {
    return this.#target.kind
  }

  /** Who holds: `<clientId>:<n>`, as the store has it. */
  get owner(): string {
    return this.#hold.owner
  }

  /**
   * Aborts with a `LockLostError` when the hold is lost, at its deadline at the latest: pass it to what you await inside.
   * Never aborts after this lease was released. Created on first use.
   */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController()
    const loss = this.#left ? undefined : this.#hold.loss
    if (loss) this.abort(loss)
    return this.#abort.signal
  }

  /** Whether the hold can be relied on at this moment; correct even on the first line after an event-loop stall. Sends nothing. */
  get isHeld(): boolean {
    return !this.#left && this.#hold.isHeld
  }

  /** Milliseconds until the deadline unless it is renewed before; 0 when not held. Sends nothing. */
  remainingMs(): number {
    return this.#left ? 0 : this.#hold.remainingMs()
  }

  /**
   * Throws `LockLostError` when the hold was lost, or is in doubt because the machine was suspended (reason `suspended`);
   * `NotOwnerError` after this lease was released. Sends nothing.
   */
  assertHeld(): void {
    this.assertUsable()
    if (!this.#hold.isHeld) throw lossOf(this.#target, this.owner, 'suspended')
  }

  /**
   * Extends a fixed lease to at least `leaseMs` from now. Never shortens, never goes past `maxHoldMs`.
   *
   * @param leaseMs - milliseconds, at least 100
   * @throws `LockLostError` when the hold was lost, `NotOwnerError` after this lease was released, `UnavailableError` when no
   * reply came (the old deadline still applies), `InvalidArgumentError` for a lease that the watchdog renews anyway
   */
  async extend(leaseMs: number): Promise<void> {
    requireLeaseMs(leaseMs, this.#deps.settings)
    this.assertUsable()
    if (this.#fixedLeaseMs === null) {
      throw new InvalidArgumentError(
        `extend() needs a fixed lease (leaseMs); the watchdog already renews this lease on ${titleOf(this.#target)}`,
        { lockName: this.name, owner: this.owner },
      )
    }
    await this.#hold.extend(leaseMs)
  }

  /** @internal Whether the watchdog is to renew the hold for this lease. */
  get isRenewed(): boolean {
    return this.#fixedLeaseMs === null
  }

  /** @internal Until when this lease lets the hold be renewed. */
  get limitAt(): number {
    return this.#limitAt
  }

  /** @internal How many permits it needs. */
  get needs(): number {
    return this.#target.permits
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

  /** @internal */
  protected get target(): Target {
    return this.#target
  }

  /** @internal Leaves once; a later call waits for the first. */
  protected leaveOnce(leave: () => Promise<void>): Promise<void> {
    if (this.#left) return this.#left.catch(() => undefined)
    this.#left = leave()
    return this.#left
  }

  /** @internal */
  protected assertUsable(): void {
    if (this.#left) throw this.#alreadyLeft()
    if (this.#hold.loss) throw lossForCaller(this.#hold.loss)
  }

  #alreadyLeft(): NotOwnerError {
    return new NotOwnerError(`this lease on ${titleOf(this.#target)} has already been released`, {
      lockName: this.name,
      owner: this.owner,
    })
  }
}
