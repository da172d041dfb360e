import type { GrantNotice } from '../engine/host.js'
import { monotonicMs, sleptMsSince } from '../util/clock.js'
import type { Moment } from '../util/clock.js'

/**
 * When a process must stop claiming a hold.
 *
 * A lease starts at the store when the command arrives there, which is never before it was sent. Counted from the sending,
 * and shortened by the drift, the local deadline comes before the store's expiry.
 */

/**
 * How far two clocks may run apart during a lease, 1 %, plus what the store itself may cut off.
 *
 * @param marginMs - the engine's `traits.lease.marginMs`
 */
export const driftMs = (leaseMs: number, marginMs: number): number => leaseMs * 0.01 + marginMs

/** The deadline of a hold that was confirmed by the reply to a command sent at `sentAt`. */
export const deadlineOfReply = (sentAt: number, leaseMs: number, marginMs: number): number =>
  sentAt + leaseMs - driftMs(leaseMs, marginMs)

/** A grant as the store made it, and what this process knows of its own last answered request. */
export interface GrantTimes {
  /** When that request was sent. */
  readonly requestSentAt: number
  /** The store's time in the reply to it, microseconds. */
  readonly requestServerUs: number
  /** The store's time of the grant, microseconds. */
  readonly grantServerUs: number
  /** When the notification of the grant arrived. */
  readonly receivedAt: number
  readonly leaseMs: number
}

/** When a grant happened, at the earliest, on the local clock, and until when it may be claimed. */
export interface DatedGrant {
  readonly grantedAt: number
  readonly deadlineAt: number
}

/**
 * Dates a grant that another owner's command made on the local clock, or returns `null` when that cannot be done.
 *
 * The grant's distance from our own request is known on the store's clock and carried over to ours; the clocks may have
 * drifted apart for as long as that distance. A distance below zero means that the notification belongs to an earlier
 * grant.
 */
export function dateGrant(times: GrantTimes, marginMs: number): DatedGrant | null {
  const ageMs = (times.grantServerUs - times.requestServerUs) / 1000
  if (ageMs < 0) return null
  const grantedAt = Math.min(times.requestSentAt + ageMs, times.receivedAt)
  return { grantedAt, deadlineAt: deadlineOfReply(grantedAt, times.leaseMs, marginMs) - ageMs * 0.01 }
}

/** What a busy reply said, if it was the last one before the grant. */
export interface RequestTime {
  readonly sentAt: Moment
  readonly serverUs: number | undefined
}

/** Dates the grant of a notification; `null` also where neither the session nor the store gives its time. */
export function dateNotice(
  { grantedAt, serverUs }: Pick<GrantNotice, 'grantedAt' | 'serverUs'>,
  leaseMs: number,
  request: RequestTime | undefined,
  receivedAt: number,
  marginMs: number,
): DatedGrant | null {
  if (grantedAt !== undefined) {
    const at = Math.min(grantedAt, receivedAt)
    return { grantedAt: at, deadlineAt: deadlineOfReply(at, leaseMs, marginMs) }
  }
  if (request?.serverUs === undefined || serverUs === undefined) return null
  const times = {
    requestSentAt: request.sentAt.monotonicMs,
    requestServerUs: request.serverUs,
    grantServerUs: serverUs,
    receivedAt,
    leaseMs,
  }
  return dateGrant(times, marginMs)
}

/** Dates a hold that a reply grants: at the sending of the request, at the earliest. */
export const dateReply = (
  { monotonicMs: sentAt }: Moment,
  leaseMs: number,
  marginMs: number,
): DatedGrant => ({
  grantedAt: sentAt,
  deadlineAt: deadlineOfReply(sentAt, leaseMs, marginMs),
})

/** A suspend stops the clock that deadlines are measured on: what was answered before it proves nothing. */
export const isAhead = (
  deadlineAt: number,
  requestedAt: Moment,
  leaseMs: number,
  marginMs: number,
): boolean => deadlineAt > monotonicMs() && sleptMsSince(requestedAt) <= driftMs(leaseMs, marginMs)
