import { monotonicMs, sleptMsSince } from '../util/clock.js'
import type { Moment } from '../util/clock.js'

/**
 * When a process must stop claiming a hold.
 *
 * A lease starts at the server when the command arrives there, which is never before it was sent. Counted
 * from the sending, and shortened by the drift, the local deadline comes before the server's expiry.
 */

/** How far two clocks may run apart during a lease, plus Redis's own granularity: 1 % + 2 ms. */
export const driftMs = (leaseMs: number): number => leaseMs * 0.01 + 2

/** The deadline of a hold that was confirmed by the answer to a command sent at `sentAt`. */
export const deadlineOfAnswer = (sentAt: number, leaseMs: number): number =>
  sentAt + leaseMs - driftMs(leaseMs)

/** A grant as a release wrote it, and what this process knows of its own last answered ask. */
export interface GrantTimes {
  /** When that ask was sent. */
  readonly askSentAt: number
  /** The server's time in the answer to it, microseconds. */
  readonly askServerUs: number
  /** The server's time of the grant, microseconds. */
  readonly grantServerUs: number
  /** When the notice of the grant arrived. */
  readonly receivedAt: number
  readonly leaseMs: number
}

/** When a grant happened, at the earliest, on the local clock, and until when it may be claimed. */
export interface PlacedGrant {
  readonly grantedAt: number
  readonly deadlineAt: number
}

/**
 * Places a grant that somebody else's command made on the local clock, or answers `null` when that cannot be done.
 *
 * The grant's distance from our own ask is known on the server's clock and carried over to ours; the clocks
 * may have drifted apart for as long as that distance. A distance below zero means that the notice
 * belongs to an earlier grant.
 */
export function placeGrant(times: GrantTimes): PlacedGrant | null {
  const ageMs = (times.grantServerUs - times.askServerUs) / 1000
  if (ageMs < 0) return null
  const grantedAt = Math.min(times.askSentAt + ageMs, times.receivedAt)
  return { grantedAt, deadlineAt: deadlineOfAnswer(grantedAt, times.leaseMs) - ageMs * 0.01 }
}

/** A hold that an answer grants: at the sending of the ask, at the earliest. */
export const placeAnswer = ({ monotonicMs: sentAt }: Moment, leaseMs: number): PlacedGrant => ({
  grantedAt: sentAt,
  deadlineAt: deadlineOfAnswer(sentAt, leaseMs),
})

/** A suspend stops the clock that deadlines are measured on: what was answered before it proves nothing. */
export const isAhead = (deadlineAt: number, askedAt: Moment, leaseMs: number): boolean =>
  deadlineAt > monotonicMs() && sleptMsSince(askedAt) <= driftMs(leaseMs)
