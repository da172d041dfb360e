import { lastToken, times, type Job, type Outcome } from '../job.js'
import {
  entryProblems,
  holders,
  isServable,
  newHolders,
  problem,
  shortOf,
  waitingTtlProblems,
  type After,
} from '../judge.js'
import type { Problem } from '../problem.js'
import { at, nameOf, roomOf, type Shared, type StoreState } from '../state.js'

/** What was observed of one step on an object that several owners hold. */
export interface SharedAfter extends After {
  /** Per owner, of its hold; 0 for none. */
  readonly tokens: readonly number[]
  readonly holdsMs: readonly number[]
  /** Of the size that the object was resized to. */
  readonly sizeMs: number
  /** What is wrong with the counter of permits, the ends of the holds and the keys. */
  readonly sumProblems: readonly string[]
}

/** The token of a hold that was there before the step: each has another. */
export const tokenOfHold = (owner: number): number => lastToken - 10 + owner

/** A requester that waits looks again after this time at the latest. */
const idleMs = 60_000

/** Checks what one step on a read/write lock or semaphore did. */
export function judgeShared(shared: Shared, job: Job, after: SharedAfter): Outcome {
  const problems = [
    ...tokenProblems(job, after),
    ...permitProblems(shared, job, after),
    ...refusalProblems(shared, job, after),
    ...entryProblems(job, after),
    ...positionProblems(job, after),
    ...after.sumProblems.map((detail) => problem('sum', detail)),
    ...handOffProblems(shared, job, after),
    ...ttlProblems(job, after),
    ...outlookProblems(shared, job, after),
  ]
  return { store: after.store, reply: after.reply.kind, notices: after.notices, problems }
}

const usedOf = ({ counts }: StoreState): number => counts.reduce((sum, permits) => sum + permits, 0)

const isRequest = ({ step }: Job): boolean => step === 'request' || step === 'try'

/** All that enter in a step share its token, the others keep theirs. */
function tokenProblems({ store: before, owner }: Job, after: SharedAfter): Problem[] {
  const { store, reply, notices, token, tokens } = after
  const entered = newHolders(before, store)
  const last = before.hasFence ? lastToken : 0
  const found: Problem[] = []
  if (entered.length > 0 ? token <= last : token !== last) {
    found.push(problem('token', `the last token was ${last}, now it is ${token}`))
  }
  for (const each of holders(store)) {
    const expected = entered.includes(each) ? token : tokenOfHold(each)
    const given = at(tokens, each)
    if (given === expected) continue
    found.push(problem('token', `${nameOf(each)} has the token ${given} instead of ${expected}`))
  }
  const notified = notices.flatMap((notice) => (notice.kind === 'granted' ? [notice] : []))
  const replied = reply.kind === 'held' ? [{ to: owner, token: reply.token }] : []
  for (const { to, token: given } of [...notified, ...replied]) {
    if (given === tokens[to]) continue
    found.push(problem('token', `${nameOf(to)} was given ${given} and has ${tokens[to]}`))
  }
  return found
}

/** Nobody enters above the size, with other permits than it wants, or changes the hold of another. */
function permitProblems(
  { size, wants }: Shared,
  { store: before, owner, step }: Job,
  { store }: SharedAfter,
): Problem[] {
  const found: Problem[] = []
  const entered = newHolders(before, store)
  const [used, room] = [usedOf(store), roomOf(store, size)]
  if (entered.length > 0 && used > room) {
    found.push(problem('exclusion', `${entered.map(nameOf).join(', ')} entered, ${used} of ${room} are held`))
  }
  store.counts.forEach((permits, each) => {
    const had = at(before.counts, each)
    const wanted = had === 0 ? at(wants, each) : expectedPermits(step, each === owner, had)
    if ((permits === 0 && (had === 0 || wanted === 0)) || permits === wanted) return
    found.push(problem('count', `${nameOf(each)} had ${had}, and has ${permits} instead of ${wanted}`))
  })
  return found
}

function expectedPermits(step: Job['step'], isOwn: boolean, had: number): number {
  if (!isOwn) return had
  if (step === 'release' || step === 'abandon' || step === 'force') return 0
  const left = /^lower to (\d+)$/.exec(step)?.[1]
  return left === undefined ? had : Math.min(had, Number(left))
}

/** A request is refused after a downgrade, or by a tombstone, and only then. */
function refusalProblems({ wants }: Shared, job: Job, { store, reply: { kind } }: SharedAfter): Problem[] {
  if (!isRequest(job)) return []
  const { store: before, owner } = job
  const permits = at(before.counts, owner)
  const isRefused = kind === 'lost' || kind === 'abandoned'
  const isDowngraded = permits > 0 && permits < at(wants, owner)
  const mustRefuse = isDowngraded || (permits === 0 && before.entries[owner] === 'tombstone')
  if (isRefused !== mustRefuse) return [problem('refusal', `${nameOf(owner)} is answered: ${kind}`)]
  return isRefused && store.key !== before.key
    ? [problem('refusal', `${nameOf(owner)} is refused, which changes ${before.key} to ${store.key}`)]
    : []
}

