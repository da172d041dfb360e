import { inspect } from 'node:util'
import { InvalidArgumentError } from './errors.js'
import { longestMs } from './util/clock.js'
import { nearestName } from './util/nearest-name.js'

/** Checks of options: each names the option, the value and the bound. */

export function requireInteger(
  option: string,
  value: unknown,
  least: number,
  more = '',
  most = longestMs,
): void {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most) {
    throw new InvalidArgumentError(
      `${option} must be an integer from ${least} to ${most}${more}, got ${inspect(value)}`,
    )
  }
}

export function checkInteger(option: string, value: unknown, least: number, more = ''): void {
  if (value !== undefined) requireInteger(option, value, least, more)
}

/** Requires a function that a method can run. */
export function requireFunction(
  method: string,
  given: unknown,
): asserts given is (...args: never[]) => unknown {
  if (typeof given !== 'function') {
    throw new InvalidArgumentError(`${method} needs a function to run, got ${inspect(given)}`)
  }
}

export function checkString(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'string') {
    throw new InvalidArgumentError(`${option} must be a string, got ${inspect(value)}`)
  }
}

export function checkBoolean(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'boolean') {
    throw new InvalidArgumentError(`${option} must be true or false, got ${inspect(value)}`)
  }
}

/** Names what was given in place of something else. Without its value, which may contain a password. */
export function kindOf(given: unknown): string {
  if (given === null || given === undefined) return String(given)
  if (Array.isArray(given)) return 'an array'
  return typeof given === 'object' ? 'an object' : `a ${typeof given}`
}

export function checkObject(options: unknown, hint = ''): asserts options is object {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new InvalidArgumentError(`options must be an object, got ${kindOf(options)}${hint}`)
  }
}

/**
 * Refuses options or a function as a second argument, which plain JavaScript would ignore. Not what `Array.map` passes.
 */
export function refuseSecond(second: unknown, advice: string): void {
  if (typeof second === 'function' || (typeof second === 'object' && second !== null)) {
    throw new InvalidArgumentError(advice)
  }
}

/** Refuses options that do not exist. Allocates nothing for those that do: this runs on every call. */
export function checkOptions(options: unknown, known: ReadonlySet<string>): void {
  checkObject(options)
  for (const option in options) if (!known.has(option)) throw unknownName('option', option, [...known])
}

/** The error for a name that is not among those that exist. */
export function unknownName(kind: string, given: unknown, names: readonly string[]): InvalidArgumentError {
  const nearest = typeof given === 'string' ? nearestName(given, names) : undefined
  const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`
  return new InvalidArgumentError(
    `unknown ${kind} ${inspect(given)}${hint}; valid ${kind}s: ${names.join(', ')}`,
  )
}
