import type { LockLostError } from '../errors.js'

/** One entry into a hold, as far as the hold needs to know it. */
export interface OpenLease {
  /** Whether the watchdog is to renew the hold for it. */
  readonly isRenewed: boolean
  /** Until when it lets the hold be renewed (`maxHoldMs`). */
  readonly limitAt: number
  /** The hold was lost. */
  abort(error: LockLostError): void
}

/** The open leases of one hold: few, and nearly always one. */
export class LeaseSet<L extends OpenLease> {
  readonly #open: L[] = []

  get count(): number {
    return this.#open.length
  }

  /** Whether one of them wants the hold renewed. */
  get isRenewed(): boolean {
    for (const { isRenewed } of this.#open) if (isRenewed) return true
    return false
  }

  add(lease: L): void {
    this.#open.push(lease)
  }

  delete(lease: L): void {
    this.#open.splice(this.#open.indexOf(lease), 1)
  }

  /** The earliest of their limits and that of the whole hold. */
  nextLimitAt(limitAt: number): number {
    let nextAt = limitAt
    for (const lease of this.#open) nextAt = Math.min(nextAt, lease.limitAt)
    return nextAt
  }

  abortAll(error: LockLostError): void {
    // A holder that is notified may leave at once.
    for (const lease of [...this.#open]) lease.abort(error)
  }
}
