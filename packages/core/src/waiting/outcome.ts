import type { ObjectKind, Target } from '../ownership/target.js'

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
  /** The owner that waited; `undefined` for a call that had not requested the object yet. */
  readonly owner: string | undefined
  /** The holder as far as known; '' when the lock was free but set aside, `undefined` when not known. */
  readonly holder: string | undefined
  /** The position in the queue; 0 when not queued. */
  readonly position: number
  /** How old holder and position were then, milliseconds; `undefined` if that is not known. */
  readonly stateAgeMs?: number | undefined
  /** For how long at least the holder had held it then, milliseconds; `undefined` if that is not known. */
  readonly heldMs?: number | undefined
  readonly waitedMs: number
  /** Of a latch: whether no count was set, `stateAgeMs` ago. */
  readonly isUnset?: boolean
  /** Whether the call was still behind others of its scope. */
  readonly isBehindScope?: boolean
  /** Whether the holder is a hold around the caller, which this call must not re-enter. */
  readonly isBehindItself?: boolean
  /** Where another callback in the caller's own hold was called, which was in the way; `''` if that is not known. */
  readonly sibling?: string
}

/** The time was over before the store had replied, or before the object was requested at all. Says nothing of the store. */
export const notReplied = (
  { kind, address: { name } }: Pick<Target, 'kind' | 'address'>,
  owner: string | undefined,
  waitedMs: number,
): NotAcquired => ({
  kind: 'not-acquired',
  name,
  objectKind: kind,
  owner,
  holder: undefined,
  position: 0,
  waitedMs,
})
