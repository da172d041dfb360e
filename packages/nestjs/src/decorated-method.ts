import { inspect } from 'node:util'
import { InvalidArgumentError } from '@holdfast/core'

/** A method that a decorator of TypeScript's `experimentalDecorators` got. */
interface DecoratedMethod {
  readonly prototype: object
  readonly fn: (...args: never[]) => unknown
  /** What errors call it: `Orders.ship`. */
  readonly title: string
}

/** @throws `InvalidArgumentError` unless it decorates an instance method */
export function methodOf(
  target: unknown,
  property: unknown,
  descriptor: PropertyDescriptor | undefined,
): DecoratedMethod {
  if (typeof property === 'object' && property !== null)
    throw new InvalidArgumentError(
      '@WithLock got the arguments of a standard (TC39) decorator: set experimentalDecorators in tsconfig.json, as Nest needs it',
    )
  const fn: unknown = descriptor?.value
  const name = String(property)
  if (typeof target === 'function')
    throw new InvalidArgumentError(
      `@WithLock cannot decorate ${target.name}.${name}, which is static: Nest injects its client into instances`,
    )
  if (typeof target !== 'object' || target === null || !isFunction(fn))
    throw new InvalidArgumentError(
      `@WithLock can only decorate a method, got ${name} of ${inspect(target, { depth: 0 })}`,
    )
  return { prototype: target, fn, title: `${target.constructor.name}.${name}` }
}

const isFunction = (given: unknown): given is DecoratedMethod['fn'] => typeof given === 'function'

/** Lets a function stand for another one: Nest finds routes, guards, timers and the like by what decorators left on a method. */
export function inPlaceOf(
  original: DecoratedMethod['fn'],
  replacement: (...args: unknown[]) => unknown,
): (...args: unknown[]) => unknown {
  const keys: unknown[] = Reflect.getMetadataKeys(original)
  for (const key of keys) Reflect.defineMetadata(key, Reflect.getMetadata(key, original), replacement)
  return Object.defineProperties(replacement, {
    name: { value: original.name, configurable: true },
    length: { value: original.length, configurable: true },
  })
}
