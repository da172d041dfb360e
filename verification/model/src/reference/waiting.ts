import { msUntil, type Waiting, type WaitingState } from '@holdfast/stores/documents/steps'
import { byOwner, type Contents, type EntryContents } from '../contents.js'
import { formerProofOf, proofOf } from '../step.js'
import type { Unsettled } from './kind.js'

type WaitingContents = Pick<Contents, 'queue' | 'queueMs' | 'tombstones' | 'token' | 'fenceMs' | 'problems'>

/** What there is of those that wait. */
export function readWaiting<Entry extends Waiting>(
  { queue, queueUntilUs, tombstones, fence }: WaitingState<Entry>,
  nowUs: number,
  wanted: (entry: Entry) => Pick<EntryContents, 'want' | 'size'>,
): WaitingContents {
  const live = [...tombstones].map(([owner, untilUs]) => ({ owner, leftMs: msUntil(untilUs, nowUs) }))
  return {
    queue: [...queue].map(([owner, entry]) => ({
      owner,
      ...wanted(entry),
      grantLeaseMs: entry.grantLeaseMs,
      leftMs: msUntil(entry.aliveUntilUs, nowUs),
      saysWhere: true,
      hasProof: entry.proof === proofOf(owner),
    })),
    queueMs: queue.size > 0 ? msUntil(queueUntilUs, nowUs) : 0,
    tombstones: byOwner(live.filter(({ leftMs }) => leftMs > 0)),
    token: fence?.token ?? 0,
    fenceMs: fence ? msUntil(fence.untilUs, nowUs) : 0,
    problems: [],
  }
}

const expired: Omit<EntryContents, 'owner'> = {
  want: 1,
  size: 1,
  grantLeaseMs: 1,
  leftMs: 0,
  saysWhere: true,
  hasProof: true,
}

/** Puts that into the state of an object for which nobody waits. */
export function restoreWaiting<Entry extends Waiting>(
  state: WaitingState<Entry>,
  { queue, queueMs, tombstones, token, fenceMs }: WaitingContents,
  nowUs: number,
  { owners, overUs }: Unsettled,
  entryOf: (entry: EntryContents, waiting: Waiting) => Entry,
): void {
  const untilUs = (ms: number): number => nowUs + ms * 1_000
  const add = (entry: EntryContents, aliveUntilUs: number): void => {
    const { owner, grantLeaseMs, hasProof } = entry
    const proof = hasProof ? proofOf(owner) : formerProofOf(owner)
    state.queue.set(owner, entryOf(entry, { aliveUntilUs, grantLeaseMs, proof }))
  }
  for (const entry of queue) add(entry, untilUs(entry.leftMs))
  state.queueUntilUs = queue.length > 0 ? untilUs(queueMs) : overUs
  if (queue.length === 0) {
    for (const owner of owners) add({ owner, ...expired }, overUs)
  }
  for (const owner of owners) state.tombstones.set(owner, overUs)
  for (const { owner, leftMs } of tombstones) state.tombstones.set(owner, untilUs(leftMs))
  if (token > 0) state.fence = { token, untilUs: untilUs(fenceMs) }
}
