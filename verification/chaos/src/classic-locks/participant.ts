/**
 * A process of a directed schedule, with one hold. Every method is a step that has happened when its promise resolves.
 *
 * The same steps run with every lock, so that the schedules compare; which commands a release consists of is up to the
 * lock.
 */
export interface Participant {
  readonly name: string
  /** The code of the error with which its release failed because it had lost the lock; `null`: none. */
  readonly releaseError: string | null
  /** Requests the lock, with no wait limit. Resolves as soon as it is either inside or waiting. */
  acquire(): Promise<'inside' | 'waiting'>
  /** Resolves once it is inside. */
  entered(): Promise<void>
  /** Stops working and releases the lock. */
  release(): Promise<void>
  /** Is killed while inside. */
  crash(): Promise<void>
  /** Requests the lock, and is killed after Redis granted it but before the caller knows. */
  crashEntering(): Promise<void>
  /** Pauses while it works. */
  pauseInside(): Promise<void>
  /** Has finished its work, and pauses during its release. */
  pauseReleasing(): Promise<void>
  /** Resumes after a pause or with its connection restored. If it paused during its release, the release completes. */
  resume(): Promise<void>
  /** Loses its connection without noticing. */
  disconnect(): Promise<void>
  /** Ends the process, whatever its state. */
  close(): Promise<void>
}

export interface ParticipantOptions {
  /** How far its wall clock is ahead of the others', in milliseconds. @defaultValue 0 */
  readonly clockAheadMs?: number
}
