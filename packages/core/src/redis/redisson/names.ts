import type { Kind, Layout } from '../keys.js'
import type { RedissonSemaphore } from './options.js'

/** The hash tag of a name, by Redisson's rule: the name itself, unless it has a brace already. */
const taggedOf = (name: string): string => (name.includes('{') ? name : `{${name}}`)

/**
 * The names of what Redisson 3.24 to 4.7 keeps beside an object. Names whose braces form no tag are refused before they get
 * here.
 */
const prefixed = (prefix: string, name: string): string => `${prefix}:${taggedOf(name)}`

/** The channel on which a release of a lock is announced. */
export const releaseChannelOf = (lock: string): string => prefixed('redisson_lock__channel', lock)

/** The same of a read/write lock. */
export const readWriteChannelOf = (lock: string): string => prefixed('redisson_rwlock', lock)

/** What the keys of a reader's holds begin with. */
export const holdSlotOf = (lock: string): string => taggedOf(lock)

/** The key that lives as long as a hold of the read side. Redisson has one more for each time that a thread re-enters. */
export const holdKeyOf = (lock: string, owner: string): string =>
  `${holdSlotOf(lock)}:${owner}:rwlock_timeout:1`

/** The key of the last fencing token. */
const tokenKeyOf = (lock: string): string => prefixed('redisson_lock_token', lock)

/** The channel on which the free permits of a semaphore are announced. */
export const permitsChannelOf = (semaphore: string): string => prefixed('redisson_sc', semaphore)

/** The key of the permits of an `RPermitExpirableSemaphore` by their ends. */
export const permitIdsKeyOf = (semaphore: string): string => `${taggedOf(semaphore)}:timeout`

/** The channel on which it is announced that a latch has opened. Other than all the rest, it always gets braces. */
export const latchChannelOf = (latch: string): string => `redisson_countdownlatch__channel__{${latch}}`

/** Redisson keeps every object under its bare name, and each kind has a form of its own. */
export const layoutWith = (semaphores: RedissonSemaphore | undefined): Layout => ({
  kindOf: (object): Kind =>
    object === 'semaphore' && semaphores === 'RPermitExpirableSemaphore' ? 'permits' : object,
  mainOf: (lock) => lock,
  fenceOf: tokenKeyOf,
})
