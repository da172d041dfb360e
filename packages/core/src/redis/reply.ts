import { RefusedError } from '../errors.js'

/** Reads replies of scripts without trusting them: a reply of another shape is an error, not a wrong number. */

export function asList(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw new RefusedError(`expected a list from the script, got ${String(reply)}`)
  return reply
}

export function numberAt(list: readonly unknown[], index: number): number {
  const value = list[index]
  if (typeof value !== 'number') {
    throw new RefusedError(`expected a number at ${index} of the script's reply, got ${String(value)}`)
  }
  return value
}

export function textAt(list: readonly unknown[], index: number): string {
  const value = list[index]
  if (typeof value !== 'string') {
    throw new RefusedError(`expected a string at ${index} of the script's reply, got ${String(value)}`)
  }
  return value
}
