/** One process's hand on a lock. It is asked once and knows nothing of waiting: callers ask again. */
export interface ClassicLock {
  tryAcquire(): Promise<boolean>
  release(): Promise<void>
}
