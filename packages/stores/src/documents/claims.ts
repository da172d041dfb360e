import { clientOf } from '@holdfast/core/engine'
import type { Waiting, WaitingState } from './steps/index.js'

/** What is kept of an object that owners wait for, and which of them got it without having noticed. */
export interface Claimed<State> {
  readonly state: State
  /** Owners that were let in by the step of another, and have not sent a request since. */
  readonly unclaimed: Set<string>
}

/**
 * Has owners that were let in and have not noticed in time take the other entries of their clients with them: such a client is dead,
 * and each of its entries would delay all behind it for as long again.
 *
 * @param holds - whether the owner still holds, after everything that is due has ended
 */
export function dropDead<State extends WaitingState>(
  { state, unclaimed }: Claimed<State>,
  holds: (owner: string) => boolean,
): void {
  for (const owner of unclaimed) {
    if (holds(owner)) continue
    unclaimed.delete(owner)
    const dead = clientOf(owner)
    for (const waiter of state.queue.keys()) if (clientOf(waiter) === dead) state.queue.delete(waiter)
  }
}

/** Forgets those that gave up, or lost by force, what they had not noticed. */
export function dropGone({ unclaimed }: Claimed<unknown>, holds: (owner: string) => boolean): void {
  for (const owner of unclaimed) if (!holds(owner)) unclaimed.delete(owner)
}

/** An entry of a queue, and until when the queue is kept, as they were before a step. */
export interface KeptEntry {
  readonly entry: Waiting | undefined
  readonly queueUntilUs: number
}

export const entryOf = ({ queue, queueUntilUs }: WaitingState, owner: string): KeptEntry => ({
  entry: queue.get(owner),
  queueUntilUs,
})

/**
 * Undoes what a request that changed nothing did for the life of its entry, while half of that is left: who polls need not write each
 * time. Refreshes come more often than that.
 */
export function keepAsItWas(
  state: WaitingState,
  owner: string,
  { entry, queueUntilUs }: KeptEntry,
  { nowUs, entryTtlMs }: { readonly nowUs: number; readonly entryTtlMs: number },
): void {
  const after = state.queue.get(owner)
  if (!entry || !after || entry.aliveUntilUs - nowUs < (entryTtlMs * 1_000) / 2) return
  const { aliveUntilUs } = entry
  if (JSON.stringify(entry) !== JSON.stringify({ ...after, aliveUntilUs })) return
  after.aliveUntilUs = aliveUntilUs
  state.queueUntilUs = queueUntilUs
}
