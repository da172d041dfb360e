/**
 * A read/write lock is a semaphore: a reader takes one permit, a writer takes all of them. So many readers at once are
 * out of reach.
 */
export const writePermits = 1_000_000_000
