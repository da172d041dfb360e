import type { StateKind } from './state-kind.js'
import {
  dropTombstones,
  isWaitingEmpty,
  nobodyWaits,
  settleWaiting,
  type Waiting,
  type WaitingState,
} from './waiting-state.js'

/** One owner's permits. */
export interface SharedHold {
  permits: number
  readonly token: number
  untilUs: number
}

/** An owner that waits for permits. */
export interface SharedWaiting extends Waiting {
  readonly want: number
  /** How many permits there are in all, as far as its client knows. */
  readonly size: number
}

/** What the store keeps of a read/write lock or semaphore. Instants are microseconds of the store's clock. */
export interface SharedState extends WaitingState<SharedWaiting> {
  /** By owner. */
  readonly holds: Map<string, SharedHold>
  /** What the object was resized to. It beats the sizes that clients know. */
  resized: { readonly size: number; readonly version: number; readonly id: string; untilUs: number } | null
}

export const freeShared = (): SharedState => ({ holds: new Map(), resized: null, ...nobodyWaits() })

/** Ends what is due. Precedes every step. */
export function settleShared(state: SharedState, nowUs: number): void {
  for (const [owner, { untilUs }] of state.holds) if (untilUs <= nowUs) state.holds.delete(owner)
  if (state.resized && state.resized.untilUs <= nowUs) state.resized = null
  settleWaiting(state, nowUs)
}

/** Whether nothing would be lost by forgetting this object. */
export const isSharedEmpty = (state: SharedState): boolean =>
  state.holds.size === 0 && state.resized === null && isWaitingEmpty(state)

export const sharedKind: StateKind<SharedState> = {
  make: freeShared,
  settle: settleShared,
  sweep: dropTombstones,
  isEmpty: isSharedEmpty,
}

/** How many permits are held. */
export function usedOf({ holds }: SharedState): number {
  let used = 0
  for (const { permits } of holds.values()) used += permits
  return used
}

/** Holds by the time at which they end. */
export const byEnd = ({ holds }: SharedState): [owner: string, hold: SharedHold][] =>
  [...holds].sort(([a, { untilUs: x }], [b, { untilUs: y }]) => x - y || (a < b ? -1 : 1))
