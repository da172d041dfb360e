import { times, type Job, type Outcome } from '../../../core/test/model/job.js'
import { judge, newHolders, problem, shortOf } from '../../../core/test/model/judge.js'
import type { Problem } from '../../../core/test/model/problem.js'
import { at, nameOf } from '../../../core/test/model/state.js'
import { ownerName } from '../../../core/test/model/job.js'
import { inboxOf, proofOf } from './inboxes.js'
import type { LockTablesAfter } from './lock-read-back.js'
import { nowUs } from './table-store.js'

/** How long a renewal asks for that asks for more than the hold has left. */
export const longLeaseMs = 2 * times.restoredLeaseMs

/** Checks what one step on a lock did, and what only tables show. */
export function judgeLock(job: Job, after: LockTablesAfter): Outcome {
  const outcome = judge(job, after)
  const problems = [
    ...outcome.problems,
    ...counterProblems(after),
    ...tokenProblems(job, after),
    ...noticeProblems(job, after),
    ...inboxProblems(job, after),
    ...renewalProblems(after),
  ]
  return { ...outcome, problems }
}

/** What the rows of a queue show besides its state. */
type Queued = Pick<LockTablesAfter, 'waiting' | 'places' | 'reply' | 'way'>

/** While no waiter is counted, a step does not even look for one. */
export const counterProblems = ({ waiting, places }: Queued): Problem[] =>
  waiting === places.length
    ? []
    : [problem('counter', `the row counts ${waiting} waiters, and ${places.length} are queued`)]

/** What shows whether a token is large enough. */
type Granted = Pick<LockTablesAfter, 'store' | 'token' | 'way'>

export function tokenProblems(job: Job, { store, token, way }: Granted): Problem[] {
  const { tokenFloor = 0 } = way
  const isGranted = newHolders(job.store, store).length > 0
  if (!isGranted || (token > tokenFloor && token >= nowUs)) return []
  return [problem('token', `${token} was given at ${nowUs} to a client that has seen ${tokenFloor}`)]
}

/** An owner that is let in by the step of another owner is notified. */
const noticeProblems = (job: Job, { store, notices, reply }: LockTablesAfter): Problem[] =>
  newHolders(job.store, store)
    .filter((owner) => owner !== job.owner || reply.kind !== 'held')
    .filter((owner) => !notices.some(({ kind, to }) => kind === 'granted' && to === owner))
    .map((owner) => problem('handOff', `${nameOf(owner)} was granted the lock and is not notified`))

/** Requests and refreshes say where their client listens now. */
export function inboxProblems({ owner, step, subscribed }: Job, { places, reply, way }: Queued): Problem[] {
  const keeps =
    (step === 'request' && reply.kind === 'queued') || (step === 'refresh' && reply.kind === 'waiting')
  if (!keeps) return []
  const { channel, key } = inboxOf(owner, at(subscribed, owner), way)
  const place = places.find((each) => each.owner === ownerName(owner))
  const keptKey = place?.inbox_key ?? null
  const hasProof = step !== 'request' || place?.proof === proofOf(owner)
  if (hasProof && place?.inbox === channel && (keptKey === null ? null : String(keptKey)) === key) return []
  return [
    problem(
      'handOff',
      `the queue entry of ${nameOf(owner)} does not say where its client listens, or with what proof`,
    ),
  ]
}

const renewalProblems = ({ reply, way, holdMs }: LockTablesAfter): Problem[] =>
  reply.kind === 'renewed' && way.renewsForLonger ? shortOf('the renewed hold', holdMs, longLeaseMs) : []
