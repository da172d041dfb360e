import { inspect } from 'node:util'
import {
  HoldfastError,
  InvalidArgumentError,
  type AcquireOptions,
  type Lease,
  type Lock,
} from '@holdfast/core'
import { isClient, type HoldfastClient } from './options.js'

type Body = (lease: Lease) => Promise<unknown>

/**
 * The client that Nest injected into an instance.
 *
 * @throws `HoldfastError` without one: running unlocked would be worse than not to run
 */
export function clientOf(
  instance: unknown,
  property: symbol,
  title: string,
): Pick<HoldfastClient, 'getLock'> {
  const injected: unknown =
    typeof instance === 'object' && instance !== null ? Reflect.get(instance, property) : undefined
  if (isClient(injected)) return injected
  throw new HoldfastError(
    `${title} has @WithLock, but was called on ${inspect(instance, { depth: -1 })}, into which Nest injected no Holdfast client: call it on the ` +
      'instance that Nest created as a provider or controller, not on one made with new, useValue or useFactory',
  )
}

/** @throws `InvalidArgumentError` for what a key function must not return */
export function nameFrom(returned: unknown, title: string): string {
  if (typeof returned === 'string' && returned !== '') return returned
  throw new InvalidArgumentError(
    `the key function of @WithLock on ${title} must return the name of a lock, got ${inspect(returned, { depth: 0 })}`,
  )
}

export const withLock = (lock: Lock, options: AcquireOptions, body: Body): Promise<unknown> =>
  lock.withLock(options, body)

/** Resolves with `undefined` while others hold the lock. */
export async function withLockOrSkip(lock: Lock, options: AcquireOptions, body: Body): Promise<unknown> {
  const result = await lock.tryWithLock(options, body)
  return result.ran ? result.value : undefined
}

/**
 * What a method resolves with.
 *
 * @throws `HoldfastError` for a result whose work would go on, or only begin, after the lock is released
 */
export async function settled(result: unknown, title: string): Promise<unknown> {
  if (!isPromise(result)) throw outlives(result, title, 'returned')
  const value = await result
  if (isObservable(value)) throw outlives(value, title, 'resolved with')
  return value
}

const has = (given: unknown, method: string): boolean =>
  typeof given === 'object' && given !== null && typeof Reflect.get(given, method) === 'function'

const isPromise = (given: unknown): given is PromiseLike<unknown> => has(given, 'then')

const isObservable = (given: unknown): boolean => has(given, 'subscribe')

function outlives(result: unknown, title: string, verb: string): HoldfastError {
  const what = isObservable(result)
    ? 'an Observable, which would outlive its lock'
    : inspect(result, { depth: 0 })
  const advice = isObservable(result)
    ? 'return a promise, as with firstValueFrom(…)'
    : 'make it an async method'
  return new HoldfastError(`${title} has @WithLock and ${verb} ${what}, not a promise: ${advice}`)
}
