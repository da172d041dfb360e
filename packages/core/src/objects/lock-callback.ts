import type { Lease } from './lease.js'

/** What `withLock` runs while it holds the lock. */
export type LockCallback<T, L = Lease> = (lease: L) => T | PromiseLike<T>
