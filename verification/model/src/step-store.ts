import type { Contents } from './contents.js'
import type { Notice, Reply, Step } from './step.js'

/** What a step replied, and whom it notified. */
export interface Ran<R = Reply, N = Notice> {
  readonly reply: R
  readonly notices: readonly N[]
}

/**
 * One object in a store, driven step by step. Calls may be made without awaiting the ones before: they take effect in
 * order.
 */
export interface StepStore<S = Step, C = Contents, R = Ran> {
  run(step: S): Promise<R>
  /** All there is. Changes nothing. */
  read(): Promise<C>
  /** Puts that in the place of what there is. */
  restore(contents: C): Promise<void>
  close(): Promise<void>
}
