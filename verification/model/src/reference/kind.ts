import type { StepContext } from '@holdfast/stores/documents/steps'
import type { Contents } from '../contents.js'
import type { Way } from '../explore/way.js'
import type { Reply, Step } from '../step.js'

/** What the reference still has that no step has settled: all that has expired. */
export type Leftover = 'unsettled'

/** Steps that change the object, or look at it. */
export type ObjectStep = Exclude<Step, { kind: 'sweep' | 'subscribe' | 'unsubscribe' | 'pass' | 'evict' }>

/** Owners whose expired holds, queue entries and tombstones are still there; none when everything is settled. */
export interface Unsettled {
  readonly owners: readonly string[]
  readonly overUs: number
}

/** How a kind of object is kept in memory. */
export interface Kind<State> {
  readonly ways: readonly Way<Leftover>[]
  make(): State
  settle(state: State, nowUs: number): void
  step(state: State, step: ObjectStep, context: StepContext): Reply
  evict(state: State): void
  read(state: State, nowUs: number): Omit<Contents, 'unsubscribed'>
  restore(contents: Contents, nowUs: number, unsettled: Unsettled): State
}
