import { inspect } from 'node:util'
import { InvalidArgumentError, type HoldOptions } from '@holdfast/core'
import { Inject } from '@nestjs/common'
import { withCurrentLease } from './current-lease.js'
import { inPlaceOf, methodOf } from './decorated-method.js'
import { templated, type KeyFunction } from './key-template.js'
import { clientOf, nameFrom, settled, withLock, withLockOrSkip } from './locked-call.js'
import { getHoldfastToken } from './tokens.js'

/** How `@WithLock` acquires its lock. An option that is left out takes the client's default, but `waitMs` with `ifBusy: 'skip'` is 0 then. */
export interface WithLockOptions extends Omit<HoldOptions, 'signal'> {
  /** The name of the client, as given to `HoldfastModule.forRoot`; `'default'` by default. */
  readonly client?: string | undefined
  /**
   * What happens when others hold the lock for all of `waitMs`: `'throw'` rejects with `LockTimeoutError`. `'skip'` resolves with
   * `undefined`, and does so at once unless there is a `waitMs`. It covers this one acquisition only: what the method itself
   * throws, and any other error, rejects in both cases.
   *
   * @defaultValue 'throw'
   */
  readonly ifBusy?: 'throw' | 'skip' | undefined
}

/** Decorates methods whose arguments begin with those of the key, and that return a promise. */
export type WithLockDecorator<This, Args extends unknown[]> = <
  T extends This,
  A extends [...Args, ...unknown[]],
  R,
>(
  target: T & object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<(...args: A) => Promise<R>>,
) => TypedPropertyDescriptor<(...args: A) => Promise<R>>

/** The same for methods that may resolve with `undefined`. */
export type SkippingDecorator<This, Args extends unknown[]> = <
  T extends This,
  A extends [...Args, ...unknown[]],
  R,
>(
  target: T & object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<(...args: A) => Promise<R | undefined>>,
) => TypedPropertyDescriptor<(...args: A) => Promise<R | undefined>>

/**
 * Runs every call of a method of a provider or controller under a lock, which all instances of the application share:
 *
 * ```ts
 * @WithLock('order:{0}', { waitMs: 2_000 })
 * async ship(id: string): Promise<void> { … }
 * ```
 *
 * The method never runs without its lock: if it cannot be acquired, the call rejects. Boot fails without `HoldfastModule`, and on an
 * instance that Nest did not make every call rejects. Calls on the same lock inside re-enter it; `currentLease()` is its lease. The lock is
 * held until the promise that the method returned has settled. Works above and below other decorators, whose metadata it keeps; one that
 * runs the method in a transaction goes below, so that it commits before the release.
 *
 * @param key - the name of the lock, with `{0}` for the first argument and `{0.id}` for a field of it, which go through `lockName`;
 * `{{0.tenant}}` is a hash tag of Redis Cluster. Or a function that returns the name, called with the arguments and the `this`
 * of the call, whose parts are not escaped
 * @throws `InvalidArgumentError` for a bad key or option, a static method, and anything but a method. Calls reject as `withLock` does,
 * with `InvalidArgumentError` when a value in the name is `undefined`, `null`, `''` or an object, and with `HoldfastError` when the method
 * returned no promise, or an Observable, which would outlive the lock
 */
export function WithLock(
  key: string,
  options: WithLockOptions & { readonly ifBusy: 'skip' },
): SkippingDecorator<unknown, []>
/** The same for methods that reject while others hold the lock. */
export function WithLock(
  key: string,
  options?: WithLockOptions & { readonly ifBusy?: 'throw' | undefined },
): WithLockDecorator<unknown, []>
/** The same with a function that returns the name. */
export function WithLock<This, Args extends unknown[]>(
  key: (this: This, ...args: Args) => string,
  options: WithLockOptions & { readonly ifBusy: 'skip' },
): SkippingDecorator<This, Args>
/** The same for methods that reject while others hold the lock. */
export function WithLock<This, Args extends unknown[]>(
  key: (this: This, ...args: Args) => string,
  options?: WithLockOptions & { readonly ifBusy?: 'throw' | undefined },
): WithLockDecorator<This, Args>
export function WithLock(key: string | KeyFunction, options: WithLockOptions = {}): unknown {
  const nameOf = typeof key === 'string' ? templated(key) : key
  checkKey(nameOf)
  checkOptions(options)
  const { client, ifBusy, ...acquire } = options
  const token = getHoldfastToken(client)
  const within = ifBusy === 'skip' ? withLockOrSkip : withLock
  return (target: unknown, property: unknown, descriptor?: PropertyDescriptor) => {
    const { prototype, fn, title } = methodOf(target, property, descriptor)
    // The token also names the property: a class has one for each of its clients, and boot fails without it.
    Inject(token)(prototype, token)
    const locked = async function (this: unknown, ...args: unknown[]): Promise<unknown> {
      const holdfast = clientOf(this, token, title)
      const name = nameFrom(Reflect.apply(nameOf, this, args), title)
      const lock = holdfast.getLock(name)
      return within(lock, acquire, (lease) =>
        withCurrentLease(lease, lock, () => settled(Reflect.apply(fn, this, args), title)),
      )
    }
    return { ...descriptor, value: inPlaceOf(fn, locked) }
  }
}

const optionNames: Record<keyof WithLockOptions, true> = {
  waitMs: true,
  leaseMs: true,
  atLeastMs: true,
  maxHoldMs: true,
  reentrant: true,
  client: true,
  ifBusy: true,
}

/** Values of an acquisition are checked by each call, since the shortest lease is up to the engine. */
function checkOptions(options: WithLockOptions): void {
  const names = Object.keys(optionNames).join(', ')
  const given: unknown = options
  if (typeof given !== 'object' || given === null)
    throw new InvalidArgumentError(
      `the options of @WithLock must be an object with ${names}, got ${inspect(given)}`,
    )
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(optionNames, name))
  if (unknown !== undefined)
    throw new InvalidArgumentError(`unknown option ${inspect(unknown)} of @WithLock; valid options: ${names}`)
  const { ifBusy, client }: { ifBusy?: unknown; client?: unknown } = options
  if (ifBusy !== undefined && ifBusy !== 'throw' && ifBusy !== 'skip')
    throw new InvalidArgumentError(`ifBusy of @WithLock must be 'throw' or 'skip', got ${inspect(ifBusy)}`)
  if (client !== undefined && (typeof client !== 'string' || client === ''))
    throw new InvalidArgumentError(
      `client of @WithLock must be the name of a client, got ${inspect(client, { depth: 0 })}`,
    )
}

function checkKey(key: unknown): void {
  if (typeof key === 'function') return
  throw new InvalidArgumentError(
    `the key of @WithLock must be the name of a lock, or a function that returns it, got ${inspect(key, { depth: 0 })}`,
  )
}
