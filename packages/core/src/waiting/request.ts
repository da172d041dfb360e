import type { Request } from '../options/options.js'
import { monotonicMs } from '../util/clock.js'

/** What the times of a request depend on. */
export interface RequestTimes {
  readonly watchdogTimeoutMs: number
  readonly commandTimeoutMs: number
}

/**
 * The lease to request. The limit of a hold that the store has already is not moved by requesting it again.
 *
 * @param grantedAt - since when the store has such a hold that was not handed out
 */
export function leaseToRequest(
  { leaseMs, maxHoldMs }: Request,
  { watchdogTimeoutMs }: RequestTimes,
  grantedAt: number | undefined,
): number {
  const wantedMs = Math.min(leaseMs ?? watchdogTimeoutMs, maxHoldMs)
  if (grantedAt === undefined) return wantedMs
  return Math.max(1, Math.floor(Math.min(wantedMs, grantedAt + maxHoldMs - monotonicMs())))
}

/** How long a queue entry that is requested or refreshed now needs to stay alive. */
export const entryTtlToRequest = ({ watchdogTimeoutMs }: RequestTimes, waitLeftMs: number): number =>
  Math.max(1, Math.ceil(Math.min(watchdogTimeoutMs, waitLeftMs)))
