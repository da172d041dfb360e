import type { Step } from '../step.js'
import { ownerName, ownerNumber, times, type Job } from './job.js'
import { reachable } from './judge-hand-off.js'
import { problem, usedOf, type After } from './after.js'
import type { Problem } from './problem.js'
import type { Shape } from './shape.js'
import { at, nameOf, roomOf } from './state.js'

/** A requester that waits looks again after this time at the latest. */
const idleMs = 60_000

/** What the store keeps lives as long as asked for, and whoever waits looks again in time. */
export const judgeTimes = (shape: Shape, job: Job, step: Step, after: After): Problem[] => [
  ...ttlProblems(job, step, after),
  ...outlookProblems(shape, job, after),
]

const shortOf = (what: string, livesMs: number, leastMs: number): Problem[] =>
  livesMs + times.slackMs / 2 < leastMs
    ? [problem('ttl', `${what} has ${livesMs} ms left instead of ${leastMs} ms`)]
    : []

function ttlProblems({ store: before }: Job, step: Step, { reply, contents }: After): Problem[] {
  const { holds, token, fenceMs, queue, queueMs, tombstones } = contents
  const isRenewed = (owner: string): boolean =>
    step.kind === 'renew' && step.owner === owner && reply.kind === 'renewed'
  const leastOf = (owner: string): number => {
    const hadMs = at(before.counts, ownerNumber(owner)) > 0 ? times.restoredLeaseMs : times.leaseMs
    return step.kind === 'renew' && isRenewed(owner) ? Math.max(hadMs, step.leaseMs) : hadMs
  }
  return [
    ...holds.flatMap(({ owner, leftMs }) => shortOf(`the hold of ${owner}`, leftMs, leastOf(owner))),
    ...(token > 0 ? shortOf('the last token', fenceMs, 2 * times.leaseMs) : []),
    ...queue.flatMap(({ owner, leftMs }) => {
      if (leftMs <= 0) return []
      const what = `the queue entry of ${owner}`
      return [
        ...shortOf(what, leftMs, times.entryTtlMs(ownerNumber(owner))),
        ...shortOf(`the queue with ${what}`, queueMs, leftMs),
      ]
    }),
    ...tombstones.flatMap(({ owner, leftMs }) =>
      shortOf(`the tombstone of ${owner}`, leftMs, times.tombstoneMs),
    ),
  ]
}

/** A waiter is to look again when a hold ends, a waiter ahead that stops it is stale, or the size is over. */
function outlookProblems(shape: Shape, job: Job, { store, contents, reply }: After): Problem[] {
  if (shape.isLock || !('ttlMs' in reply) || (reply.kind !== 'busy' && job.step !== 'refresh')) return []
  const { owner, step } = job
  const { holds, resized, queue } = contents
  // A refresh asks nobody who is subscribed, and the reply to its request reaches an owner without a subscription.
  const subscribed = job.subscribed.map((is, each) => is || each === owner || step === 'refresh')
  const [first] = reachable(shape, subscribed, store)
  const ends = holds.map(({ leftMs }) => leftMs)
  if (resized) ends.push(resized.leftMs)
  const blocker = queue.find((entry) => first !== undefined && entry.owner === ownerName(first))
  if (blocker && first !== owner && job.store.queue.includes(owner)) ends.push(blocker.leftMs)
  const latestMs = ends.length > 0 ? Math.min(...ends) : idleMs
  const { ttlMs } = reply
  const found = ttlMs > latestMs + times.slackMs / 2 ? [`in ${ttlMs} ms instead of ${latestMs} ms`] : []
  const fits =
    first !== undefined && usedOf(shape, store) + at(shape.wants, first) <= roomOf(store, shape.size)
  if (step === 'refresh' && fits && ttlMs >= 0 && reply.kind === 'waiting')
    found.push('later, though the first one fits')
  return found.map((detail) => problem('ttl', `${nameOf(owner)} is to look again ${detail}`))
}
