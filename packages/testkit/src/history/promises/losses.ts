import type { Call } from '../calls.js'
import type { History } from '../history.js'
import { evidence, type Violation } from '../violation.js'

/** A hold is not lost without cause, every loss is reported, and the release of a lost hold does not succeed. */
export function checkLosses(history: History): Violation[] {
  return history.calls.flatMap((call) =>
    [lostWithoutCause(call, history), lostSilently(call), releasedAfterLoss(call)].flatMap((problem) =>
      problem ? [violation(call, problem)] : [],
    ),
  )
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
  { faults }: History,
): string | null {
  const [known] = evidence(lost, lossFound)
  if (!acquired || !known || requested.leaseMs !== undefined || acquired.count > 1) return null
  const isDisturbed = faults.disturbed(requested.process, requested.lock, {
    fromMs: requested.atMs,
    untilMs: known.atMs,
  })
  return isDisturbed ? null : 'lost its hold while nothing disturbed its process'
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