/** A live waiter keeps its position until it enters or gives up. */
function positionProblems({ store: before, owner, step }: Job, { store }: SharedAfter): Problem[] {
  const stayed = before.queue.filter((each) => store.queue.includes(each))
  const isSame = store.queue.slice(0, stayed.length).every((each, i) => each === stayed[i])
  const found = isSame
    ? []
    : [problem('order', `the queue was ${before.queue.join()}, and is ${store.queue.join()}`)]
  for (const each of before.queue) {
    const hasLeft = each === owner && (step === 'release' || step === 'abandon')
    if (hasLeft || before.entries[each] !== 'live' || at(store.counts, each) > 0) continue
    if (!store.queue.includes(each)) found.push(problem('order', `${nameOf(each)} lost its position`))
  }
  return found
}

/** Waiters that count, the first first: one that wants more than there is stops nobody. */
function reachable({ size, wants }: Shared, { subscribed }: Job, store: StoreState): number[] {
  const room = roomOf(store, size)
  return store.queue.filter((each) => isServable(store, subscribed, each) && at(wants, each) <= room)
}

function handOffProblems(
  shared: Shared,
  job: Job,
  { store, reply: { kind }, notices }: SharedAfter,
): Problem[] {
  const { store: before, owner, subscribed, step } = job
  const found: Problem[] = []
  for (const next of newHolders(before, store)) {
    if (next === owner && isRequest(job)) continue
    if (!isServable(before, subscribed, next)) {
      found.push(problem('handOff', `${nameOf(next)} was let in without a live, subscribed queue entry`))
    }
    if (!notices.some(({ to }) => to === next)) {
      found.push(problem('handOff', `${nameOf(next)} was let in without a notification`))
    }
  }
  const [first] = reachable(shared, job, store)
  if (first === undefined) return found
  const [used, room] = [usedOf(store), roomOf(store, shared.size)]
  // The place that it might take was there before: waiters find it by themselves.
  const isLate =
    isRequest(job) &&
    (at(before.counts, owner) > 0 ||
      kind === 'abandoned' ||
      kind === 'unqueued' ||
      !before.queue.includes(owner))
  const changesNothing = isLate || step === 'refresh' || step === 'renew' || step === 'sweep'
  if (!changesNothing && used + at(shared.wants, first) <= room) {
    found.push(problem('handOff', `${used} of ${room} are held, and ${nameOf(first)} still waits`))
  }
  return found
}

function ttlProblems({ store: before }: Job, after: SharedAfter): Problem[] {
  const { store, holdsMs, fenceMs } = after
  const holds = holders(store).flatMap((owner) => {
    const leastMs = at(before.counts, owner) > 0 ? times.restoredLeaseMs : times.leaseMs
    return shortOf(`the hold of ${nameOf(owner)}`, at(holdsMs, owner), leastMs)
  })
  const fence = store.hasFence ? shortOf('the last token', fenceMs, 2 * times.leaseMs) : []
  return [...holds, ...fence, ...waitingTtlProblems(after)]
}

/** A waiter is to look again when a hold ends, a waiter ahead that stops it is stale, or the size is over. */
function outlookProblems(shared: Shared, job: Job, after: SharedAfter): Problem[] {
  const { store, holdsMs, sizeMs, entries, reply } = after
  if (reply.kind === 'held' || reply.ttlMs === undefined) return []
  const { owner, step } = job
  // A refresh asks nobody who is subscribed, and the reply to its request reaches an owner without a subscription.
  const subscribed = job.subscribed.map((is, each) => is || each === owner || step === 'refresh')
  const [first] = reachable(shared, { ...job, subscribed }, store)
  const isQueued = job.store.queue.includes(owner)
  const ends = holders(store).map((each) => at(holdsMs, each))
  if (store.size !== null) ends.push(sizeMs)
  if (first !== undefined && first !== owner && isQueued) ends.push(at(entries, first).ownMs)
  const latestMs = ends.length > 0 ? Math.min(...ends) : idleMs
  const { ttlMs } = reply
  const found = ttlMs > latestMs + times.slackMs / 2 ? [`in ${ttlMs} ms instead of ${latestMs} ms`] : []
  const fits = first !== undefined && usedOf(store) + at(shared.wants, first) <= roomOf(store, shared.size)
  if (step === 'refresh' && fits && reply.kind === 'waiting') found.push('later, though the first one fits')
  return found.map((detail) => problem('ttl', `${nameOf(owner)} is to look again ${detail}`))
}
