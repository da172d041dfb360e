/** Another owner kept the lock. */
export interface NotAcquired {
  readonly kind: 'not-acquired'
  /** The name of the lock. */
  readonly name: string
  /** The owner that waited; `undefined` for a call that was still behind others of its scope. */
  readonly owner: string | undefined
  /** The holder as of the last reply; '' when the lock was free but set aside, `undefined` when not known. */
  readonly holder: string | undefined
  /** The position in the queue; 0 when not queued. */
  readonly position: number
  readonly waitedMs: number
}
