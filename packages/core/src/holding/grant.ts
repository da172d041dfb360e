import type { Target } from '../ownership/target.js'
import type { FirstProof } from '../time/lease-clock.js'

/** What an acquisition hands over when it got the lock. */
export interface Grant extends FirstProof {
  readonly target: Target
  readonly n: number
  readonly owner: string
  readonly fencingToken: number
  /** A request of this owner may still be on its way. */
  readonly inDoubt: boolean
  /** Whether no connection broke since the store said so; otherwise the store there now may not know the hold. */
  readonly isProven: boolean
}
