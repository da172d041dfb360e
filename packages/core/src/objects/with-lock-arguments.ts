import { requireFunction } from '../checks.js'
import { InvalidArgumentError } from '../errors.js'
import type { AcquireOptions } from '../options.js'
import type { Lease } from './lease.js'

/** What `withLock` runs while it holds the lock. */
export type LockCallback<T> = (lease: Lease) => T | PromiseLike<T>

/** The arguments of `withLock` on the lock of this name. Its options may be left out. */
export function splitWithLockArguments<T>(
  lockName: string,
  first: AcquireOptions | undefined | LockCallback<T>,
  second: LockCallback<T> | undefined,
): { readonly options: AcquireOptions | undefined; readonly fn: LockCallback<T> } {
  if (typeof first === 'function' && second !== undefined) {
    throw new InvalidArgumentError('withLock takes its options before the function: withLock(options, fn)', {
      lockName,
    })
  }
  const [options, fn] = typeof first === 'function' ? [undefined, first] : [first, second]
  requireFunction('withLock', fn)
  return { options, fn }
}
