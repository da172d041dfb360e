import type { Call } from '../calls.js'
import type { History } from '../history.js'
import { groupBy } from '../grouping.js'
import type { Hold } from '../holds.js'
import { coveredMs } from '../spans.js'
import { evidence, type Violation } from '../violation.js'

/** A hold is not lost without cause, every loss is reported, and the release of a lost hold does not succeed. */
export function checkLosses(history: History): Violation[] {
  const holdOf = new Map(history.holds.flatMap((hold) => hold.entries.map(({ call }) => [call, hold])))
  const groups = callsTogether(history.calls)
  return history.calls.flatMap((call) => {
    const { call: id, together = '' } = call.requested
    const group = (groups.get(together) ?? [call]).map(({ requested }) => requested)
    const locks = group.map(({ lock }) => lock)
    const others = group.flatMap(({ call: other }) => (other === id ? [] : (holdOf.get(other) ?? [])))
    return [
      lostWithoutCause(call, locks, history),
      lostSilently(call),
      notifiedLate(call, holdOf.get(id), others, history),
      releasedAfterLoss(call),
    ].flatMap((problem) => (problem ? [violation(call, problem)] : []))
  })
}

/** The loss of one member is that of all, so what disturbs one may cost all. */
function callsTogether(calls: readonly Call[]): ReadonlyMap<string, readonly Call[]> {
  const together = calls.filter(({ requested }) => requested.together !== undefined)
  return groupBy(together, ({ requested }) => requested.together ?? '')
}

function violation(
  { requested, acquired, left, lost, lossFound, released }: Call,
  problem: string,
): Violation {
  return {
    promise: 'losses',
    lock: requested.lock,
    message: `${requested.process}: its call ${requested.call} on ${requested.lock} ${problem}`,
    events: evidence(requested, acquired, lossFound, lost, left, released),
  }
}

/** A fixed lease may expire during the hold, and so may that of a hold which this call only re-entered. */
function lostWithoutCause(
  { requested, acquired, lost, lossFound }: Call,
  locks: readonly string[],
  { faults }: History,
): string | null {
  const [known] = evidence(lost, lossFound)
  if (!acquired || !known || requested.leaseMs !== undefined || acquired.count > 1) return null
  const span = { fromMs: requested.atMs, untilMs: known.atMs }
  const isDisturbed = locks.some((lock) => faults.disturbed(requested.process, lock, span))
  return isDisturbed ? null : 'lost its hold while nothing disturbed its process'
}

/**
 * Its deadline is the latest instant at which a holder learns of a loss; without a majority, too. While a call that is nested in one for
 * several locks works, only the lock that it re-entered is seen to be claimed for longer.
 */
function notifiedLate(
  { lost, requested }: Call,
  hold: Hold | undefined,
  others: readonly Hold[],
  { faults, options }: History,
): string | null {
  const claim = hold?.live.filter(({ fromMs }) => lost && fromMs <= lost.atMs).at(-1)
  if (!lost || claim?.until !== null || claim.untilMs > lost.atMs) return null
  const isSeen = others.every(({ live }) => live.every(({ untilMs }) => untilMs <= claim.untilMs))
  if (!isSeen) return null
  // While a machine sleeps, the clock stands still by which it claims.
  const { process } = requested
  const sleptMs = coveredMs({ fromMs: claim.fromMs, untilMs: claim.untilMs }, faults.sleeps(process))
  const late = { fromMs: claim.untilMs, untilMs: lost.atMs }
  const lateMs = late.untilMs - late.fromMs - sleptMs - coveredMs(late, faults.pauses(process))
  return lateMs <= options.slackMs
    ? null
    : `was notified of its loss ${lateMs.toFixed(1)} ms after its deadline`
}

function lostSilently({ lossFound }: Call): string | null {
  return lossFound ? 'lost its hold, but its signal did not abort' : null
}

/** A call that left while it held may get either reply: the loss may have happened during the release. */
function releasedAfterLoss({ left, lost, lossFound, released }: Call): string | null {
  const [known] = evidence(lost, lossFound)
  if (!known || !released || (left && left.atMs <= known.atMs)) return null
  return 'got a successful reply to the release of a hold that it had lost'
}
