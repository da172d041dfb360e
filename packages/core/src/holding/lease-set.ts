import type { ObjectKind } from '../engine/requests.js'
import { toHoldfastError, UnavailableError, type ErrorSubject, type LockLostError } from '../errors/errors.js'
import type { Observer } from '../events/observer.js'
import type { Request } from '../options/options.js'
import { outsideFrames } from '../ownership/frames.js'
import type { LeaseEntry } from '../ownership/possession.js'
import { isTimeUp, monotonicMs } from '../time/time.js'
import { pause, retryAfterMs } from '../util/timeouts.js'

/** The open leases of one hold: few, and nearly always one. */
export class LeaseSet {
  readonly #holdLimitAt: number
  /** Replaced, never changed: an array that grows by `push` reserves room for 17, one that is made has no more than it needs. */
  #open: readonly LeaseEntry[] = []

  constructor(limitAt: number) {
    this.#holdLimitAt = limitAt
  }

  get all(): readonly LeaseEntry[] {
    return this.#open
  }

  get count(): number {
    return this.#open.length
  }

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

  /** Those that can no longer be released. Each is found once. */
  dropped(): LeaseEntry[] {
    return this.#open.filter((lease) => lease.noticeDropped())
  }

  abortAll(error: LockLostError): void {
    // A holder that is notified may leave at once.
    for (const lease of this.#open) outsideFrames(() => lease.abort(error))
  }
}

/** One attempt: `false` when the hold was released before. */
type Attempt = (timeoutMs: number) => Promise<boolean>

/**
 * Repeats an attempt to enter a hold once more until the store replies, as long as the caller waits. Resolves with
 * whether the hold was entered.
 *
 * @param startedAt - when the caller began to wait
 */
export async function enterUntilAnswered(
  attempt: Attempt,
  { waitMs, signal }: Request,
  startedAt: number,
  reports: Observer,
  details: ErrorSubject,
): Promise<boolean> {
  for (let failures = 0; ;) {
    signal?.throwIfAborted()
    const waitLeftMs = waitMs === 0 ? Infinity : startedAt + waitMs - monotonicMs()
    try {
      return await attempt(Math.max(1, waitLeftMs))
    } catch (thrown) {
      const error = toHoldfastError(thrown, details)
      if (!(error instanceof UnavailableError) || waitMs === 0) throw error
      if (isTimeUp(startedAt + waitMs)) throw error
      reports.error(error)
      await pause(retryAfterMs(++failures))
    }
  }
}
