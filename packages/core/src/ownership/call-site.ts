import { HoldfastError } from '../errors/errors.js'

/** Where a call came from: made cheaply, put into words only when someone asks. */
export interface CallSite {
  readonly stack?: string
  /** How many frames of this package are above those of the caller. Their names and files may be those of a bundle. */
  readonly ours: number
}

/** @param ours - how many functions of this package the running code is in */
export function callSite(ours: number): CallSite {
  const site: CallSite = { ours }
  Error.captureStackTrace(site, callSite)
  return site
}

/**
 * The frames of the caller. Without those of Node.js, which lie between ours and the caller's if a tick of its queue ran us,
 * and, as far as paths tell, without those of ours between functions of the caller.
 */
export const framesOf = (site: CallSite | undefined): readonly string[] =>
  (site?.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at (?!.*node:)/.test(line))
    .slice(site?.ours)
    .filter((line) => !/[\\/]node_modules[\\/]@holdfast[\\/]/.test(line))
    .map((frame) => frame.trim())

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
