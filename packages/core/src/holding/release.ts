import type { Address, ReleaseRequest } from '../engine/requests.js'
import type { EngineSession } from '../engine/session.js'
import { UnavailableError } from '../errors.js'
import { notALock, toHoldfastError } from '../store-errors.js'
import { pause, retryAfterMs } from '../util/backoff.js'
import { monotonicMs } from '../util/clock.js'

/** What sending a release needs. */
export interface ReleaseDeps {
  readonly session: Pick<EngineSession, 'connectionEpoch' | 'release' | 'incarnation'>
  readonly settings: { readonly commandTimeoutMs: number }
}

/** A release, and for how long it matters. */
export interface PendingRelease extends ReleaseRequest {
  readonly address: Address
  /** Names the object in messages, if it is not a lock. */
  readonly title?: string
  /** The instant after which it no longer matters. */
  readonly until: number
  /** The incarnation of the store that confirmed the hold, if known. */
  readonly incarnation: string | undefined
}

/** `unanswered`: the store did not reply until it no longer mattered. */
export type ReleaseOutcome = 'released' | 'not-held' | 'unanswered'

/**
 * Sends a release until it is answered, or until it no longer matters.
 *
 * "Not held" is a loss, unless this very release may have run before: it frees the lock, and it was repeated or its
 * connection broke while it was in flight. Then the first run succeeded if the same incarnation of the store still has the
 * data and the hold could not have expired yet. Until that can be determined the outcome is unknown, and in the end a loss.
 */
export async function sendRelease(
  { session, settings }: ReleaseDeps,
  release: PendingRelease,
): Promise<ReleaseOutcome> {
  const { address, title, owner, count, tombstoneMs, until } = release
  let wasDenied = false
  for (let failures = 0; ;) {
    const epoch = session.connectionEpoch
    try {
      const timeoutMs = Math.max(1, Math.ceil(Math.min(settings.commandTimeoutMs, until - monotonicMs())))
      const reply = await session.release(address, { owner, count, tombstoneMs }, timeoutMs)
      if (reply.kind === 'released') return 'released'
      if (reply.kind === 'not-a-lock') throw notALock(address, reply)
      wasDenied = true
      const mayHaveRunBefore = count === 0 && (failures > 0 || epoch !== session.connectionEpoch)
      const isOurs = mayHaveRunBefore && (await isStill(session, release))
      return isOurs && monotonicMs() < until ? 'released' : 'not-held'
    } catch (thrown) {
      const error = toHoldfastError(thrown, { lockName: address.name, owner, title })
      if (!(error instanceof UnavailableError)) throw error
      if (monotonicMs() >= until) return wasDenied ? 'not-held' : 'unanswered'
      failures++
      await pause(Math.min(retryAfterMs(failures), Math.max(0, until - monotonicMs())))
    }
  }
}

/** Whether the incarnation that confirmed the hold still has the data. */
async function isStill(
  session: Pick<EngineSession, 'incarnation'>,
  { address, incarnation }: PendingRelease,
): Promise<boolean> {
  return incarnation !== undefined && (await session.incarnation(address)) === incarnation
}
