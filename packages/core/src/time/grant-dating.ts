import type { GrantNotice } from '../engine/host.js'
import { deadlineOfReply, driftMs } from './deadline.js'
import { monotonicMs, sleptMsSince } from '../util/clock.js'
import type { Moment } from '../util/clock.js'

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
