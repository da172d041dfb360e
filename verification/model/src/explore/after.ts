import type { Contents } from '../contents.js'
import type { Ran } from '../step-store.js'
import type { Job } from './job.js'
import type { Problem, Promised } from './problem.js'
import type { Shape } from './shape.js'
import { at, type StoreState } from './state.js'

/** What was observed of one step. */
export interface After extends Ran {
  readonly contents: Contents
  /** The contents in the model. */
  readonly store: StoreState
}

export const problem = (promise: Promised, detail: string): Problem => ({ promise, detail })

export const holders = ({ counts }: StoreState): number[] =>
  counts.flatMap((count, owner) => (count > 0 ? [owner] : []))

/** Owners that hold now and did not before. */
export const newHolders = (before: StoreState, after: StoreState): number[] =>
  holders(after).filter((owner) => at(before.counts, owner) === 0)

export const isServable = (store: StoreState, subscribed: readonly boolean[], owner: number): boolean =>
  store.queue.includes(owner) && store.entries[owner] === 'live' && (subscribed[owner] ?? false)

export const isRequest = ({ step }: Job): boolean => step === 'request' || step === 'try'

/** Permits that are held; of a lock one for all that its holder has entered. */
export const usedOf = ({ isLock }: Shape, { counts }: StoreState): number =>
  counts.reduce((sum, count) => sum + (isLock ? Math.min(count, 1) : count), 0)
