import type { Problem } from './problem.js'
import type { State } from './state.js'

/**
 * `progress`: what happens by itself in the end. `choice`: what a caller may do or not do. `fault`: what the bounds
 * limit.
 */
export type MoveKind = 'progress' | 'choice' | 'fault'

export interface Move {
  readonly kind: MoveKind
  readonly label: string
  readonly next: State
  readonly problems: readonly Problem[]
}
