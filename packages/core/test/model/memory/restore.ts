import { freeLock, type LockState } from '../../../../memory/src/lock-state.js'
import { lastToken, ownerName, restoredMs, times, type Job } from '../job.js'
import { at } from '../state.js'

/**
 * The lock in the state that a job starts from.
 *
 * @param isUnsettled - whether what has expired is still there: a hold, a queue, tombstones
 */
export function restore({ store }: Job, isUnsettled: boolean, nowUs: number): LockState {
  const state = freeLock()
  const expiredUs = nowUs - times.slackMs * 1_000
  const untilUs = (ms: number): number => nowUs + ms * 1_000
  const everyone = store.counts.map((_, owner) => owner)

  const holder = store.counts.findIndex((count) => count > 0)
  if (holder >= 0) {
    const count = at(store.counts, holder)
    state.hold = { owner: ownerName(holder), count, untilUs: untilUs(times.restoredLeaseMs) }
  } else if (isUnsettled) {
    state.hold = { owner: ownerName(0), count: 1, untilUs: expiredUs }
  }

  const hasQueue = store.queue.length > 0
  const longestMs = Math.max(times.slackMs, ...everyone.map((owner) => restoredMs(store, owner)))
  for (const owner of hasQueue || !isUnsettled ? store.queue : everyone) {
    const aliveMs = store.entries[owner] === 'live' ? restoredMs(store, owner) : -times.slackMs
    state.queue.set(ownerName(owner), {
      aliveUntilUs: untilUs(aliveMs),
      grantLeaseMs: times.leaseMs,
      proof: 'p',
    })
  }
  state.queueUntilUs = hasQueue ? untilUs(longestMs) : expiredUs

  for (const owner of everyone) {
    const isLive = store.entries[owner] === 'tombstone'
    if (!isLive && !isUnsettled) continue
    state.tombstones.set(ownerName(owner), isLive ? untilUs(restoredMs(store, owner)) : expiredUs)
  }

  if (store.hasFence) state.fence = { token: lastToken, untilUs: untilUs(2 * times.restoredLeaseMs) }
  return state
}
