import { lastToken, type Job, type Outcome } from '../../../core/test/model/job.js'
import type { After, StepReply } from '../../../core/test/model/judge.js'
import type { Promised } from '../../../core/test/model/problem.js'
import { addressOf } from '../../src/address.js'
import type { Step } from '../../src/step.js'

/** Rows as JSON, per table of the schema. */
export type Rows = Readonly<Record<string, readonly object[]>>

/** How a job is run, where the outcome must not depend on it. */
export interface Way {
  /** Rows still have what has expired. */
  readonly isUnsettled?: boolean
  /** The queue entry of the step's owner is about to end, and the queue with it. */
  readonly endsSoon?: boolean
  /** The last token is no longer remembered, although its hold or its queue is still there. */
  readonly isTokenForgotten?: boolean
  /** Clients that are not subscribed have never been, instead of having lost their connection. */
  readonly hasNoKeys?: boolean
  /** The largest token that the client has seen. */
  readonly tokenFloor?: number
  /** A renewal asks for more than the hold has left. */
  readonly renewsForLonger?: boolean
  readonly isRepeated?: boolean
}

/** A way that is compared with the plain one. */
export interface OtherWay extends Way {
  /** The promise that is broken where the outcome differs. */
  readonly promise: Promised
  readonly allows?: (expected: Outcome, outcome: Outcome) => boolean
}

/**
 * How one kind of object is kept in tables, and which functions its steps call. The lock is one; a read/write lock or a
 * semaphore is another.
 */
export interface TableStore<A extends After> {
  readonly tables: readonly string[]
  otherWaysOf(job: Job): readonly OtherWay[]
  /** The rows in which the job starts. */
  rowsOf(job: Job, way: Way): Rows
  callOf(job: Job, way: Way): Step<StepReply>
  /** What the rows mean that the step left, those of its notifications (`sent`) included. */
  readBack(job: Job, way: Way, reply: StepReply, rows: Rows): A
  judge(job: Job, after: A): Outcome
}

/** The name of the object. */
export const objectName = 'model'
/** That of a read/write lock or semaphore, as the tables have it. */
export const sharedName = addressOf(objectName, 'semaphore').id

/** The instant at which each step runs, on the clock of the model. The last token is ahead of it, as after a clock went back. */
export const nowUs = lastToken - 3_600_000_000
