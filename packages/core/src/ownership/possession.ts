import type { Address, ObjectKind, Target } from '../engine/requests.js'
import type { LockLostError } from '../errors/errors.js'
import type { Request } from '../options/options.js'
import type { Turns } from './turns.js'

/**
 * One owner's possession of one object: a hold, or several that count as one. What leases, frames and scopes know of it.
 */
export interface Possession<L> {
  readonly address: Address
  readonly kind: ObjectKind
  readonly owner: string
  /** How many leases are open. */
  readonly count: number
  /** 0 while it has none. */
  readonly fencingToken: number
  /** The loss, once there is one. */
  readonly loss: LockLostError | undefined
  /** Whether no code can use it any more: released, or lost and left. */
  readonly isOver: boolean
  /** The callbacks that run in it, once there was one. */
  bodies: Turns | undefined
  /** Whether this process may claim the object at this very moment. */
  readonly isHeld: boolean
  remainingMs(): number
  /** How many leases of this kind are open. */
  countOf(kind: ObjectKind): number
  /** Enters once more; `null` when it was released before this call's turn came. */
  enter(target: Target, request: Request, wantsToken: boolean): Promise<L | null>
  leave(lease: L): Promise<void>
  extend(leaseMs: number): Promise<void>
}

/** A possession, as far as frames and scopes need to know it. */
export type AnyPossession = Pick<Possession<never>, 'address' | 'isOver' | 'loss' | 'bodies'>

/** One entry into a hold, as far as a scope needs to know it. */
export interface ScopedLease {
  readonly name: string
  readonly kind: ObjectKind
  readonly owner: string
  readonly isLeft: boolean
  /** Which multi lock it belongs to, if any: only that one undoes it. */
  readonly multiLock?: string
  unlock(): Promise<void>
}
