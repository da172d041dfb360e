import { LockLostError, LockTimeoutError } from '../errors.js'
import type { NotAcquired } from '../waiting/outcome.js'

/** The error for a wait that ended because another owner kept the lock. */
export function timedOutWaiting(name: string, { holder, position, waitedMs }: NotAcquired): LockTimeoutError {
  const text = `timed out after ${waitedMs} ms waiting for lock ${name} (${holderText(holder)}, ${positionText(position)})`
  return new LockTimeoutError(text, { lockName: name, holder: holder || undefined, position, waitedMs })
}

const holderText = (holder: string | undefined): string => {
  if (holder === undefined) return 'held by another task in this scope'
  return holder === '' ? 'set aside for the next waiter' : `held by ${holder}`
}

const positionText = (position: number): string =>
  position === 0 ? 'not queued' : `queue position ${position}`

/** The loss of a hold whose callback completed all the same. */
export const lostWithResult = (error: LockLostError, result: unknown): LockLostError =>
  new LockLostError(error.message, {
    lockName: error.lockName,
    owner: error.owner,
    reason: error.reason,
    cause: error,
    result,
  })
