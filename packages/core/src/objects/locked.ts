import { InvalidArgumentError } from '../errors/errors.js'
import { checkOptions, requireFunction } from '../options/checks.js'
import { acquireOptionNames } from '../options/options.js'
import type { AcquireOptions } from '../options/options.js'
import { shown } from '../util/kind-of.js'

/** What {@link locked} holds: a lock, one side of a read/write lock, a multi lock, or a bridge. */
export interface WithLock {
  withLock<T>(options: AcquireOptions | undefined, fn: () => T | PromiseLike<T>): Promise<T>
}

/** Has the calls of a function or a method hold a lock. Made by {@link locked}. */
export interface Locked<This, Args extends unknown[]> {
  /** Around a function: returns the one to call. */
  <T extends This, A extends [...Args, ...unknown[]], R>(
    fn: (this: T, ...args: A) => PromiseLike<R>,
  ): (this: T, ...args: A) => Promise<R>
  /** Above a method, as a decorator of ECMAScript. */
  <T extends This, A extends [...Args, ...unknown[]], R>(
    method: (this: T, ...args: A) => Promise<R>,
    context: ClassMethodDecoratorContext<T, (this: T, ...args: A) => Promise<R>>,
  ): (this: T, ...args: A) => Promise<R>
  /** Above a method, with TypeScript's `experimentalDecorators`. */
  <A extends [...Args, ...unknown[]], R>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<(...args: A) => Promise<R>>,
  ): TypedPropertyDescriptor<(...args: A) => Promise<R>>
}

/**
 * Has each call of a function or a method hold a lock:
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
 * A call does what `withLock` does: it rejects without running the function if the lock cannot be acquired, calls on the same lock inside
 * re-enter, and the lock is held until the promise of the function settles. What is read only after that, such as an async iterator or
 * an Observable, outlives the lock.
 *
 * @param lock - the lock, or a function that returns it: it is called with the arguments of the call, and its `this`
 * @param options - of each acquisition, as for `withLock`
 * @returns what takes the function; or, with `@`, stands above the method
 * @throws `InvalidArgumentError` for anything else, and above anything but a method. A call rejects with it, and runs nothing, if `lock` did
 * not return a lock; otherwise as `withLock`
 */
export function locked(lock: WithLock, options?: AcquireOptions): Locked<unknown, []>
/** The same with a lock for each call. */
export function locked<This, Args extends unknown[]>(
  lock: (this: This, ...args: Args) => WithLock,
  options?: AcquireOptions,
): Locked<This, Args>
export function locked(lock: WithLock | ((...args: never[]) => WithLock), options?: AcquireOptions): unknown {
  if (!isLock(lock) && typeof lock !== 'function') throw notALock('locked needs', lock)
  if (options !== undefined) checkOptions(options, acquireOptionNames)
  return (first: unknown, second?: unknown, descriptor?: PropertyDescriptor) => {
    if (!descriptor) return holding(lock, options, functionOf(first, second))
    return { ...descriptor, value: holding(lock, options, functionOf(descriptor.value, second)) }
  }
}

type AnyFunction = (...args: never[]) => unknown

const isLock = (given: unknown): given is WithLock =>
  typeof given === 'object' && given !== null && 'withLock' in given

const notALock = (who: string, given: unknown): InvalidArgumentError =>
  new InvalidArgumentError(
    `${who} a lock, or a function that returns one, got ${shown(given)}; write locked((id) => holdfast.getLock(id))`,
  )

/** @param place - what a decorator is told of where it stands; `undefined`: it is none */
function functionOf(given: unknown, place: unknown): AnyFunction {
  const kind = typeof place === 'object' && place !== null && 'kind' in place ? place.kind : 'method'
  if (kind !== 'method' || (place !== undefined && typeof given !== 'function')) {
    const what = kind === 'method' ? 'property or accessor' : String(kind)
    throw new InvalidArgumentError(
      `@locked stands above a method, got a ${what}: move it to the method that does the work`,
    )
  }
  requireFunction('locked(lock)', given)
  return given
}

function holding(
  lock: WithLock | AnyFunction,
  options: AcquireOptions | undefined,
  fn: AnyFunction,
): AnyFunction {
  const held = async function (this: unknown, ...args: unknown[]): Promise<unknown> {
    const found: unknown = typeof lock === 'function' ? Reflect.apply(lock, this, args) : lock
    if (!isLock(found)) throw notALock('the function given to locked has to return', found)
    return found.withLock(options, (): unknown => Reflect.apply(fn, this, args))
  }
  return Object.defineProperties(held, {
    name: { value: fn.name, configurable: true },
    length: { value: fn.length, configurable: true },
  })
}
