import type { Moment } from '../util/clock.js'
import { deadlineOfAnswer } from './deadline.js'

/** What is known of a hold when it begins. */
export interface FirstProof {
  /** When the ask was sent that Redis answered with the hold, or after which it was granted. */
  readonly askedAt: Moment
  /** An instant not later than the grant. */
  readonly grantedAt: number
  readonly deadlineAt: number
  /** The lease in force. */
  readonly leaseMs: number
}

/**
 * How long a hold lasts: what may be claimed of it by what Redis has answered, and what Redis may keep of it by what was
 * sent. Instants are on the monotonic clock.
 */
export class Term {
  readonly grantedAt: number
  /** Until then the hold may be claimed. */
  deadlineAt: number
  /** When the command was sent that last proved the hold. */
  provenAt: Moment
  /** The longest lease that was proven; it sets the drift to allow for. */
  leaseMs: number
  /** An instant that Redis's own TTL reaches at least. */
  #ttlUntil: number
  /** An instant that it may reach, by what was sent and not answered. */
  #ttlMayReach: number

  constructor(grant: FirstProof, now: number) {
    this.grantedAt = grant.grantedAt
    this.deadlineAt = grant.deadlineAt
    this.provenAt = grant.askedAt
    this.leaseMs = grant.leaseMs
    this.#ttlUntil = Math.max(grant.grantedAt, grant.askedAt.monotonicMs) + grant.leaseMs
    this.#ttlMayReach = now + grant.leaseMs
  }

  /** Whether Redis keeps the hold until the brake, so that there is nothing to renew. */
  reaches(brakeAt: number): boolean {
    return this.#ttlUntil >= brakeAt - 1
  }

  /** The lease to send now, which the brake caps; 1 ms when there is nothing to extend. */
  sending(wantedMs: number, brakeAt: number, now: number): number {
    const leaseMs = Math.max(1, Math.floor(Math.min(wantedMs, brakeAt - now)))
    this.#ttlMayReach = Math.max(this.#ttlMayReach, now + leaseMs)
    return leaseMs
  }

  /** A command with this lease was answered. What was proven before stays, if it is more. */
  prove(sentAt: Moment, leaseMs: number): void {
    this.provenAt = sentAt
    this.leaseMs = Math.max(this.leaseMs, leaseMs)
    this.#ttlUntil = Math.max(this.#ttlUntil, sentAt.monotonicMs + leaseMs)
    this.deadlineAt = Math.max(this.deadlineAt, deadlineOfAnswer(sentAt.monotonicMs, leaseMs))
  }

  /** For how long Redis may keep the hold from now on, milliseconds. */
  mayLastMs(now: number): number {
    return Math.max(0, Math.ceil(this.#ttlMayReach - now))
  }
}
