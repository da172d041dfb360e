import type { LockState } from '../../../../memory/src/lock-state.js'
import { msUntil, type WaitingState } from '../../../../memory/src/waiting-state.js'
import { ownerName, ownerNumber } from '../job.js'
import type { LockAfter } from '../judge.js'
import { storeState, type Entry } from '../state.js'

/** What there is of the lock. Tombstones that have expired mean nothing. */
export function readBack(
  state: LockState,
  owners: number,
  nowUs: number,
): Omit<LockAfter, 'reply' | 'notices'> {
  const { hold, queueUntilUs, fence } = state
  const names = Array.from({ length: owners }, (_, owner) => ownerName(owner))
  const entries = names.map((name) => entryOf(state, name, nowUs))
  return {
    store: storeState(
      names.map((name) => (hold?.owner === name ? hold.count : 0)),
      [...state.queue.keys()].map(ownerNumber),
      entries.map(({ entry }) => entry),
      fence !== null,
    ),
    token: fence?.token ?? 0,
    holdMs: hold ? msUntil(hold.untilUs, nowUs) : 0,
    fenceMs: fence ? msUntil(fence.untilUs, nowUs) : 0,
    entries: entries.map(({ entry, ownUs }) => ({
      ownMs: msUntil(ownUs, nowUs),
      keptMs: msUntil(entry === 'live' ? queueUntilUs : ownUs, nowUs),
    })),
  }
}

export function entryOf(
  { queue, tombstones }: WaitingState,
  name: string,
  nowUs: number,
): { entry: Entry; ownUs: number } {
  const aliveUntilUs = queue.get(name)?.aliveUntilUs
  if (aliveUntilUs !== undefined && aliveUntilUs > nowUs) return { entry: 'live', ownUs: aliveUntilUs }
  const refusedUntilUs = tombstones.get(name) ?? 0
  if (refusedUntilUs > nowUs) return { entry: 'tombstone', ownUs: refusedUntilUs }
  return { entry: aliveUntilUs === undefined ? '-' : 'stale', ownUs: nowUs }
}
