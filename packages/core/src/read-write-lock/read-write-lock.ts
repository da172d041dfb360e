import { writePermits } from '../engine/requests.js'
import { storeOf, type LockClient } from '../lock-client.js'
import { Lock } from '../objects/lock.js'
import { resolveReentrant, type LockOptions } from '../options/options.js'
import { sharedSteps } from '../redis/carried-steps.js'

/**
 * A read/write lock: any number of readers at once, or one writer.
 *
 * Both sides have all methods of a lock. Requests are served in order of arrival: a waiting writer stops later readers, and
 * readers next to each other in the queue enter in one step.
 *
 * The holder of the write lock may take the read lock inside. If it then releases the write lease first, the hold becomes a
 * read lock, and waiting readers enter at once (downgrade). A write lock inside a read lock of the same caller is refused with
 * `UpgradeError`.
 */
export interface ReadWriteLock {
  /** The name given to `getReadWriteLock`. */
  readonly name: string
  /** Held by any number of owners at once, while no owner holds `write`. */
  readonly read: Lock
  /** Held by one owner alone. */
  readonly write: Lock
}

/**
 * The read/write lock of this name, as `holdfast.getReadWriteLock` returns it, of any client. Sends nothing.
 *
 * @throws `InvalidArgumentError` as `holdfast.getReadWriteLock`
 */
export function getReadWriteLock(client: LockClient, name: string, options?: LockOptions): ReadWriteLock {
  const store = storeOf(client, 'getReadWriteLock')
  const reentrant = resolveReentrant(options)
  const address = store.locate(name, 'read-write-lock')
  store.session.carry?.(sharedSteps)
  const size = writePermits
  const read = new Lock(store, { address, kind: 'read-lock', permits: 1, size }, false, reentrant)
  const write = new Lock(store, { address, kind: 'write-lock', permits: size, size }, false, reentrant)
  return { name, read, write }
}
