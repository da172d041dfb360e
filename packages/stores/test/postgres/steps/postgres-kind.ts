import {
  lastToken,
  leavesTheSame,
  times,
  withoutFence,
  type Contents,
  type Problem,
  type Way,
} from '@holdfast/model'
import type { ObjectKind } from './functions.js'
import type { Listening } from './inboxes.js'

/** Rows that still have what has expired; clients that have never listened, instead of having lost their connection. */
export type Leftover = 'unsettled' | 'no keys'

/** Rows as JSON, per table. */
export type Rows = Readonly<Record<string, readonly object[]>>

/** What rows are written for. */
export interface Restoring {
  readonly name: string
  readonly nowUs: number
  /** Owners of which something that has expired is still there; none when everything is settled. */
  readonly unsettled: readonly string[]
  readonly listening: (owner: string) => Listening
}

/** How a kind of object is kept in tables. */
export interface PostgresKind {
  readonly kind: ObjectKind
  readonly name: string
  readonly ways: readonly Way<Leftover>[]
  rowsOf(contents: Contents, restoring: Restoring): Rows
  /** @param rows - of one object */
  read(rows: unknown, nowUs: number, listening: (owner: string) => Listening): Omit<Contents, 'unsubscribed'>
}

/** All that is alive ends soon, and the queue with it. */
const endingSoon = (contents: Contents): Contents => ({
  ...contents,
  queueMs: times.slackMs,
  queue: contents.queue.map((entry) => ({ ...entry, leftMs: Math.min(entry.leftMs, times.slackMs) })),
})

/** Ways that all kinds have in common. */
export const commonWays: readonly Way<Leftover>[] = [
  { leftover: 'no keys', promise: 'handOff' },
  {
    step: (step) => ('tokenFloor' in step ? { ...step, tokenFloor: lastToken + 1_000 } : step),
    suits: ({ step }) => !['refresh', 'renew', 'sweep'].includes(step),
    promise: 'token',
  },
  {
    from: endingSoon,
    suits: ({ step, owner, store }) =>
      (step === 'request' || step === 'refresh') &&
      store.queue.length === 1 &&
      store.entries[owner] === 'live',
    promise: 'ttl',
  },
  {
    // A renewal asks for more than the hold has left.
    step: (step) => (step.kind === 'renew' ? { ...step, leaseMs: 2 * times.restoredLeaseMs } : step),
    suits: ({ step }) => step === 'renew',
    promise: 'ttl',
  },
  {
    // The last token is no longer remembered, although its hold or its queue is still there.
    leftover: 'unsettled',
    from: (contents) => ({ ...contents, token: 0, fenceMs: 0 }),
    suits: ({ step, store }) =>
      step === 'sweep' && (store.queue.length > 0 || store.counts.some((count) => count > 0)),
    allows: (_job, expected, outcome) => leavesTheSame(withoutFence(expected), withoutFence(outcome)),
    promise: 'expiry',
  },
]

/** While no waiter is counted, a step does not even look for one. */
export const counterProblem = (waiting: number, places: number): Problem[] =>
  waiting === places
    ? []
    : [{ promise: 'counter', detail: `the row counts ${waiting} waiters, and ${places} are queued` }]
