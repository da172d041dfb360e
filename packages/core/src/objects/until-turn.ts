import type { NotAcquired } from '../waiting/outcome.js'
import { withCallerStack } from './caller-stack.js'
import { timedOutWaiting } from './wording.js'

/** Waits for a callback's turn; throws `LockTimeoutError` when it did not come in time, and the signal's reason. */
export async function untilTurnOrTimeout(
  turn: Promise<NotAcquired | undefined>,
  signal: AbortSignal | undefined,
): Promise<void> {
  let late: NotAcquired | undefined
  try {
    late = await turn
  } catch (error) {
    throw withCallerStack(error, signal)
  }
  if (late) throw timedOutWaiting(late)
}
