import { lastToken, times, type Job, type Outcome, type SentNotice } from './job.js'
import type { Problem, Promised } from './problem.js'
import { at, nameOf, type Reply, type StoreState } from './state.js'

/** What a step replied. */
export type StepReply =
  | { readonly kind: 'held'; readonly token: number }
  /** `ttlMs`: when the owner may fit without being notified. */
  | { readonly kind: Exclude<Reply, 'held'>; readonly ttlMs?: number }

/** What was observed of one step, in terms that fit every store. Times are milliseconds from the step on. */
export interface After {
  readonly store: StoreState
  readonly reply: StepReply
  readonly notices: readonly SentNotice[]
  /** The last token, 0 for none. */
  readonly token: number
  readonly fenceMs: number
  /** Per owner, of a live queue entry or tombstone: when its own time ends, and when the store drops what contains it. */
  readonly entries: readonly { readonly ownMs: number; readonly keptMs: number }[]
}

export interface LockAfter extends After {
  readonly holdMs: number
}

/** Checks what one step on a lock did, as far as the store, the reply and the notifications show it. */
export function judge(job: Job, after: LockAfter): Outcome {
  const problems = [
    ...tokenProblems(job, after),
    ...exclusionProblems(after),
    ...entryProblems(job, after),
    ...waiterProblems(job, after),
    ...handOffProblems(job, after),
    ...ttlProblems(job, after),
  ]
  return { store: after.store, reply: after.reply.kind, notices: after.notices, problems }
}

export const problem = (promise: Promised, detail: string): Problem => ({ promise, detail })

export const holders = ({ counts }: StoreState): number[] =>
  counts.flatMap((count, owner) => (count > 0 ? [owner] : []))

/** Owners that hold now and did not before. */
export const newHolders = (before: StoreState, after: StoreState): number[] =>
  holders(after).filter((owner) => at(before.counts, owner) === 0)

export const isServable = (store: StoreState, subscribed: readonly boolean[], owner: number): boolean =>
  store.queue.includes(owner) && store.entries[owner] === 'live' && (subscribed[owner] ?? false)

function tokenProblems(job: Job, { store, reply, notices, token }: After): Problem[] {
  // A re-entry is not told its token.
  const replied = reply.kind === 'held' && job.step !== 'enter' ? [reply.token] : []
  const notified = notices.flatMap((notice) => (notice.kind === 'granted' ? [notice.token] : []))
  const isGranted = newHolders(job.store, store).length > 0
  const before = job.store.hasFence ? lastToken : 0
  const found: Problem[] = []
  // A grant that nobody receives is undone, and its token stays unused.
  const mayBeUnused = job.store.queue.some((each) => !(job.subscribed[each] ?? false))
  if (isGranted ? token <= before : mayBeUnused ? token < before : token !== before) {
    found.push(problem('token', `the last token was ${before}, now it is ${token}`))
  }
  for (const given of [...notified, ...replied]) {
    if (given !== token) found.push(problem('token', `${given} was given while the last token is ${token}`))
  }
  return found
}

function exclusionProblems({ store }: After): Problem[] {
  const { length } = holders(store)
  return length > 1 ? [problem('exclusion', `the store has ${length} holders`)] : []
}

export function entryProblems({ store: before }: Job, { store }: After): Problem[] {
  const found: Problem[] = []
  for (const owner of holders(store)) {
    if (!store.queue.includes(owner) && store.entries[owner] !== 'live') continue
    if (before.queue.includes(owner) && at(before.counts, owner) > 0) continue
    found.push(problem('leftover', `${nameOf(owner)} holds and still has a queue entry`))
  }
  store.entries.forEach((entry, owner) => {
    const positions = store.queue.filter((each) => each === owner).length
    if (positions !== (entry === 'live' || entry === 'stale' ? 1 : 0)) {
      const detail = `${nameOf(owner)} has ${positions} positions in the queue, and its entry is ${entry}`
      found.push(problem('order', detail))
    }
  })
  return found
}

/** A waiter stays in the queue until it gets in, gives up or goes stale; then only its next request queues it again. */
function waiterProblems({ store: before, owner, step }: Job, { store, reply }: After): Problem[] {
  const found: Problem[] = []
  before.entries.forEach((entry, waiter) => {
    const hasEntered = at(store.counts, waiter) > 0
    if (entry === 'live' && waiter !== owner && !hasEntered && store.entries[waiter] !== 'live')
      found.push(problem('order', `${nameOf(waiter)} lost its queue entry by a step of ${nameOf(owner)}`))
  })
  if (step === 'refresh' && before.entries[owner] === 'stale' && reply.kind === 'waiting')
    found.push(problem('expiry', `the stale queue entry of ${nameOf(owner)} was refreshed`))
  return found
}

function handOffProblems(
  { store: before, step, owner, subscribed }: Job,
  { store, reply }: After,
): Problem[] {
  const found: Problem[] = []
  for (const next of newHolders(before, store)) {
    if (next === owner && step !== 'force') continue
    if (!isServable(before, subscribed, next)) {
      const detail = `${nameOf(next)} was granted the lock without a live, subscribed queue entry`
      found.push(problem('handOff', detail))
    }
  }
  const frees = step === 'release' || step === 'abandon' || (step === 'force' && reply.kind === 'released')
  const waiting = store.queue.filter((each) => isServable(store, subscribed, each))
  if (frees && holders(store).length === 0 && waiting.length > 0) {
    found.push(problem('handOff', `the lock is free, still waiting: ${waiting.map(nameOf).join(', ')}`))
  }
  return found
}

export const shortOf = (what: string, livesMs: number, leastMs: number): Problem[] =>
  livesMs + times.slackMs / 2 < leastMs
    ? [problem('ttl', `${what} has ${livesMs} ms left instead of ${leastMs} ms`)]
    : []

function ttlProblems({ store: before }: Job, after: LockAfter): Problem[] {
  const { store, holdMs, fenceMs } = after
  const found: Problem[] = []
  const holding = holders(store)
  const isSameHold = holding.some((owner) => at(before.counts, owner) > 0)
  if (holding.length > 0) {
    found.push(...shortOf('the hold', holdMs, isSameHold ? times.restoredLeaseMs : times.leaseMs))
  }
  if (store.hasFence) found.push(...shortOf('the last token', fenceMs, 2 * times.leaseMs))
  return [...found, ...waitingTtlProblems(after)]
}

/** Of queue entries and tombstones. */
export function waitingTtlProblems({ store, entries }: After): Problem[] {
  return store.entries.flatMap((entry, owner) => {
    if (entry !== 'live' && entry !== 'tombstone') return []
    const { ownMs, keptMs } = at(entries, owner)
    const what = `the ${entry === 'live' ? 'queue entry' : 'tombstone'} of ${nameOf(owner)}`
    const leastMs = entry === 'live' ? times.entryTtlMs(owner) : times.tombstoneMs
    return [...shortOf(what, ownMs, leastMs), ...shortOf(what, keptMs, ownMs)]
  })
}
