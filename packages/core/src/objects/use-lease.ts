import { LockLostError } from '../errors/errors.js'
import { withCallerStack } from './caller-stack.js'
import { lostWithFailure, lostWithResult } from './wording.js'

/** A lease, as far as the outcome of a callback depends on it. */
interface Losable {
  /** Why its hold was lost. */
  readonly loss: LockLostError | undefined
}

/** A callback that has its lease. */
export interface Use<T> {
  readonly lease: Losable
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
 * @throws what `begin` and the acquisition throw; what the callback throws, as `failureOf`; `LockLostError` with the callback's result when
 * the hold was lost by then
 */
export async function useLease<O, T>(begin: () => Acquiring<O, T>): Promise<T> {
  const { acquired, signal, use } = begin()
  let outcome: O
  try {
    outcome = await acquired
  } catch (error) {
    throw withCallerStack(error, signal)
  }
  const { lease, run, leave, report } = use(outcome)
  let result: T
  try {
    result = await run()
  } catch (thrown) {
    const error = failureOf(thrown, lease)
    await leave().catch((left: unknown) => {
      if (!(left instanceof LockLostError)) report(left)
    })
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

/**
 * What the caller gets when a callback failed. Once the hold is lost that is the loss, however the callback failed on the signal, with the
 * callback's error as its cause; a failure before that is the callback's own.
 */
function failureOf(error: unknown, { loss }: Losable): unknown {
  const isLoss = error instanceof LockLostError && error.owner === loss?.owner
  return loss === undefined || isLoss ? error : lostWithFailure(loss, error)
}

/** Runs a callback in the hold of a lease that stays. */
export async function runHeld<T>(lease: Losable, run: () => T | PromiseLike<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw failureOf(error, lease)
  }
}
