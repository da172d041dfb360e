import { LockLostError } from '../errors/errors.js'
import { withCallerStack } from './caller-stack.js'
import { lostWithResult } from './wording.js'

/** A callback that has its lease. */
export interface Use<T> {
  readonly run: () => T | PromiseLike<T>
  readonly leave: () => Promise<void>
  /** Gets what leaving failed with when the caller gets the callback's own outcome. */
  readonly report: (error: unknown) => void
}

/** An acquisition for a callback, and how the callback goes on from its outcome. */
export interface Acquiring<O, T> {
  readonly acquired: Promise<O>
  /** Of the call. */
  readonly signal: AbortSignal | undefined
  readonly use: (outcome: O) => Use<T>
}

/**
 * Acquires, runs a callback that has the lease, and leaves the lease afterwards. Its callers are not async themselves: an async function more
 * costs each call two promises.
 *
 * @throws what `begin` and the acquisition throw; what the callback throws, always; `LockLostError` with the callback's result when the hold
 * was lost by then
 */
export async function useLease<O, T>(begin: () => Acquiring<O, T>): Promise<T> {
  const { acquired, signal, use } = begin()
  let outcome: O
  try {
    outcome = await acquired
  } catch (error) {
    throw withCallerStack(error, signal)
  }
  const { run, leave, report } = use(outcome)
  let result: T
  try {
    result = await run()
  } catch (error) {
    await leave().catch(report)
    throw error
  }
  try {
    await leave()
  } catch (error) {
    if (error instanceof LockLostError) throw lostWithResult(error, result)
    report(error)
  }
  return result
}
