import type { AcquireRequest, Address } from '../engine/requests.js'
import type { LockSteps } from '../engine/lock-steps.js'
import { UnavailableError } from '../errors/errors.js'
import { notALock, toHoldfastError } from '../errors/store-errors.js'
import type { ErrorSubject } from '../errors/store-errors.js'
import type { Request } from '../options/options.js'
import type { HoldReports } from './hold-reports.js'
import { pause, retryAfterMs } from '../util/backoff.js'
import { isTimeUp, monotonicMs } from '../util/clock.js'

/** One attempt: `false` when the hold was released before. */
type Attempt = (timeoutMs: number) => Promise<boolean>

/**
 * Repeats an attempt to enter a hold once more until the store replies, as long as the caller waits. Resolves with
 * whether the hold was entered.
 *
 * @param startedAt - when the caller began to wait
 */
export async function enterUntilAnswered(
  attempt: Attempt,
  { waitMs, signal }: Request,
  startedAt: number,
  reports: Pick<HoldReports, 'error'>,
  details: ErrorSubject,
): Promise<boolean> {
  for (let failures = 0; ;) {
    signal?.throwIfAborted()
    const waitLeftMs = waitMs === 0 ? Infinity : startedAt + waitMs - monotonicMs()
    try {
      return await attempt(Math.max(1, waitLeftMs))
    } catch (thrown) {
      const error = toHoldfastError(thrown, details)
      if (!(error instanceof UnavailableError) || waitMs === 0) throw error
      if (isTimeUp(startedAt + waitMs)) throw error
      reports.error(error)
      await pause(retryAfterMs(++failures))
    }
  }
}

/**
 * Has the store count one more entry of an owner that holds the lock. Resolves with the fencing token, 0 if there is none, or with
 * `null` when the owner holds nothing.
 */
export async function sendEntry(
  steps: LockSteps,
  address: Address,
  request: Pick<AcquireRequest, 'owner' | 'count' | 'leaseMs' | 'wantsToken'>,
  timeoutMs: number,
): Promise<number | null> {
  const { leaseMs } = request
  const reply = await steps.acquire(
    address,
    { ...request, entryTtlMs: 0, grantLeaseMs: leaseMs, proof: '' },
    timeoutMs,
  )
  if (reply.kind === 'not-a-lock') throw notALock(address, reply)
  return reply.kind === 'held' ? reply.token : null
}
