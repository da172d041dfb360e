import type { Job, Outcome } from './job.js'
import { at, storeState, type StoreState } from './state.js'

// How outcomes may differ that should be the same.

/** Whether all but the reply is the same. */
export const leavesTheSame = (expected: Outcome, outcome: Outcome): boolean =>
  effectOf({ ...outcome, reply: expected.reply }) === effectOf(expected)

export const effectOf = ({ reply, notices, store }: Outcome): string =>
  [reply, ...notices.map(({ kind, to }) => `${kind} ${to}`), store.key].join(', ')

const frees = ({ step }: Job): boolean => step === 'release' || step === 'abandon' || step === 'force'

/**
 * Nobody has taken the permits of a hold that has ended and is still there: to give them back is as good as a release. One
 * that waits should request as soon as a hold has ended, whether that lets anybody in or not.
 */
export const findsEndedHold = (job: Job, expected: Outcome, outcome: Outcome): boolean =>
  leavesTheSame(expected, outcome) &&
  ((frees(job) && expected.reply === 'not-held' && outcome.reply === 'released') ||
    (job.step === 'refresh' && expected.reply === 'waiting' && outcome.reply === 'due'))

/** One that queues behind all others and does not fit need not look at them; with an entry of its own it does. */
export const looksAtQueue = ({ step, owner, store }: Job, expected: Outcome, outcome: Outcome): boolean =>
  step === 'request' &&
  !store.queue.includes(owner) &&
  expected.reply === 'queued' &&
  outcome.reply === 'queued'

/** What counts of a store: a stale entry may go at any time. */
const withoutStale = ({ counts, queue, entries, hasFence, size }: StoreState): string =>
  JSON.stringify([
    counts,
    queue.filter((owner) => at(entries, owner) !== 'stale'),
    entries.map((entry) => (entry === 'stale' ? '-' : entry)),
    hasFence,
    size,
  ])

/** A step that lets in one that takes all that is left looks no further. The next one does, and drops what is stale there. */
const looksFurther = (first: Outcome, second: Outcome): boolean =>
  withoutStale(first.store) === withoutStale(second.store) &&
  leavesTheSame({ ...first, store: second.store }, second)

export const runsAgain = (job: Job, first: Outcome, second: Outcome): boolean =>
  looksAtQueue(job, first, second) ||
  (looksFurther(first, second) &&
    (first.reply === second.reply ||
      (frees(job) && first.reply === 'released' && second.reply === 'not-held')))

/** Leaves out whether a last token is remembered. */
export const withoutFence = ({ store, ...rest }: Outcome): Outcome => ({
  ...rest,
  store: storeState(store.counts, store.queue, store.entries, false, store.size),
})
