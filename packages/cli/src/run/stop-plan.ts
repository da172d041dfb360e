/** When a command has to end for want of a renewal, as instants of the system's monotonic clock. */
export interface StopPlan {
  /** SIGTERM. */
  readonly termAt: number
  /** SIGKILL: before the store lets the next owner in. */
  readonly killAt: number
}

const longestGraceMs = 5_000
const longestReserveMs = 1_000

/** How long a command gets to end by itself. */
export const graceMsOf = (leaseMs: number): number => Math.min(longestGraceMs, leaseMs / 6)

/** The instant is early by a reserve for processes that get the CPU late, and for the system to end the command. */
export function planStop(deadlineAt: number, leaseMs: number): StopPlan {
  const graceMs = graceMsOf(leaseMs)
  return { termAt: deadlineAt - graceMs, killAt: deadlineAt - Math.min(longestReserveMs, graceMs / 2) }
}

/** Each instant of whichever plan has it first. */
export const earlier = (one: StopPlan, other: StopPlan): StopPlan => ({
  termAt: Math.min(one.termAt, other.termAt),
  killAt: Math.min(one.killAt, other.killAt),
})

/** Milliseconds of the clock that all processes of this machine share, and that stands still only while it is suspended. */
export const machineMs = (): number => Number(process.hrtime.bigint()) / 1e6
