import { ClosedError, LatchGoneError, TooManyWaitersError, UnavailableError } from '../errors/errors.js'
import type { HoldfastError, HoldfastErrorDetails } from '../errors/errors.js'
import { titleOf } from '../ownership/target.js'
import type { Target } from '../ownership/target.js'

/** The errors that end a wait. */

type Subject = Pick<Target, 'kind' | 'address'>

export const closedWhileWaiting = (target: Subject, details: HoldfastErrorDetails): ClosedError =>
  new ClosedError(`the Holdfast client was closed while waiting for ${titleOf(target)}`, details)

export const tooManyWaiters = (
  target: Subject,
  maxWaiters: number,
  details: HoldfastErrorDetails,
): TooManyWaitersError =>
  new TooManyWaitersError(
    `too many waiters for ${titleOf(target)}: this client already has ${maxWaiters} (maxWaiters); try again later`,
    details,
  )

export const latchGone = (target: Subject, details: HoldfastErrorDetails): LatchGoneError =>
  new LatchGoneError(
    `${titleOf(target)} is gone: it was deleted, or the store lost it, before it opened; set the count and count down again`,
    details,
  )

/** Errors of requests that the store did reply to, only not in time: that does not mean that the store is down. */
const stale = new WeakSet<Error>()

export const isStaleReply = (error: Error): boolean => stale.has(error)

function staleReply(message: string, details: HoldfastErrorDetails): UnavailableError {
  const error = new UnavailableError(message, details)
  stale.add(error)
  return error
}

export const alreadyAbandoned = (target: Subject, details: HoldfastErrorDetails): UnavailableError =>
  staleReply(`${titleOf(target)}: this acquisition was already abandoned`, details)

export const repliedTooLate = (target: Subject, details: HoldfastErrorDetails): UnavailableError =>
  staleReply(
    `${titleOf(target)}: the reply was processed too late, and the lease may already have expired; try again`,
    details,
  )

/** Errors of waits. One that is part of another wait, such as that of a multi lock, which says the same once. */
const ofWaits = new WeakSet<Error>()

/**
 * @param store - the engine, and how messages name its store
 * @param cause - why the last command failed unless one was answered since, or else what the engine reported last
 */
export function notReached(
  target: Subject,
  { engine, storeName }: { readonly engine: string; readonly storeName: string },
  waitedMs: number,
  cause: HoldfastError | undefined,
  details: HoldfastErrorDetails,
): UnavailableError {
  const lastError = cause && ofWaits.has(cause) ? cause.cause : cause
  const text =
    lastError instanceof Error
      ? `could not reach the store within ${waitedMs} ms for ${titleOf(target)}; last error: ${lastError.message}`
      : `${storeName} did not reply within ${waitedMs} ms for ${titleOf(target)}`
  const error = new UnavailableError(text, { ...details, engine, cause: lastError })
  ofWaits.add(error)
  return error
}
