import type { JointReply, JointRequest } from '@holdfast/core/engine'
import type { Ran } from '../step-store.js'
import type { Reply, Step, StepOf } from '../step.js'

export const lockNames = ['x', 'y', 'z'] as const
export type LockName = (typeof lockNames)[number]

/** A step on several locks, or on one of them. */
export type LocksStep =
  | {
      readonly kind: 'acquire many'
      readonly mode: JointRequest['mode']
      readonly leaseMs: number
      readonly locks: readonly { readonly lock: LockName; readonly owner: string }[]
    }
  | { readonly kind: 'one'; readonly lock: LockName; readonly step: Step }
  /** For all of them. */
  | StepOf<'pass'>

export type RanOnLocks = Ran<Reply | JointReply>
