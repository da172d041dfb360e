import { InvalidArgumentError, NotOwnerError } from '../errors/errors.js'
import type { LockLostError } from '../errors/errors.js'
import { lossForCaller, lossOf } from '../holding/loss.js'
import { requireLeaseMs } from '../options/options.js'
import type { LeaseBounds } from '../options/options.js'
import type { Possession } from '../ownership/possession.js'
import { titleOf } from '../ownership/target.js'
import type { ObjectKind, Target } from '../ownership/target.js'
import { LeaseEntry } from './lease-entry.js'
import { uncloneable } from '../util/uncloneable.js'

/** @internal What all leases need of their hold. */
export type LeasedHold = Omit<Possession<never>, 'enter' | 'leave'>

/** One entry into a hold, of any object. */
export abstract class BaseLease {
  /** @internal */
  readonly uncloneable = uncloneable
  readonly #entry: LeaseEntry

  /** @internal */
  constructor(target: Target, fixedLeaseMs: number | null, limitAt: number) {
    this.#entry = new LeaseEntry(fixedLeaseMs === null ? this : null, target, limitAt)
  }

  /** The name of what is held, as given to `getLock`, `getSemaphore` and so on. */
  get name(): string {
    return this.hold.address.name
  }

  /** What is held: a lock, one side of a read/write lock, or permits of a semaphore. */
  get kind(): ObjectKind {
    return this.#entry.kind
  }

  /** Who holds: `<clientId>:<n>`, as the store has it. */
  get owner(): string {
    return this.hold.owner
  }

  /**
   * Aborts with a `LockLostError` when the hold is lost, no later than its deadline: pass it to what you await inside.
   * Never aborts once `unlock()` was called, which throws the loss that it finds. Created on first use.
   */
  get signal(): AbortSignal {
    const { signal } = this.#entry
    const { loss } = this
    if (loss) this.#entry.abort(loss)
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
    requireLeaseMs(leaseMs, this.bounds)
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

  /** @internal Why the hold was lost, unless the lease was left before. */
  get loss(): LockLostError | undefined {
    return this.isLeft ? undefined : this.hold.loss
  }

  /** @internal Whether it was left. */
  get isLeft(): boolean {
    return this.#entry.left !== undefined
  }

  /** @internal */
  protected abstract get hold(): LeasedHold

  /** @internal */
  protected abstract get bounds(): LeaseBounds

  /** @internal */
  protected get target(): Target {
    return this.#entry.target
  }

  /** @internal Leaves once; a later call waits for the first. */
  protected leaveOnce(leave: () => Promise<void>): Promise<void> {
    const entry = this.#entry
    if (entry.left) return entry.left.catch(() => undefined)
    entry.left = leave()
    return entry.left
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
