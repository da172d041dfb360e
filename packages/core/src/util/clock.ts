import { performance } from 'node:perf_hooks'

/** The longest time that can be asked for, milliseconds: a longer setTimeout would fire at once. */
export const longestMs = 2 ** 31 - 1

/** Milliseconds of a clock that never steps: the one that deadlines are measured on. */
export const monotonicMs = (): number => performance.now()

/**
 * One instant on two clocks. The monotonic clock stands still while the machine sleeps, the wall clock goes on; when
 * more time has passed on the wall than on the monotonic clock, the process was suspended (or the wall clock was set).
 */
export interface Moment {
  readonly monotonicMs: number
  readonly wallMs: number
}

export const momentNow = (): Moment => ({ monotonicMs: performance.now(), wallMs: Date.now() })

/** How much longer the time since `moment` was on the wall clock than on the monotonic one, in milliseconds. */
export const sleptMsSince = (moment: Moment): number =>
  Date.now() - moment.wallMs - (performance.now() - moment.monotonicMs)
