import type { Sharing } from '../../engine/session.js'
import { InvalidArgumentError } from '../../errors/errors.js'
import { checkObject, checkOptions } from '../../options/checks.js'
import { shown } from '../../util/mistakes.js'
import { resolveRedisSettings, type RedisOptions, type RedisSettings } from '../options.js'

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
  credentials: true,
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

/** Redisson has a client for each master of a quorum, with an id of its own: all that the owners of one thread share is its number. */
const foreignOwner = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}:(-?\d+)$/

/** A permit of an `RPermitExpirableSemaphore` has no owner but its id, 16 bytes in hexadecimal digits. */
const permitId = /^[\da-f]{32}$/

/** What the core must know of Redisson. */
export const sharingWith = (semaphores: RedissonSemaphore | undefined): Sharing => ({
  library: 'Redisson',
  tokenAdvice: (object) =>
    object === 'lock'
      ? 'use getFencedLock (RFencedLock in Java)'
      : 'sides of a read/write lock have none, as in Java: use getFencedLock',
  foreignOwnerOf(owner) {
    const thread = foreignOwner.exec(owner)?.[1]
    return thread === undefined ? undefined : `redisson:${thread}`
  },
  isForeignHolder: (text) => semaphores === 'RPermitExpirableSemaphore' && permitId.test(text),
  checkResize(semaphore, keepMs) {
    if (semaphores === 'RSemaphore') {
      throw new InvalidArgumentError(
        `semaphore ${semaphore} is an RSemaphore, which has no size: change its free permits in Java, with addPermits`,
        { lockName: semaphore },
      )
    }
    if (keepMs !== undefined) {
      throw new InvalidArgumentError(
        `keepMs must be left out: Redisson keeps what semaphore ${semaphore} is resized to for good`,
        { lockName: semaphore },
      )
    }
  },
})
