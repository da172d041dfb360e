import type { Figure } from '../figure.js'
import type { Facts } from './facts.js'

/** What a run leaves behind. No dates in it: the same figures make the same files. */
export interface Report {
  readonly facts: Facts
  readonly figures: readonly Figure[]
}
