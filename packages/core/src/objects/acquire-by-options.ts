import { refuseSecond } from '../options/checks.js'
import { InvalidArgumentError } from '../errors/errors.js'
import type { AcquireOptions, Request } from '../options/options.js'
import { toHoldfastError } from '../errors/store-errors.js'
import { rethrowToCaller } from './caller-stack.js'

const runsNothing =
  'lock and tryLock take options only; to run a function, use withLock(fn) or withLock(options, fn)'

/**
 * Carries out a `lock()` or `tryLock()`: refuses anything but options, and gives errors the stack of the caller. Not async on
 * purpose: there may be very many waits, and each async frame costs memory.
 */
export function acquireByOptions<O, T>(
  options: AcquireOptions | undefined,
  second: unknown,
  resolve: () => Request,
  acquire: (request: Request) => Promise<O>,
  toResult: (outcome: O) => T,
): Promise<T> {
  try {
    if (typeof options === 'function') throw new InvalidArgumentError(runsNothing)
    refuseSecond(second, runsNothing)
    const request = resolve()
    return acquire(request).then(toResult, rethrowToCaller(request.signal))
  } catch (error) {
    return Promise.reject(toHoldfastError(error))
  }
}
