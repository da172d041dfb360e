import { checkObject, checkOptions } from '../../options/checks.js'
import { InvalidArgumentError } from '../../errors/errors.js'
import { shown } from '../../util/kind-of.js'
import { resolveRedisSettings } from '../options.js'
import type { RedisOptions, RedisSettings } from '../options.js'

/**
 * The semaphores of Redisson.
 *
 * - `RSemaphore`: a number of free permits. Those of Java have no owner and no end
 * - `RPermitExpirableSemaphore`: each permit has an id, and ends by itself if it was acquired with a lease
 */
export type RedissonSemaphore = 'RSemaphore' | 'RPermitExpirableSemaphore'

/** Where Redis is, and what of it is shared with Redisson. Its objects have no prefix. */
export interface RedissonOptions extends Omit<RedisOptions, 'prefix'> {
  /**
   * Which of Redisson's semaphores `getSemaphore` is to share. For both, make a client for each. Without it
   * `getSemaphore` is refused.
   */
  readonly semaphores?: RedissonSemaphore | undefined
}

const options: Record<keyof RedissonOptions, true> = {
  redis: true,
  semaphores: true,
  minReplicas: true,
  replicaTimeoutMs: true,
}
const optionNames = new Set(Object.keys(options))
const forms: Record<RedissonSemaphore, true> = { RSemaphore: true, RPermitExpirableSemaphore: true }

/** How to choose one. */
export const choiceOfForms = Object.keys(forms)
  .map((form) => `'${form}'`)
  .join(' or ')

/** Checks the options and fills in the defaults. */
export function resolveRedisson(given: RedissonOptions): RedisSettings {
  const hint = '; say where Redis is, as in redisson({ redis: url })'
  checkObject(given, hint)
  checkOptions(given, optionNames)
  const { semaphores } = given
  if (semaphores !== undefined && !Object.hasOwn(forms, semaphores)) {
    throw new InvalidArgumentError(`semaphores must be ${choiceOfForms}, got ${shown(semaphores)}`)
  }
  return resolveRedisSettings({ ...given, prefix: '' })
}
