import { driftMs } from '../../time/deadline.js'
import type { Request } from '../../options/options.js'

/** A fixed lease of which the votes have less than this left is set again before it is handed out. */
const leastShareOfLease = 0.9

type Wanted = Pick<Request, 'leaseMs' | 'maxHoldMs'>

interface Times {
  readonly watchdogTimeoutMs: number
}

/**
 * The lease with which votes are requested; `null` for one that is renewed from the start. The limit of the hold counts from
 * its grant, which comes after that of the votes: the votes have no such limit, and a shorter one is a fixed lease until then.
 */
export function voteLeaseMs({ leaseMs, maxHoldMs }: Wanted, { watchdogTimeoutMs }: Times): number | null {
  if (leaseMs !== null) return Math.min(leaseMs, maxHoldMs)
  return maxHoldMs < watchdogTimeoutMs ? maxHoldMs : null
}

/** Whether so little is left of the votes that they must be extended before they are handed out. */
export const isShort = (leftMs: number, leaseMs: number): boolean => leftMs < leaseMs * leastShareOfLease

/**
 * From when on the votes end because of the limit of their hold, and not for want of renewal.
 *
 * @param deadlineAt - theirs at the grant
 */
export function limitReachedAt(
  { leaseMs, maxHoldMs }: Wanted,
  limitAt: number,
  deadlineAt: number,
  { watchdogTimeoutMs, marginMs }: Times & { readonly marginMs: number },
): number {
  // Their whole lease was cut to the limit from the start.
  if (maxHoldMs < (leaseMs ?? watchdogTimeoutMs)) return deadlineAt
  return limitAt - driftMs(watchdogTimeoutMs, marginMs)
}
