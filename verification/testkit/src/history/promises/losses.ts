import type { Call } from '../calls.js'
import type { History } from '../history.js'
import { groupBy } from '../grouping.js'
import type { Hold } from '../holds.js'
import { coveredMs } from '../spans.js'
import { evidence, type Violation } from '../violation.js'

/** A hold is not lost without cause, every loss is reported, and the release of a lost hold does not succeed. */
export function checkLosses(history: History): Violation[] {
  const locksOf = locksTogether(history.calls)
  const holdOf = new Map(history.holds.flatMap((hold) => hold.entries.map(({ call }) => [call, hold])))
  return history.calls.flatMap((call) => {
    const { call: id, together = '', lock } = call.requested
    return [
      lostWithoutCause(call, locksOf.get(together) ?? [lock], history),
      lostSilently(call),
      notifiedLate(call, holdOf.get(id), history),
      releasedAfterLoss(call),
    ].flatMap((problem) => (problem ? [violation(call, problem)] : []))
  })
}

/** The loss of one member is that of all, so what disturbs one may cost all. */
function locksTogether(calls: readonly Call[]): Map<string, string[]> {
  const together = calls.filter(({ requested }) => requested.together !== undefined)
  const groups = groupBy(together, ({ requested }) => requested.together ?? '')
  return new Map([...groups].map(([id, members]) => [id, members.map(({ requested }) => requested.lock)]))
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

/** Its deadline is the latest instant at which a holder learns of a loss; without a majority, too. */
function notifiedLate(
  { lost, requested }: Call,
  hold: Hold | undefined,
  { faults, options }: History,
): string | null {
  const claim = hold?.live.filter(({ fromMs }) => lost && fromMs <= lost.atMs).at(-1)
  if (!lost || claim?.until !== null || claim.untilMs > lost.atMs) return null
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
