import type { Lock } from './lock.js'

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
