import type { Step } from '../step.js'
import { ownerNumber, type Job } from './job.js'
import { isRequest, isServable, newHolders, problem, usedOf, type After } from './after.js'
import type { Problem } from './problem.js'
import type { Shape } from './shape.js'
import { at, nameOf, roomOf, type StoreState } from './state.js'

/** Waiters that count, the first first: one that wants more than there is stops nobody. */
export function reachable(
  { size, wants }: Shape,
  subscribed: readonly boolean[],
  store: StoreState,
): number[] {
  const room = roomOf(store, size)
  return store.queue.filter((each) => isServable(store, subscribed, each) && at(wants, each) <= room)
}

/** Whoever is let in by another owner's step waited, can be notified and is; and nobody who fits is left waiting. */
export function judgeHandOff(shape: Shape, job: Job, step: Step, after: After): Problem[] {
  const { store, notices } = after
  const { store: before, owner, subscribed } = job
  const found: Problem[] = []
  for (const next of newHolders(before, store)) {
    if (next === owner && (isRequest(job) || job.step === 'take over')) continue
    if (next === shape.ticket) continue
    if (!isServable(before, subscribed, next)) {
      found.push(problem('handOff', `${nameOf(next)} was let in without a live, subscribed queue entry`))
    }
    if (!notices.some((notice) => notice.kind === 'granted' && ownerNumber(notice.owner) === next)) {
      found.push(problem('handOff', `${nameOf(next)} was let in without a notification`))
    }
  }
  const [first] = reachable(shape, subscribed, store)
  if (first === undefined || !handsOn(shape, job, step, after)) return found
  const [used, room] = [usedOf(shape, store), roomOf(store, shape.size)]
  if (used + at(shape.wants, first) <= room) {
    found.push(problem('handOff', `${used} of ${room} are held, and ${nameOf(first)} still waits`))
  }
  return found
}

/** Whether the step lets in who fits. Waiters find a place that was there before it by themselves. */
function handsOn({ isLock }: Shape, job: Job, step: Step, { reply }: After): boolean {
  const { store: before, owner } = job
  switch (step.kind) {
    case 'acquire': {
      const mayWait = reply.kind === 'busy' && reply.position > 0
      const isIn = at(before.counts, owner) > 0
      return !isIn && (mayWait || reply.kind === 'held') && before.queue.includes(owner)
    }
    case 'release':
      return !isLock || step.count === 0
    case 'force':
      return reply.kind === 'released'
    default:
      return step.kind === 'resize'
  }
}
