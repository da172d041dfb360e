import type { Step } from '../step.js'
import { holders, isRequest, newHolders, problem, usedOf, type After } from './after.js'
import { tokenOfHold } from './contents-of.js'
import { judgeHandOff } from './judge-hand-off.js'
import { judgeTimes } from './judge-times.js'
import { lastToken, ownerNumber, type Job } from './job.js'
import type { Problem } from './problem.js'
import type { Shape } from './shape.js'
import { at, isHandingOver, isLeaving, nameOf, roomOf } from './state.js'

/** Checks what one step did, as far as its reply, its notifications and the contents of the store show it. */
export const judge = (shape: Shape, job: Job, step: Step, after: After): Problem[] => [
  ...tokenProblems(shape, job, step, after),
  ...permitProblems(shape, job, step, after),
  ...refusalProblems(shape, job, after),
  ...ticketProblems(shape, job, after),
  ...entryProblems(job, after),
  ...positionProblems(job, after),
  ...inboxProblems(after, step),
  ...after.contents.problems,
  ...judgeHandOff(shape, job, step, after),
  ...judgeTimes(shape, job, step, after),
]

/** The store's clock is less than this behind the last token: see `lastToken`. */
const clockLagUs = 13 * 3_600_000_000

/** All that enter in a step share its token, the others keep theirs. */
function tokenProblems({ ticket }: Shape, job: Job, step: Step, after: After): Problem[] {
  const { store: before } = job
  const { store, reply, notices, contents } = after
  const { token, holds } = contents
  const entered = newHolders(before, store).filter((owner) => owner !== ticket)
  const last = before.hasFence ? lastToken : 0
  const floor = 'tokenFloor' in step ? step.tokenFloor : 0
  const found: Problem[] = []
  if (entered.length > 0) {
    if (token <= Math.max(last, floor, lastToken - clockLagUs))
      found.push(
        problem('token', `the last token was ${last}, the client had seen ${floor}, now it is ${token}`),
      )
  } else if (token !== last) {
    found.push(problem('token', `the last token was ${last}, now it is ${token}`))
  }
  for (const hold of holds) {
    if (hold.token === null) continue
    const owner = ownerNumber(hold.owner)
    const expected = entered.includes(owner) ? token : tokenOfHold(owner)
    if (hold.token === expected) continue
    found.push(problem('token', `${nameOf(owner)} has the token ${hold.token} instead of ${expected}`))
  }
  // One that enters again is not told its token.
  const isToldNothing = reply.kind === 'held' && reply.token === 0
  const replied =
    reply.kind === 'held' && 'owner' in step && !isToldNothing
      ? [{ owner: step.owner, token: reply.token }]
      : []
  const notified = notices.flatMap((notice) => (notice.kind === 'granted' ? [notice] : []))
  for (const { owner, token: given } of [...notified, ...replied]) {
    const hold = holds.find((each) => each.owner === owner)
    const expected = hold && (hold.token ?? token)
    if (given !== expected) found.push(problem('token', `${owner} was given ${given} and has ${expected}`))
  }
  return found
}

/** Nobody enters above the size, with another count than it wants, or changes the hold of another. */
function permitProblems(shape: Shape, job: Job, step: Step, { store }: After): Problem[] {
  const { store: before, owner } = job
  const found: Problem[] = []
  const entered = newHolders(before, store)
  const [used, room] = [usedOf(shape, store), roomOf(store, shape.size)]
  if (entered.length > 0 && used > room) {
    found.push(problem('exclusion', `${entered.map(nameOf).join(', ')} entered, ${used} of ${room} are held`))
  }
  store.counts.forEach((count, each) => {
    const had = at(before.counts, each)
    const isGiven = each === shape.ticket && job.step === 'take over' && at(store.counts, owner) > 0
    const own = each === owner ? countAfter(shape, step, had) : isGiven ? 0 : had
    const wanted = had === 0 ? at(shape.wants, each) : own
    // Nothing is left of a hold that was given up, unless another step of the same owner lets it in again.
    if ((count === 0 && (had === 0 || wanted === 0)) || count === wanted) return
    found.push(problem('count', `${nameOf(each)} had ${had}, and has ${count} instead of ${wanted}`))
  })
  return found
}

