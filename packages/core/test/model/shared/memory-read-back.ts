import type { SharedState } from '../../../../memory/src/shared-state.js'
import { msUntil } from '../../../../memory/src/waiting-state.js'
import { ownerName, ownerNumber } from '../job.js'
import { entryOf } from '../memory/read-back.js'
import type { Seen } from '../redis/script-runner.js'
import { storeState } from '../state.js'
import type { SharedAfter } from './judge.js'

/** What there is of the object. It counts no permits and has no keys that could differ from its holds. */
export function readState(state: SharedState, seen: Seen, owners: number, nowUs: number): SharedAfter {
  const { holds, queueUntilUs, fence, resized } = state
  const names = Array.from({ length: owners }, (_, owner) => ownerName(owner))
  const entries = names.map((name) => entryOf(state, name, nowUs))
  return {
    ...seen,
    store: storeState(
      names.map((name) => holds.get(name)?.permits ?? 0),
      [...state.queue.keys()].map(ownerNumber),
      entries.map(({ entry }) => entry),
      fence !== null,
      resized?.size ?? null,
    ),
    token: fence?.token ?? 0,
    tokens: names.map((name) => holds.get(name)?.token ?? 0),
    holdsMs: names.map((name) => msUntil(holds.get(name)?.untilUs ?? nowUs, nowUs)),
    fenceMs: fence ? msUntil(fence.untilUs, nowUs) : 0,
    sizeMs: resized ? msUntil(resized.untilUs, nowUs) : 0,
    entries: entries.map(({ entry, ownUs }) => ({
      ownMs: msUntil(ownUs, nowUs),
      keptMs: msUntil(entry === 'live' ? queueUntilUs : ownUs, nowUs),
    })),
    sumProblems: [],
  }
}
