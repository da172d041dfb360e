import type { Sharing } from '../../engine/sharing.js'
import { InvalidArgumentError } from '../../errors/errors.js'
import type { RedissonSemaphore } from './options.js'

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
