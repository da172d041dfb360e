import { freeShared, type SharedState } from '../../../../memory/src/shared-state.js'
import { lastToken, ownerName, restoredMs, times, type Job } from '../job.js'
import { at, type Shared } from '../state.js'
import { tokenOfHold } from './judge.js'
import { restoredSize } from './requests.js'
import { endedHolds } from './restore.js'

/**
 * The object in the state that a job starts from.
 *
 * @param isUnsettled - whether what has expired is still there: holds, a queue, tombstones
 */
export function restoreState(
  { size, wants }: Shared,
  { store }: Job,
  isUnsettled: boolean,
  nowUs: number,
): SharedState {
  const state = freeShared()
  const expiredUs = nowUs - times.slackMs * 1_000
  const untilUs = (ms: number): number => nowUs + ms * 1_000
  const everyone = store.counts.map((_, owner) => owner)
  const hold = (owner: number, permits: number, until: number): void => {
    state.holds.set(ownerName(owner), { permits, token: tokenOfHold(owner), untilUs: until })
  }

  for (const owner of isUnsettled ? endedHolds(store) : []) hold(owner, at(wants, owner), expiredUs)
  for (const owner of everyone) {
    const permits = at(store.counts, owner)
    if (permits > 0) hold(owner, permits, untilUs(times.restoredLeaseMs))
  }

  const hasQueue = store.queue.length > 0
  const longestMs = Math.max(times.slackMs, ...everyone.map((owner) => restoredMs(store, owner)))
  for (const owner of hasQueue || !isUnsettled ? store.queue : everyone) {
    const aliveMs = store.entries[owner] === 'live' ? restoredMs(store, owner) : -times.slackMs
    const entry = { want: at(wants, owner), size, grantLeaseMs: times.leaseMs, proof: 'p' }
    state.queue.set(ownerName(owner), { ...entry, aliveUntilUs: untilUs(aliveMs) })
  }
  state.queueUntilUs = hasQueue ? untilUs(longestMs) : expiredUs

  for (const owner of everyone) {
    const isLive = store.entries[owner] === 'tombstone'
    if (!isLive && !isUnsettled) continue
    state.tombstones.set(ownerName(owner), isLive ? untilUs(restoredMs(store, owner)) : expiredUs)
  }

  if (store.hasFence) state.fence = { token: lastToken, untilUs: untilUs(2 * times.restoredLeaseMs) }
  if (store.size !== null) {
    state.resized = { size: store.size, ...restoredSize, untilUs: untilUs(times.restoredLeaseMs) }
  } else if (isUnsettled) {
    state.resized = { size: 0, ...restoredSize, untilUs: expiredUs }
  }
  return state
}
