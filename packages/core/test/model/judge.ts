import { readNotice } from '../../src/redis/notices.js'
import { ownerNumber, replyOf, times, type Job, type Outcome } from './job.js'
import type { Problem, Promised } from './problem.js'
import { lastToken } from './restore.js'
import { at, nameOf, type Notice, type StoreState } from './state.js'

/** What was read back after a script ran. */
export interface After {
  readonly store: StoreState
  readonly reply: unknown
  /** Per owner how long its queue entry or tombstone lives, -1 for none that lives. */
  readonly aliveMs: readonly number[]
  readonly token: number
  readonly ttlMs: Readonly<Record<'lock' | 'queue' | 'waiters' | 'fence', number>>
}

/** Checks what one step did, as far as the store, the reply and the notifications show it. */
export function judge(job: Job, after: After, published: readonly string[]): Outcome {
  const sent = published.map((text) => readNotice(text))
  const notices = sent.flatMap((notice): { to: number; notice: Notice }[] =>
    // Native scripts offer no turns.
    notice && notice.kind !== 'free' ? [{ to: ownerNumber(notice.owner), notice: notice.kind }] : [],
  )
  const notified = sent.flatMap((notice) => (notice?.kind === 'granted' ? [notice.token] : []))
  const problems = [
    ...tokenProblems(job, after, notified),
    ...entryProblems(job, after),
    ...handOffProblems(job, after),
    ...ttlProblems(job, after),
  ]
  return { store: after.store, reply: replyOf(job, after.reply), notices, problems }
}

const problem = (promise: Promised, detail: string): Problem => ({ promise, detail })

const holders = ({ counts }: StoreState): number[] =>
  counts.flatMap((count, owner) => (count > 0 ? [owner] : []))

/** Owners that hold now and did not before. */
export const newHolders = (before: StoreState, after: StoreState): number[] =>
  holders(after).filter((owner) => at(before.counts, owner) === 0)

export const isServable = (store: StoreState, subscribed: readonly boolean[], owner: number): boolean =>
  store.queue.includes(owner) && store.entries[owner] === 'live' && (subscribed[owner] ?? false)

function tokenProblems(job: Job, { store, reply, token }: After, notified: readonly number[]): Problem[] {
  const list: readonly unknown[] = Array.isArray(reply) ? reply : []
  const isRequest = job.step === 'request' || job.step === 'try' || job.step === 'enter'
  const answered = isRequest && list[0] === 1 ? [Number(list[1])] : []
  const isGranted = newHolders(job.store, store).length > 0
  const before = job.store.hasFence ? lastToken : 0
  const found: Problem[] = []
  if (isGranted ? token <= before : token !== before) {
    found.push(problem('token', `the last token was ${before}, now it is ${token}`))
  }
  for (const given of [...notified, ...answered]) {
    if (given !== token) found.push(problem('token', `${given} was given while the last token is ${token}`))
  }
  return found
}

function entryProblems({ store: before }: Job, { store }: After): Problem[] {
  const found: Problem[] = []
  const holding = holders(store)
  if (holding.length > 1) found.push(problem('exclusion', `the store has ${holding.length} holders`))
  for (const owner of holding) {
    if (!store.queue.includes(owner) && store.entries[owner] !== 'live') continue
    if (before.queue.includes(owner) && at(before.counts, owner) > 0) continue
    found.push(problem('leftover', `${nameOf(owner)} holds and still has a queue entry`))
  }
  return found
}

function handOffProblems(
  { store: before, step, owner, subscribed }: Job,
  { store, reply }: After,
): Problem[] {
  const found: Problem[] = []
  for (const next of newHolders(before, store)) {
    if (next === owner && step !== 'force') continue
    if (!isServable(before, subscribed, next))
      found.push(
        problem('handOff', `${nameOf(next)} was granted the lock without a live, subscribed queue entry`),
      )
  }
  const code: unknown = Array.isArray(reply) ? reply[0] : reply
  const frees = step === 'release' || step === 'abandon' || (step === 'force' && code === 1)
  const waiting = store.queue.filter((each) => isServable(store, subscribed, each))
  if (frees && holders(store).length === 0 && waiting.length > 0) {
    found.push(problem('handOff', `the lock is free, still waiting: ${waiting.map(nameOf).join(', ')}`))
  }
  return found
}

function ttlProblems({ store: before }: Job, { store, aliveMs, ttlMs }: After): Problem[] {
  const found: Problem[] = []
  const requireMs = (key: keyof typeof ttlMs, ms: number): void => {
    const isShort = ttlMs[key] + times.slackMs / 2 < ms
    if (isShort) found.push(problem('ttl', `${key}: ${ttlMs[key]} ms instead of ${ms} ms`))
  }
  const holding = holders(store)
  const isSameHold = holding.some((owner) => at(before.counts, owner) > 0)
  if (holding.length > 0) requireMs('lock', isSameHold ? times.restoredLeaseMs : times.leaseMs)
  const entriesMs = store.queue.map((owner) => (store.entries[owner] === 'live' ? at(aliveMs, owner) : 0))
  if (store.queue.length > 0) requireMs('queue', Math.max(times.slackMs, ...entriesMs))
  if (store.entries.some((entry) => entry !== '-')) requireMs('waiters', Math.max(times.slackMs, ...aliveMs))
  if (store.hasFence) requireMs('fence', 2 * times.leaseMs)
  return found
}
