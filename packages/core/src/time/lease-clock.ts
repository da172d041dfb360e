import { momentNow, sleptMsBetween } from '../util/clock.js'
import type { Moment } from '../util/clock.js'
import { deadlineOfReply, driftMs } from './deadline.js'

/** What is known of a hold when it begins. */
export interface FirstProof {
  /** When the request was sent that the store answered with the hold, or after which it was granted. */
  readonly requestedAt: Moment
  /** An instant not later than the grant. */
  readonly grantedAt: number
  readonly deadlineAt: number
  /** The lease in force. */
  readonly leaseMs: number
}

/**
 * How long a hold lasts: until when it may be claimed, according to the store's replies, and until when the store may keep
 * it, according to what was sent. Instants are on the monotonic clock.
 */
export class LeaseClock {
  readonly grantedAt: number
  /** Until then the hold may be claimed. */
  deadlineAt: number
  /** When the command was sent that last proved the hold. */
  provenAt: Moment
  /** The longest lease that was proven; it sets the drift to allow for. */
  leaseMs: number
  readonly #marginMs: number
  /** An instant that the store's own TTL reaches at least. */
  #ttlUntil: number
  /** An instant that it may reach, because of what was sent and not answered. */
  #ttlMayReach: number

  /** @param marginMs - as for {@link driftMs} */
  constructor(grant: FirstProof, marginMs: number, now: number) {
    this.grantedAt = grant.grantedAt
    this.deadlineAt = grant.deadlineAt
    this.provenAt = grant.requestedAt
    this.leaseMs = grant.leaseMs
    this.#marginMs = marginMs
    this.#ttlUntil = Math.max(grant.grantedAt, grant.requestedAt.monotonicMs) + grant.leaseMs
    this.#ttlMayReach = now + grant.leaseMs
  }

  /** Whether the store keeps the hold until its limit, so that there is nothing to renew. */
  reaches(limitAt: number): boolean {
    return this.#ttlUntil >= limitAt - 1
  }

  /** Whether the machine was suspended since the hold was last proven, so that the monotonic clock has lost time. */
  get hasSlept(): boolean {
    return this.#sleptMs(this.provenAt, momentNow()) > 0
  }

  /**
   * The lease with which a command proves the hold and extends nothing: 1 ms. After a suspend, what is left of the lease by
   * this clock: less is left at the store, whose clock went on.
   */
  provingMs(now: number): number {
    return this.hasSlept ? Math.max(1, Math.ceil(this.#ttlUntil - now)) : 1
  }

  /** The lease to send now, capped by the limit of the hold; 1 ms when there is nothing to extend. */
  sending(wantedMs: number, limitAt: number, now: number): number {
    const leaseMs = Math.max(1, Math.floor(Math.min(wantedMs, limitAt - now)))
    this.#ttlMayReach = Math.max(this.#ttlMayReach, now + leaseMs)
    return leaseMs
  }

  /** The share of the lease that is left, from 0 to 1. */
  shareLeft(now: number): number {
    return Math.min(1, Math.max(0, (this.deadlineAt - now) / this.leaseMs))
  }

  /**
   * A command with this lease was answered. What was proven before stays, if it is more; what was proven before a suspend
   * ends sooner by as much as the machine slept. Replies may come in another order than their commands were sent.
   */
  prove(sentAt: Moment, leaseMs: number): void {
    const isLatest = sentAt.monotonicMs >= this.provenAt.monotonicMs
    const [earlier, later] = isLatest ? [this.provenAt, sentAt] : [sentAt, this.provenAt]
    const sleptMs = this.#sleptMs(earlier, later)
    if (isLatest) {
      this.provenAt = sentAt
      this.deadlineAt -= sleptMs
      this.#ttlUntil -= sleptMs
    }
    const startedAt = isLatest ? sentAt.monotonicMs : sentAt.monotonicMs - sleptMs
    this.leaseMs = Math.max(this.leaseMs, leaseMs)
    this.#ttlUntil = Math.max(this.#ttlUntil, startedAt + leaseMs)
    this.deadlineAt = Math.max(this.deadlineAt, deadlineOfReply(startedAt, leaseMs, this.#marginMs))
  }

  /** For how long the machine was suspended between them; 0 if that may be the drift of its clocks. */
  #sleptMs(earlier: Moment, later: Moment): number {
    const sleptMs = sleptMsBetween(earlier, later)
    return sleptMs > driftMs(this.leaseMs, this.#marginMs) ? sleptMs : 0
  }

  /** For how long the store may keep the hold from now on, milliseconds. */
  mayLastMs(now: number): number {
    return Math.max(0, Math.ceil(this.#ttlMayReach - now))
  }
}
