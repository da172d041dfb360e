import { HoldfastError } from '../errors/errors.js'

/**
 * Gives an error of ours the stack of the call that it ends. Most are made by a timer or a reply, where the caller is not
 * on the stack. Only code that runs in a reaction of the caller's own promise sees what awaits it.
 *
 * @param signal - of the call; its reason belongs to the code that aborted, and stays as it is
 */
export function withCallerStack(error: unknown, signal: AbortSignal | undefined): unknown {
  const isReason = signal?.aborted === true && signal.reason === error
  if (error instanceof HoldfastError && !isReason) Error.captureStackTrace(error, withCallerStack)
  return error
}

/** For `then`. Without a signal it is always the same function, so that a wait need not keep its own. */
export const rethrowToCaller = (signal: AbortSignal | undefined): ((error: unknown) => never) =>
  signal === undefined
    ? rethrow
    : (error) => {
        throw withCallerStack(error, signal)
      }

function rethrow(error: unknown): never {
  throw withCallerStack(error, undefined)
}
