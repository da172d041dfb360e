import { ownerName } from './job.js'
import type { Bounds } from './state.js'

/** The object that is explored. */
export interface Shape {
  readonly isLock: boolean
  /** How many permits there are, as the clients know it; 1 of a lock. */
  readonly size: number
  /** Per owner, the permits that it requests; 1 of a lock. */
  readonly wants: readonly number[]
  /** Which of the owners is a ticket. */
  readonly ticket: number | null
}

export const shapeOf = ({ owners, takers = 0, shared }: Bounds): Shape => ({
  isLock: shared === undefined,
  size: shared?.size ?? 1,
  wants: shared?.wants ?? Array<number>(owners).fill(1),
  ticket: takers > 0 ? owners - 1 : null,
})

/** The owners of a model, by name. */
export const ownersOf = ({ owners }: Bounds): string[] =>
  Array.from({ length: owners }, (_, i) => ownerName(i))
