import type { ObjectKind } from '../ownership/target.js'

/** A latch was open, or opened during the wait. */
export interface Passed {
  readonly kind: 'passed'
  readonly generation: number
}

/** Other owners kept the object, or the latch stayed closed. */
export interface NotAcquired {
  readonly kind: 'not-acquired'
  readonly name: string
  readonly objectKind: ObjectKind
  /** The owner that waited; `undefined` for a call that was still behind others of its scope. */
  readonly owner: string | undefined
  /** The holder as far as known; '' when the lock was free but set aside, `undefined` when not known. */
  readonly holder: string | undefined
  /** The position in the queue; 0 when not queued. */
  readonly position: number
  /** How old holder and position were then, milliseconds; `undefined` if that is not known. */
  readonly stateAgeMs?: number | undefined
  readonly waitedMs: number
  /** Of a latch: whether no count was set, `stateAgeMs` ago. */
  readonly isUnset?: boolean
  /** Whether the holder is a hold around the caller, which this call must not re-enter. */
  readonly isBehindItself?: boolean
  /** Where another callback in the caller's own hold was called, which was in the way; `''` if that is not known. */
  readonly sibling?: string
}
