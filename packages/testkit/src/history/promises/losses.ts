import type { Call } from '../calls.js'
import type { History } from '../history.js'
import { evidence, type Violation } from '../violation.js'

/** A hold is not lost for nothing, and whoever loses one is told, and is not told otherwise. */
export function checkLosses(history: History): Violation[] {
  return history.calls.flatMap((call) =>
    [hasGrounds(call, history), isTold(call), staysLost(call)].flatMap((problem) =>
      problem ? [violation(call, problem)] : [],
    ),
  )
}

function violation({ asked, acquired, left, lost, untold, released }: Call, problem: string): Violation {
  return {
    promise: 'losses',
    lock: asked.lock,
    message: `${asked.process}: its call ${asked.call} on ${asked.lock} ${problem}`,
    events: evidence(asked, acquired, untold, lost, left, released),
  }
}

/** A hold that began with a fixed lease may outlive it, and so may one that this call only re-entered. */
function hasGrounds({ asked, acquired, lost, untold }: Call, { faults }: History): string | null {
  const [known] = evidence(lost, untold)
  if (!acquired || !known || asked.leaseMs !== undefined || acquired.count > 1) return null
  const isDisturbed = faults.disturbed(asked.process, asked.lock, {
    fromMs: asked.atMs,
    untilMs: known.atMs,
  })
  return isDisturbed ? null : 'lost its hold while nothing disturbed its process'
}

function isTold({ untold }: Call): string | null {
  return untold ? 'lost its hold, and its signal did not say so' : null
}

/** Who left while it held may be told of either: the loss may have come on the way. */
function staysLost({ left, lost, untold, released }: Call): string | null {
  const [known] = evidence(lost, untold)
  if (!known || !released || (left && left.atMs <= known.atMs)) return null
  return 'was told that it released a hold that it had lost'
}
