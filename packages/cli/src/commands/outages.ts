import { isHoldfastError, UnavailableError, type HoldfastError } from '@holdfast/core'

export const isOutage = (error: unknown): error is UnavailableError =>
  isHoldfastError(error) && error.code === 'UNAVAILABLE'

/** The same failure, but an outage is not said to be about an object that the user did not name. */
export const withoutObject = (error: unknown): unknown =>
  isOutage(error) ? new UnavailableError(messageWithoutObject(error), { cause: error.cause }) : error

/** Without `semaphore api: ` and the like in front. */
export function messageWithoutObject({ lockName, message }: HoldfastError): string {
  const object = `${lockName ?? ''}: `
  const at = lockName === undefined ? -1 : message.indexOf(object)
  return at < 0 ? message : message.slice(at + object.length)
}
