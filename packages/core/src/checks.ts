import { inspect } from 'node:util'
import { InvalidArgumentError } from './errors.js'
import { longestMs } from './util/clock.js'

/** Checks of options: each names the option, the value and the bound. */

export function requireInteger(option: string, value: unknown, least: number, why = ''): void {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > longestMs) {
    throw new InvalidArgumentError(
      `${option} must be an integer from ${least} to ${longestMs}${why}, got ${inspect(value)}`,
    )
  }
}

export function checkInteger(option: string, value: unknown, least: number, why = ''): void {
  if (value !== undefined) requireInteger(option, value, least, why)
}

export function checkString(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'string') {
    throw new InvalidArgumentError(`${option} must be a string, got ${inspect(value)}`)
  }
}

export function checkObject(options: unknown): void {
  if (typeof options !== 'object' || options === null) {
    throw new InvalidArgumentError(`options must be an object, got ${inspect(options)}`)
  }
}
