/** Another owner kept the lock. */
export interface NotAcquired {
  readonly kind: 'not-acquired'
  /** The holder by the last reply; '' when the lock was free but set aside, `undefined` when not known. */
  readonly holder: string | undefined
  /** The position in the queue; 0 when not queued. */
  readonly position: number
  readonly waitedMs: number
}
