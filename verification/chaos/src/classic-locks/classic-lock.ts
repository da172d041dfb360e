/** One process's handle on a lock. It makes single attempts; callers that want to wait retry. */
export interface ClassicLock {
  tryAcquire(): Promise<boolean>
  release(): Promise<void>
}
