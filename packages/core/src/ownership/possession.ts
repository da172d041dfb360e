import type { Address } from '../engine/requests.js'

/** A hold, as far as ownership needs to know it. */
export interface Possession {
  readonly address: Address
  readonly owner: string
  /** The loss, once there is one. */
  readonly loss: Error | undefined
  /** Whether no code can use it any more: released, or lost and left. */
  readonly isOver: boolean
}

/** One entry into a hold, as far as a scope needs to know it. */
export interface ScopedLease {
  readonly name: string
  readonly owner: string
  readonly isLeft: boolean
  unlock(): Promise<void>
}
