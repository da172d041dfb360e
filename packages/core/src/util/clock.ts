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
export const sleptMsSince = (moment: Moment): number => sleptMsBetween(moment, momentNow())

/** The same between two instants. */
export const sleptMsBetween = (earlier: Moment, later: Moment): number =>
  setTimeout === real.setTimeout
    ? later.wallMs - earlier.wallMs - (later.monotonicMs - earlier.monotonicMs)
    : 0
