import type { Address } from '../engine/requests.js'
import { ClosedError, TooManyWaitersError, UnavailableError } from '../errors.js'
import type { HoldfastError, HoldfastErrorDetails } from '../errors.js'

/** The errors that end a wait. */

export const closedWhileWaiting = ({ name }: Address, details: HoldfastErrorDetails): ClosedError =>
  new ClosedError(`the Holdfast client was closed while waiting for lock ${name}`, details)

export const tooManyWaiters = (
  { name }: Address,
  maxWaiters: number,
  details: HoldfastErrorDetails,
): TooManyWaitersError =>
  new TooManyWaitersError(
    `too many waiters for lock ${name}: this client already has ${maxWaiters} (maxWaiters)`,
    details,
  )

export const alreadyAbandoned = ({ name }: Address, details: HoldfastErrorDetails): UnavailableError =>
  new UnavailableError(`lock ${name}: this acquisition was already abandoned`, details)

export const repliedTooLate = ({ name }: Address, details: HoldfastErrorDetails): UnavailableError =>
  new UnavailableError(
    `lock ${name}: the reply was processed too late: the lease may already have expired`,
    details,
  )

/**
 * @param store - the engine, and how messages name its store
 * @param cause - why the last command failed unless one was answered since, or else what the engine reported last
 */
export function notReached(
  { name }: Address,
  { engine, storeName }: { readonly engine: string; readonly storeName: string },
  waitedMs: number,
  cause: HoldfastError | undefined,
  details: HoldfastErrorDetails,
): UnavailableError {
  const text = cause
    ? `could not reach the store within ${waitedMs} ms for lock ${name}; last error: ${cause.message}`
    : `${storeName} did not reply within ${waitedMs} ms for lock ${name}`
  return new UnavailableError(text, { ...details, cause, engine })
}
