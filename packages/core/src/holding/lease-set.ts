import type { LockLostError } from '../errors/errors.js'
import type { ObjectKind, Target } from '../engine/requests.js'

/** One entry into a hold, as far as the hold needs to know it. */
export interface OpenLease {
  readonly kind: ObjectKind
  /** How many permits it needs; 1 for a lease on a lock. */
  readonly needs: number
  /** Whether the watchdog is to renew the hold for it. */
  readonly isRenewed: boolean
  /** Until when it lets the hold be renewed (`maxHoldMs`). May move. */
  readonly limitAt: number
  /** The hold was lost. */
  abort(error: LockLostError): void
  /** Whether it turns out now that the caller's lease was collected. Asked at each renewal; absent where no caller has one. */
  noticeDropped?(): boolean
}

/** What the caller gets of it. The hold must not refer to it for good: that would hide that the caller has dropped it. */
export interface LeaseHandle {
  readonly entry: OpenLease
}

/** Makes what callers get for their entries into holds. */
export interface LeaseMaker<H, L extends LeaseHandle> {
  /** @param fixedLeaseMs - `null` for one that the watchdog renews */
  makeLease(hold: H, target: Target, fixedLeaseMs: number | null, limitAt: number): L
}

/** The open leases of one hold: few, and nearly always one. */
export class LeaseSet {
  readonly #holdLimitAt: number
  /** Replaced, never changed: an array that grows by `push` reserves room for 17, one that is made has no more than it needs. */
  #open: readonly OpenLease[] = []

  /** @param limitAt - of the whole hold */
  constructor(limitAt: number) {
    this.#holdLimitAt = limitAt
  }

  get count(): number {
    return this.#open.length
  }

  /** How many permits the hold needs for all of them. */
  get needs(): number {
    let needs = 0
    for (const lease of this.#open) needs = Math.max(needs, lease.needs)
    return needs
  }

  countOf(kind: ObjectKind): number {
    let count = 0
    for (const lease of this.#open) if (lease.kind === kind) count++
    return count
  }

  /** Whether one of them wants the hold renewed. */
  get isRenewed(): boolean {
    for (const { isRenewed } of this.#open) if (isRenewed) return true
    return false
  }

  /** The earliest of their limits and that of the whole hold. Not remembered: that of a vote moves with those of its quorum. */
  get limitAt(): number {
    let earliest = this.#holdLimitAt
    for (const { limitAt } of this.#open) earliest = Math.min(earliest, limitAt)
    return earliest
  }

  add(lease: OpenLease): void {
    this.#open = this.#open.concat([lease])
  }

  delete(lease: OpenLease): void {
    this.#open = this.#open.filter((other) => other !== lease)
  }

  /** Those that, as it turns out now, nobody can release any more. */
  dropped(): OpenLease[] {
    return this.#open.filter((lease) => lease.noticeDropped?.() === true)
  }

  abortAll(error: LockLostError): void {
    // A holder that is notified may leave at once.
    for (const lease of this.#open) lease.abort(error)
  }
}
