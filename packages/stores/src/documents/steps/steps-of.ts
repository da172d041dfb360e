import type {
  AcquireReply,
  AcquireRequest,
  Inspection,
  QueueEntryReply,
  ReleaseReply,
  ReleaseRequest,
  RenewalReply,
  SharedInspection,
} from '@holdfast/core/engine'
import type { StepContext } from './hand-off.js'

/** The steps that objects of each kind have. */
export interface StepsOf<State> {
  acquire(state: State, request: AcquireRequest, context: StepContext): AcquireReply
  release(state: State, request: ReleaseRequest, context: StepContext): ReleaseReply
  force(state: State, owner: string, context: StepContext): ReleaseReply
  renew(state: State, owner: string, leaseMs: number, nowUs: number): RenewalReply
  refresh(state: State, owner: string, entryTtlMs: number, nowUs: number): QueueEntryReply
  inspect(state: State, limit: number, nowUs: number): Inspection | SharedInspection
}

/** A step on an object of any kind. */
export type AnyStep<T> = <State>(steps: StepsOf<State>, state: State, context: StepContext) => T
