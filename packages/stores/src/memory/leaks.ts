import { isKept } from '@holdfast/core/engine'
import type { ObjectType } from '@holdfast/core/engine'
import { objectOf } from '../documents/index.js'
import type { LockState, SharedState, WaitingState } from '../documents/steps/index.js'
import type { StateTable } from './state-table.js'

/** Something that a test left behind in the store. */
export type Leak =
  /** `count`: how often a lock was entered, or how many permits of another object are held. */
  | (LeftIn & { readonly kind: 'hold'; readonly owner: string; readonly count: number })
  | (LeftIn & { readonly kind: 'queue entry'; readonly owner: string })
  /** The owner was abandoned, and its late requests are refused for as long as this stays. */
  | (LeftIn & { readonly kind: 'tombstone'; readonly owner: string })
  /** A client that was not closed. */
  | { readonly kind: 'session'; readonly clientId: string; readonly label: string }

/** In what it was left. */
export interface LeftIn {
  /** The name of the lock or other object. */
  readonly lock: string
  /** Left out for a lock. */
  readonly object?: Exclude<ObjectType, 'lock'>
}

/** What is left of the objects and is not past its time. */
export function leaksOf(
  locks: StateTable<LockState>,
  shared: StateTable<SharedState>,
  nowUs: number,
): Leak[] {
  const leaks: Leak[] = []
  for (const [id, state] of locks.entries()) {
    const { hold } = state
    leaks.push(...leaksOfHolds(id, hold ? [hold] : [], nowUs), ...leaksOfWaiters(id, state, nowUs))
  }
  for (const [id, state] of shared.entries()) {
    const holds = [...state.holds].map(([owner, { permits, untilUs }]) => ({
      owner,
      count: permits,
      untilUs,
    }))
    leaks.push(...leaksOfHolds(id, holds, nowUs), ...leaksOfWaiters(id, state, nowUs))
  }
  return leaks
}

function leaksOfHolds(
  id: string,
  holds: readonly { readonly owner: string; readonly count: number; readonly untilUs: number }[],
  nowUs: number,
): Leak[] {
  // What is kept on purpose ends by itself.
  const live = holds.filter(({ owner, untilUs }) => untilUs > nowUs && !isKept(owner))
  return live.map(({ owner, count }) => ({ kind: 'hold', ...leftIn(id), owner, count }))
}

function leaksOfWaiters(id: string, { queue, tombstones }: WaitingState, nowUs: number): Leak[] {
  const entries = [...queue].filter(([, { aliveUntilUs }]) => aliveUntilUs > nowUs)
  const abandoned = [...tombstones].filter(([, untilUs]) => untilUs > nowUs)
  return [
    ...entries.map(([owner]): Leak => ({ kind: 'queue entry', ...leftIn(id), owner })),
    ...abandoned.map(([owner]): Leak => ({ kind: 'tombstone', ...leftIn(id), owner })),
  ]
}

function leftIn(id: string): LeftIn {
  const { name, object } = objectOf(id)
  return object === 'lock' ? { lock: name } : { lock: name, object }
}
