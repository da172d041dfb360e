import { LockLostError } from '../errors/errors.js'
import { lostWithResult } from './wording.js'

/**
 * Runs a callback that has a lease, and leaves the lease afterwards.
 *
 * @param report - gets what leaving failed with when the caller gets the callback's own outcome
 * @throws what the callback throws, always; `LockLostError` with the callback's result when the hold was lost by then
 */
export async function useLease<T>(
  run: () => T | PromiseLike<T>,
  leave: () => Promise<void>,
  report: (error: unknown) => void,
): Promise<T> {
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
