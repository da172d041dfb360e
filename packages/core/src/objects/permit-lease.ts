import { inspect } from 'node:util'
import type { InspectOptions } from 'node:util'
import { InvalidArgumentError } from '../errors/errors.js'
import type { Hold } from '../holding/hold.js'
import type { LeaseMaker } from '../holding/lease-set.js'
import type { LeaseBounds } from '../options/options.js'
import type { Target } from '../ownership/target.js'
import { BaseLease } from './base-lease.js'
import type { LeasedHold } from './base-lease.js'
import { shown } from '../util/kind-of.js'

/**
 * Permits of a semaphore that are held, to be given back with `release()`.
 *
 * If the process dies, they return when the lease expires, `watchdogTimeoutMs` later at the latest. A semaphore is not
 * reentrant: nested calls take permits of their own.
 */
export class PermitLease extends BaseLease {
  readonly #hold: Hold<PermitLease>
  readonly #bounds: LeaseBounds

  /** @internal Permit leases come from `acquire`, `tryAcquire` and `withPermits`. */
  constructor(
    bounds: LeaseBounds,
    hold: Hold<PermitLease>,
    target: Target,
    fixedLeaseMs: number | null,
    limitAt: number,
  ) {
    super(target, fixedLeaseMs, limitAt)
    this.#hold = hold
    this.#bounds = bounds
  }

  /** How many permits it still has; 0 once it was released. */
  get permits(): number {
    return this.isLeft ? 0 : this.entry.needs
  }

  /**
   * Gives back all permits, or only so many of them; a call after all were given back does nothing. Resolves when the store
   * has confirmed it; without a reply after `commandTimeoutMs`, as `Lease.unlock`.
   *
   * @param permits - 1 to as many as it has; all by default
   * @throws `LockLostError` when the permits were lost before; `InvalidArgumentError` for any other number
   */
  async release(permits?: number): Promise<void> {
    if (permits !== undefined) this.#check(permits)
    if (this.isLeft || permits === undefined || permits === this.entry.needs) {
      await this.leaveOnce(() => this.#hold.leave(this))
      return
    }
    this.assertUsable()
    this.entry.needs -= permits
    await this.#hold.lower()
  }

  /** `release()` at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.release()
  }

  /** @internal */
  protected override get hold(): LeasedHold {
    return this.#hold
  }

  /** @internal */
  protected override get bounds(): LeaseBounds {
    return this.#bounds
  }

  /** For logs. */
  toJSON(): { name: string; owner: string; permits: number; remainingMs: number } {
    const { name, owner, permits } = this
    return { name, owner, permits, remainingMs: this.remainingMs() }
  }

  /** @internal What `console.log` shows. */
  [inspect.custom](_depth: number, options: InspectOptions): string {
    return `PermitLease ${inspect(this.toJSON(), options)}`
  }

  #check(permits: unknown): void {
    if (this.isLeft) return
    const most = this.entry.needs
    if (typeof permits === 'number' && Number.isInteger(permits) && permits >= 1 && permits <= most) return
    throw new InvalidArgumentError(
      `permits must be an integer from 1 to ${most}, the number that this lease has, got ${shown(permits)}`,
      { lockName: this.name, owner: this.owner },
    )
  }
}

/** @internal Makes the leases of semaphores. */
export class PermitLeases implements LeaseMaker<Hold<PermitLease>, PermitLease> {
  readonly #bounds: LeaseBounds

  constructor(bounds: LeaseBounds) {
    this.#bounds = bounds
  }

  makeLease(
    hold: Hold<PermitLease>,
    target: Target,
    fixedLeaseMs: number | null,
    limitAt: number,
  ): PermitLease {
    return new PermitLease(this.#bounds, hold, target, fixedLeaseMs, limitAt)
  }
}
