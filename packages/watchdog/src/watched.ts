import { HeapNode } from './indexed-heap.js'
import type { Renewable } from './renewable.js'

/**
 * An item is renewed up to this part of its period early when that saves a call of its own. Then it is due together with
 * those it went with, so items that were added at any times come to fill whole calls.
 */
const EARLY_SHARE = 0.5

const LONGEST_RETRY_MS = 250
const SHORTEST_RETRY_MS = 20

/** setTimeout counts whole milliseconds, so a wake-up may come this much before the instant it was meant for. */
const TIMER_PRECISION_MS = 1

/** What lies before this instant is dealt with by a wake-up at `now`. One expression for all comparisons. */
export function wakeHorizon(now: number): number {
  return now + TIMER_PRECISION_MS
}

/** One stay of one item in the watchdog. An item that comes back gets a new one, so late replies find no target. */
export class Watched<T extends Renewable> {
  /** When something must be done for the item: renew or expire it. */
  readonly wake = new HeapNode<Watched<T>>(this)
  /** From when on the item may be renewed along with others. */
  readonly ready = new HeapNode<Watched<T>>(this)

  inFlight = false
  /** renewNow() requested a renewal that has not succeeded yet. */
  requested = false
  /** renewNow() requested another while one was in flight. */
  requestedAgain = false
  /** Overrides the period after an unknown outcome or for renewNow(). */
  retryAt: number | undefined

  /**
   * @param confirmedAt - what the period counts from: the instant of adding, then of the last success's sending
   * @param index - where it is in the watchdog's list; -1 once it has gone
   */
  constructor(
    readonly item: T,
    private confirmedAt: number,
    public index: number,
  ) {}

  isPastDeadline(now: number): boolean {
    // Ending a claim a moment early is harmless, ending it late is not: hence the timer's precision on this side.
    return this.item.deadlineAt < wakeHorizon(now)
  }

  /** When the next renewal is due; `Infinity` for none. */
  get dueAt(): number {
    if (this.inFlight) return Infinity
    const { renewEveryMs } = this.item
    if (renewEveryMs === null) return this.requested ? (this.retryAt ?? Infinity) : Infinity
    return this.retryAt ?? this.confirmedAt + renewEveryMs
  }

  /** From when on the next renewal may go out if others do anyway. */
  readyAt(dueAt: number): number {
    if (this.retryAt !== undefined) return dueAt
    return dueAt - (dueAt - this.confirmedAt) * EARLY_SHARE
  }

  /** renewNow() was called. At most one renewal is in flight, and at most one more waits behind it. */
  request(now: number): void {
    this.requested = true
    if (this.inFlight) this.requestedAgain = true
    else this.retryAt = now
  }

  takeOff(): void {
    this.inFlight = true
  }

  landRenewed(sentAt: number, now: number): void {
    this.confirmedAt = sentAt
    this.land(this.requestedAgain ? now : undefined)
  }

  landUnknown(now: number): void {
    const quarterMs = (this.item.renewEveryMs ?? Infinity) / 4
    const waitMs = this.requestedAgain ? 0 : Math.min(quarterMs, LONGEST_RETRY_MS)
    this.land(now + Math.max(waitMs, SHORTEST_RETRY_MS), true)
  }

  private land(retryAt: number | undefined, failed = false): void {
    this.inFlight = false
    this.requested = this.requestedAgain || (failed && this.requested)
    this.requestedAgain = false
    this.retryAt = retryAt
  }
}
