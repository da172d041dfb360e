import type { NotALockReply } from '../engine/replies.js'
import { ClosedError, HoldfastError, NotALockError, RefusedError, UnavailableError } from './errors.js'
import type { HoldfastErrorDetails } from './errors.js'

/** What an error is about; `title` names it in the message, such as `semaphore api`. */
export type ErrorSubject = HoldfastErrorDetails & { readonly title?: string | undefined }

/** The error for a name under which the store holds something else. */
export const notALock = ({ name }: { readonly name: string }, { reason }: NotALockReply): NotALockError =>
  new NotALockError(`the name ${name} is already in use: ${reason}`, { lockName: name })

const ofPrograms = [TypeError, RangeError, ReferenceError, SyntaxError]

/** A mistake in a program, which would only be repeated. Errors of connections have a `code`, or a `cause` that has one. */
const isMistake = (error: unknown): boolean =>
  ofPrograms.some((type) => error instanceof type && !('code' in error) && error.cause === undefined)

/**
 * Turns any error into one of ours, with the lock and owner that it is about: a copy for this call alone, since several
 * calls may have waited for what failed. Any other error leaves the outcome unknown, and so counts as no reply; but a
 * mistake in a program is a plain `HoldfastError`, which is not tried again.
 */
export function toHoldfastError(error: unknown, subject: ErrorSubject = {}): HoldfastError {
  const { title, ...details } = subject
  const { lockName } = details
  const about = (text: string): string =>
    lockName === undefined ? text : `${title ?? `lock ${lockName}`}: ${text}`
  if (!(error instanceof HoldfastError)) {
    const text = error instanceof Error ? error.message : String(error)
    const more = { ...details, cause: error }
    return isMistake(error) ? new HoldfastError(about(text), more) : new UnavailableError(about(text), more)
  }
  if (error.lockName !== undefined || lockName === undefined) return error
  const { cause, message } = error
  if (error instanceof ClosedError) return new ClosedError(message, { ...details, cause })
  if (error.constructor === HoldfastError) return new HoldfastError(about(message), { ...details, cause })
  if (!(error instanceof RefusedError || error instanceof UnavailableError)) return error
  const more = { ...details, cause, engine: error.engine }
  const text = about(message)
  return error instanceof RefusedError ? new RefusedError(text, more) : new UnavailableError(text, more)
}
