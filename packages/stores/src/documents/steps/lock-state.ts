import type { StateKind } from './state-kind.js'
import {
  dropTombstones,
  isWaitingEmpty,
  msUntil,
  nobodyWaits,
  settleWaiting,
  type WaitingState,
} from './waiting-state.js'

/** One owner's possession of the lock. */
export interface Hold {
  readonly owner: string
  count: number
  untilUs: number
}

/** What the store keeps of one lock. Instants are microseconds of the store's clock. */
export interface LockState extends WaitingState {
  hold: Hold | null
}

export const freeLock = (): LockState => ({ hold: null, ...nobodyWaits() })

/** Ends what is due. Precedes every step. */
export function settle(state: LockState, nowUs: number): void {
  if (state.hold && state.hold.untilUs <= nowUs) state.hold = null
  settleWaiting(state, nowUs)
}

/** Whether nothing would be lost by forgetting this lock. */
export const isEmpty = (state: LockState): boolean => state.hold === null && isWaitingEmpty(state)

export const lockKind: StateKind<LockState> = { make: freeLock, settle, sweep: dropTombstones, isEmpty }

/** For how long the lock is held; -2 when it is free. */
export const ttlMsOf = ({ hold }: LockState, nowUs: number): number =>
  hold ? msUntil(hold.untilUs, nowUs) : -2
