import type { NotALockReply } from './engine/replies.js'
import { ClosedError, HoldfastError, NotALockError, RefusedError, UnavailableError } from './errors.js'
import type { HoldfastErrorDetails } from './errors.js'

/** The error for a name under which the store holds something else. */
export const notALock = ({ name }: { readonly name: string }, { reason }: NotALockReply): NotALockError =>
  new NotALockError(`${name} is not a lock: ${reason}`, { lockName: name })

/**
 * Turns any error into one of ours, with the lock and owner that it is about: a copy for this call alone, since several
 * calls may have waited for what failed. Any other error leaves the outcome unknown, and so counts as no reply.
 */
export function toHoldfastError(error: unknown, details: HoldfastErrorDetails = {}): HoldfastError {
  const { lockName } = details
  if (!(error instanceof HoldfastError)) {
    const text = error instanceof Error ? error.message : String(error)
    return new UnavailableError(about(lockName, text), { ...details, cause: error })
  }
  if (error.lockName !== undefined || lockName === undefined) return error
  const { cause, message } = error
  if (error instanceof ClosedError) return new ClosedError(message, { ...details, cause })
  if (error.constructor === HoldfastError)
    return new HoldfastError(about(lockName, message), { ...details, cause })
  if (!(error instanceof RefusedError || error instanceof UnavailableError)) return error
  const more = { ...details, cause, engine: error.engine }
  const text = about(lockName, message)
  return error instanceof RefusedError ? new RefusedError(text, more) : new UnavailableError(text, more)
}

const about = (lockName: string | undefined, text: string): string =>
  lockName === undefined ? text : `lock ${lockName}: ${text}`
