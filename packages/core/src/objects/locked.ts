import { InvalidArgumentError } from '../errors/errors.js'
import { checkOptions, requireFunction } from '../options/checks.js'
import { holdOptionNames, type AcquireOptions, type HoldOptions } from '../options/options.js'
import { shown } from '../util/mistakes.js'

/** What {@link locked} holds: a lock, one side of a read/write lock, a multi lock, or a bridge. */
export interface WithLock {
  withLock<T>(options: AcquireOptions | undefined, fn: () => T | PromiseLike<T>): Promise<T>
}

/** Wraps a function, or decorates a method, so that every call runs under a lock. Made by {@link locked}. */
export interface Locked<This, Args extends unknown[]> {
  /** Around a function: returns the one to call. */
  <T extends This, A extends [...Args, ...unknown[]], R>(
    fn: (this: T, ...args: A) => PromiseLike<R>,
  ): (this: T, ...args: A) => Promise<R>
  /** As a standard (TC39) method decorator. */
  <T extends This, A extends [...Args, ...unknown[]], R>(
    method: (this: T, ...args: A) => Promise<R>,
    context: ClassMethodDecoratorContext<T, (this: T, ...args: A) => Promise<R>>,
  ): (this: T, ...args: A) => Promise<R>
  /** As a method decorator with TypeScript's `experimentalDecorators`. */
  <A extends [...Args, ...unknown[]], R>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<(...args: A) => Promise<R>>,
  ): TypedPropertyDescriptor<(...args: A) => Promise<R>>
}

/**
 * Runs every call of a function or method under a lock:
 *
 * ```ts
 * const ship = locked((id: string) => holdfast.getLock(`order:${id}`), { waitMs: 2_000 })(async (id: string) => { … })
 *
 * class Orders {
 *   @locked((id: string) => holdfast.getLock(`order:${id}`))
 *   async ship(id: string) { … }
 * }
 * ```
 *
 * Each call is a `withLock`: if the lock cannot be acquired, it rejects and the function does not run; calls on the same lock inside
 * re-enter; the lock is held until the function's promise settles. An async iterator or an Observable that is consumed after that is no
 * longer protected.
 *
 * @param lock - the lock, or a function that returns it, called with the arguments and the `this` of each call
 * @param options - of each acquisition, as for `withLock`
 * @returns a wrapper for functions that is also a method decorator
 * @throws `InvalidArgumentError` for any other argument, and on anything but a method. A call rejects with it, and the function does not run,
 * if `lock` did not return a lock; otherwise as `withLock`
 */
export function locked(lock: WithLock, options?: HoldOptions): Locked<unknown, []>
/** The same with a lock for each call. */
export function locked<This, Args extends unknown[]>(
  lock: (this: This, ...args: Args) => WithLock,
  options?: HoldOptions,
): Locked<This, Args>
export function locked(lock: WithLock | ((...args: never[]) => WithLock), options?: HoldOptions): unknown {
  if (!isLock(lock) && typeof lock !== 'function')
    throw notALock('locked needs a lock, or a function that returns one', lock)
  if (options !== undefined) checkOptions(options, holdOptionNames)
  return (first: unknown, second?: unknown, descriptor?: PropertyDescriptor) => {
    if (!descriptor) return holding(lock, options, functionOf(first, second))
    return { ...descriptor, value: holding(lock, options, functionOf(descriptor.value, second)) }
  }
}

type AnyFunction = (...args: never[]) => unknown

const isLock = (given: unknown): given is WithLock =>
  typeof given === 'object' && given !== null && 'withLock' in given

const notALock = (needed: string, given: unknown): InvalidArgumentError =>
  new InvalidArgumentError(`${needed}, got ${shown(given)}; write locked((id) => holdfast.getLock(id))`)

/** @param place - a decorator's second argument; `undefined` for a function that is wrapped */
function functionOf(given: unknown, place: unknown): AnyFunction {
  const kind = typeof place === 'object' && place !== null && 'kind' in place ? place.kind : 'method'
  if (kind !== 'method' || (place !== undefined && typeof given !== 'function')) {
    const what = kind === 'method' ? 'property or accessor' : String(kind)
    throw new InvalidArgumentError(
      `@locked can only decorate a method, got a ${what}; put it on the method that does the work`,
    )
  }
  requireFunction('locked(lock)', given)
  return given
}

function holding(
  lock: WithLock | AnyFunction,
  options: HoldOptions | undefined,
  fn: AnyFunction,
): AnyFunction {
  const held = async function (this: unknown, ...args: unknown[]): Promise<unknown> {
    const found: unknown = typeof lock === 'function' ? Reflect.apply(lock, this, args) : lock
    if (!isLock(found)) throw notALock('the function passed to locked must return a lock', found)
    return found.withLock(options, (): unknown => Reflect.apply(fn, this, args))
  }
  return Object.defineProperties(held, {
    name: { value: fn.name, configurable: true },
    length: { value: fn.length, configurable: true },
  })
}