function countAfter({ isLock }: Shape, step: Step, had: number): number {
  switch (step.kind) {
    case 'acquire':
      return isLock && step.count > 1 ? step.count : had
    case 'release':
      return isLock ? step.count : Math.min(had, step.count)
    case 'force':
      return 0
    default:
      return had
  }
}

/** A request is refused after a downgrade, or by a tombstone, and only then. */
function refusalProblems(shape: Shape, job: Job, { store, reply: { kind } }: After): Problem[] {
  if (!isRequest(job)) return []
  const { store: before, owner } = job
  const count = at(before.counts, owner)
  const isRefused = kind === 'lost' || kind === 'abandoned'
  const isDowngraded = count > 0 && count < at(shape.wants, owner)
  const mustRefuse = isDowngraded || (count === 0 && before.entries[owner] === 'tombstone')
  if (isRefused !== mustRefuse) return [problem('refusal', `${nameOf(owner)} is answered: ${kind}`)]
  return isRefused && store.key !== before.key
    ? [problem('refusal', `${nameOf(owner)} is refused, which changes ${before.key} to ${store.key}`)]
    : []
}

/** Who takes over is in if the ticket holds, and who has done so before; the ticket holds if its owner did. All else changes nothing. */
function ticketProblems({ ticket }: Shape, { step, store: before, owner }: Job, after: After): Problem[] {
  const { store, reply } = after
  if (ticket === null || !(isHandingOver(step) || step === 'take over')) return []
  const [from, to] = isHandingOver(step) ? [owner, ticket] : [ticket, owner]
  const isRefused = step === 'take over' && before.entries[owner] === 'tombstone'
  const hasPassed = (at(before.counts, from) > 0 && !isRefused) || at(before.counts, to) > 0
  const isPassed = reply.kind === 'held' || reply.kind === 'released'
  const found = hasPassed === isPassed ? [] : [`${nameOf(owner)} is answered ${reply.kind}`]
  if (hasPassed && at(store.counts, to) === 0) found.push(`${nameOf(to)} does not hold`)
  if (step === 'take over' && !hasPassed && store.key !== before.key)
    found.push(`${nameOf(owner)} is refused, which changes ${before.key} to ${store.key}`)
  return found.map((detail) => problem('ticket', detail))
}

function entryProblems({ store: before }: Job, { store }: After): Problem[] {
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

/** A live waiter keeps its position until it enters or gives up; a stale one has to request again. */
function positionProblems({ store: before, owner, step }: Job, { store, reply }: After): Problem[] {
  const stayed = before.queue.filter((each) => store.queue.includes(each))
  const isSame = store.queue.slice(0, stayed.length).every((each, i) => each === stayed[i])
  const found = isSame
    ? []
    : [problem('order', `the queue was ${before.queue.join()}, and is ${store.queue.join()}`)]
  for (const each of before.queue) {
    const hasLeft = each === owner && isLeaving(step)
    if (hasLeft || before.entries[each] !== 'live' || at(store.counts, each) > 0) continue
    if (store.entries[each] !== 'live') found.push(problem('order', `${nameOf(each)} lost its position`))
  }
  if (step === 'refresh' && before.entries[owner] === 'stale' && reply.kind === 'waiting')
    found.push(problem('expiry', `the stale queue entry of ${nameOf(owner)} was refreshed`))
  return found
}

/** Requests and refreshes say where their client listens now. */
function inboxProblems({ reply, contents }: After, step: Step): Problem[] {
  const isKept = reply.kind === 'waiting' || (reply.kind === 'busy' && reply.position > 0)
  if (!isKept || !('owner' in step)) return []
  const entry = contents.queue.find(({ owner }) => owner === step.owner)
  return entry?.saysWhere === true && entry.hasProof
    ? []
    : [
        problem(
          'handOff',
          `the queue entry of ${step.owner} does not say where its client listens, or with what proof`,
        ),
      ]
}
