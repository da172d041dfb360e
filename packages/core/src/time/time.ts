import { performance as realPerformance } from 'node:perf_hooks'

/** The longest time that an option accepts, milliseconds: a longer setTimeout would fire at once. */
export const longestMs = 2 ** 31 - 1

/** What the process began with. Fake timers of tests put others in their place. */
const real = { Date, setTimeout, performance: globalThis.performance }

/**
 * Milliseconds of a clock that never steps: the one that deadlines are measured on.
 *
 * It follows fake timers, or leases would outlive all the time that a test lets pass. Jest and Vitest from version 3 on
 * replace `performance` along with `setTimeout`; node:test and Vitest 2 replace only `Date`. A `Date` that is replaced
 * alone, to fix today's date, is not a clock.
 */
export function monotonicMs(): number {
  // The global `performance` is a getter, too slow to be read each time.
  if (setTimeout === real.setTimeout) return realPerformance.now()
  const { performance } = globalThis
  if (performance !== real.performance) return performance.now()
  return Date === real.Date ? realPerformance.now() : Date.now()
}

/** Timers may fire a millisecond early. */
export const timerMarginMs = 1

/** Whether a timer for that instant may have fired. */
export const isTimeUp = (at: number): boolean => monotonicMs() >= at - timerMarginMs

/**
 * One instant on two clocks. The monotonic clock stands still while the machine sleeps, the wall clock goes on; when
 * more time has passed on the wall than on the monotonic clock, the process was suspended (or the wall clock was set).
 */
export interface Moment {
  readonly monotonicMs: number
  readonly wallMs: number
}

export const momentNow = (): Moment => ({ monotonicMs: monotonicMs(), wallMs: Date.now() })

/**
 * How much longer the time since `moment` was on the wall clock than on the monotonic one, in milliseconds. 0 under fake
 * timers: a test may fake, or set, one of the two alone, and that is not a suspended machine.
 */
const sleptMsSince = (moment: Moment): number => sleptMsBetween(moment, momentNow())

/** The same between two instants. */
const sleptMsBetween = (earlier: Moment, later: Moment): number =>
  setTimeout === real.setTimeout
    ? later.wallMs - earlier.wallMs - (later.monotonicMs - earlier.monotonicMs)
    : 0

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
  {
    grantedAt,
    serverUs,
  }: { readonly grantedAt?: number | undefined; readonly serverUs?: number | undefined },
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
