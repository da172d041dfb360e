import type { ObjectKind } from '../engine/requests.js'
import type { LockLostError } from '../errors/errors.js'
import { outsideFrames } from '../ownership/frames.js'
import type { LeaseEntry } from '../ownership/possession.js'

/** The open leases of one hold: few, and nearly always one. */
export class LeaseSet {
  readonly #holdLimitAt: number
  /** Replaced, never changed: an array that grows by `push` reserves room for 17, one that is made has no more than it needs. */
  #open: readonly LeaseEntry[] = []

  /** @param limitAt - of the whole hold */
  constructor(limitAt: number) {
    this.#holdLimitAt = limitAt
  }

  get all(): readonly LeaseEntry[] {
    return this.#open
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

  add(lease: LeaseEntry): void {
    this.#open = this.#open.concat([lease])
  }

  delete(lease: LeaseEntry): void {
    this.#open = this.#open.filter((other) => other !== lease)
  }

  /** Those that, as it turns out now, nobody can release any more. */
  dropped(): LeaseEntry[] {
    return this.#open.filter((lease) => lease.noticeDropped())
  }

  abortAll(error: LockLostError): void {
    // A holder that is notified may leave at once.
    for (const lease of this.#open) outsideFrames(() => lease.abort(error))
  }
}
