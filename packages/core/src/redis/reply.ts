import { inspect } from 'node:util'
import { HoldfastError } from '../errors/errors.js'

/** Reads replies of scripts without trusting them: a reply of another shape is an error, not a wrong number. */

export function asList(reply: unknown): readonly unknown[] {
  if (!Array.isArray(reply)) throw notUnderstood('a list', reply)
  return reply
}

export function numberAt(list: readonly unknown[], index: number): number {
  const value = list[index]
  if (typeof value !== 'number') throw notUnderstood(`a number at ${index}`, value)
  return value
}

export function textAt(list: readonly unknown[], index: number): string {
  const value = list[index]
  if (typeof value !== 'string') throw notUnderstood(`a string at ${index}`, value)
  return value
}

/** Neither refused nor without a reply: nothing is known of what was done, and repeating it makes no sense. */
export function notUnderstood(expected: string, got: unknown): HoldfastError {
  const error = new HoldfastError(
    `unexpected reply from Redis: expected ${expected}, got ${inspect(got)}. ` +
      'Check for a proxy or anything else between this client and Redis',
  )
  outOfStep.add(error)
  return error
}

const outOfStep = new WeakSet()

/** Whether the reply may have been that to another command, as all that follow on its connection may be. */
export const isOutOfStep = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && outOfStep.has(error)
