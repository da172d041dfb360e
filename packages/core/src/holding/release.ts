import type { Address, ReleaseRequest } from '../engine/requests.js'
import { ClosedError, UnavailableError } from '../errors/errors.js'
import { notALock, toHoldfastError } from '../errors/store-errors.js'
import type { StoreClient } from '../store-client.js'
import { pause, retryAfterMs, timedOut, withTimeout } from '../util/timeouts.js'
import { monotonicMs } from '../util/clock.js'

/** A release under way, and for how long it matters. */
export interface PendingRelease extends ReleaseRequest {
  readonly address: Address
  /** Names the object in messages, if it is not a lock. */
  readonly title?: string
  /** The instant after which it no longer matters. */
  until: number
  /** The incarnation of the store that confirmed the hold, if known. */
  readonly incarnation: string | undefined
  /** How often it got no reply. */
  failures: number
  /** Whether the store said "not held", and could not be asked whether that was the doing of this release. */
  wasDenied: boolean
}

/** `unanswered`: the store did not reply in time, or until it no longer mattered. */
export type ReleaseOutcome = 'released' | 'not-held' | 'unanswered'

/**
 * Sends a release until it is answered, for at most `waitMs`, or until it no longer matters. May be called again for one that
 * got no answer.
 *
 * "Not held" is a loss, unless this very release may have run before: it frees the lock, and it was repeated or its
 * connection broke while it was in flight. Then the first run succeeded if the same incarnation of the store still has the
 * data and the hold could not have expired yet. Until that can be determined the outcome is unknown, and in the end a loss. Where
 * the store evicts single holds, the first run may have found nothing, too: always a loss.
 */
export async function sendRelease(
  store: StoreClient,
  release: PendingRelease,
  waitMs: number,
): Promise<ReleaseOutcome> {
  const { facts, steps, settings, background } = store
  const { address, title, owner, count, tombstoneMs, until } = release
  let now = monotonicMs()
  const stopAt = Math.min(until, now + waitMs)
  for (;;) {
    const epoch = facts.connectionEpoch
    try {
      const timeoutMs = Math.max(1, Math.ceil(Math.min(settings.commandTimeoutMs, stopAt - now)))
      const reply = await steps.release(address, { owner, count, tombstoneMs }, timeoutMs)
      if (reply.kind === 'released') return 'released'
      if (reply.kind === 'not-a-lock') throw notALock(address, reply)
      release.wasDenied = true
      const isRepeated = release.failures > 0 || epoch !== facts.connectionEpoch
      const mayHaveRunBefore = count === 0 && !settings.evicts && isRepeated
      const isOurs = mayHaveRunBefore && (await isStill(store, release, stopAt - monotonicMs()))
      return isOurs && monotonicMs() < until ? 'released' : 'not-held'
    } catch (thrown) {
      const error = toHoldfastError(thrown, { lockName: address.name, owner, title })
      if (background.isEnded)
        throw new ClosedError('the Holdfast client is closed', { lockName: address.name, owner })
      if (!(error instanceof UnavailableError)) throw error
      release.failures++
      if (monotonicMs() < stopAt) {
        await pause(Math.min(retryAfterMs(release.failures), Math.max(0, stopAt - monotonicMs())))
      }
      now = monotonicMs()
      if (now >= stopAt) return release.wasDenied && now >= until ? 'not-held' : 'unanswered'
    }
  }
}

/** Whether the incarnation that confirmed the hold still has the data. Throws when the store does not say so in time. */
async function isStill(
  { facts }: StoreClient,
  { address, incarnation }: PendingRelease,
  withinMs: number,
): Promise<boolean> {
  if (incarnation === undefined) return false
  const found = await withTimeout(facts.incarnation(address), Math.max(1, withinMs))
  if (found === timedOut) throw new UnavailableError('the store did not say in time which incarnation it is')
  return found === incarnation
}
