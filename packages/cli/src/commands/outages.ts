import { isHoldfastError, UnavailableError, type HoldfastError } from '@holdfast/core'
import { escapeSentence } from '../output/escape.js'

const isOutage = (error: unknown): error is UnavailableError =>
  isHoldfastError(error) && error.code === 'UNAVAILABLE'

/**
 * Takes the steps of a command that goes on through outages: each resolves with the reason if the store could not be reached. But
 * without an answer to the first, the address may be wrong, and that step rejects. For other failures all do.
 */
export function stepsIfReachable(): (step: () => Promise<void>) => Promise<string | null> {
  let wasReached = false
  return async (step) => {
    try {
      await step()
      wasReached = true
      return null
    } catch (error) {
      if (wasReached && isOutage(error)) return escapeSentence(error.message)
      throw error
    }
  }
}

/** The same failure, but an outage is not said to be about an object that the user did not name. */
export const withoutObject = (error: unknown): unknown =>
  isOutage(error) ? new UnavailableError(messageWithoutObject(error), { cause: error.cause }) : error

/** Without `semaphore api: ` and the like in front. */
export function messageWithoutObject({ lockName, message }: HoldfastError): string {
  const object = `${lockName ?? ''}: `
  const at = lockName === undefined ? -1 : message.indexOf(object)
  return at < 0 ? message : message.slice(at + object.length)
}
