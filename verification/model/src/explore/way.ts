import type { Contents } from '../contents.js'
import type { Step } from '../step.js'
import type { StepStore } from '../step-store.js'
import type { Job, Outcome } from './job.js'
import type { Promised } from './problem.js'
import type { Shape } from './shape.js'

/** Another way to run a job, whose outcome must be the same. */
export interface Way<Leftover extends string> {
  /** The promise that is broken where the outcome differs. */
  readonly promise: Promised
  /** Jobs that can be run in this way; all, if left out. */
  readonly suits?: (job: Job) => boolean
  /** The same contents but for what must not matter. */
  readonly from?: (contents: Contents, job: Job, shape: Shape) => Contents
  /** What the store still has of the past besides its contents. */
  readonly leftover?: Leftover
  readonly step?: (step: Step) => Step
  readonly isRepeated?: boolean
  /** Whether the outcome may differ in this way. */
  readonly allows?: (job: Job, expected: Outcome, outcome: Outcome) => boolean
}

/** A store that can be explored. */
export interface ExploredStore<Leftover extends string> extends StepStore {
  readonly ways: readonly Way<Leftover>[]
  /** @param leftover - of the owners of the model: what they left, and what has expired */
  restore(contents: Contents, leftover?: Leftover): Promise<void>
}
