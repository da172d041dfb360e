import type { Figure } from '../figure.js'
import type { Facts } from './facts.js'

/** The results of a run. It contains no dates: the same figures yield the same files. */
export interface Report {
  readonly facts: Facts
  readonly figures: readonly Figure[]
}
