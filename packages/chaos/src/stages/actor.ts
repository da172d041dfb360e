/**
 * A process of a directed schedule. One hold each, and every method is a step that has happened when it resolves.
 *
 * The same steps are played with every lock, so that the schedules compare: what "on its way out" means in commands is
 * the lock's business.
 */
export interface Actor {
  readonly name: string
  /** The code of the error with which it was told, on leaving, that the lock was not its own any more. */
  readonly leftWith: string | null
  /** Asks, ready to wait without end. Resolves with what comes first: it is inside, or is kept waiting. */
  asks(): Promise<'inside' | 'waiting'>
  isInside(): Promise<void>
  /** Stops working and lets go. */
  leaves(): Promise<void>
  /** Killed while inside. */
  dies(): Promise<void>
  /** Asks, and is killed when Redis has the lock and its caller does not know yet. */
  diesEntering(): Promise<void>
  /** Stands still while it works. */
  stallsInside(): Promise<void>
  /** Has finished its work, and stands still on its way out. */
  stallsLeaving(): Promise<void>
  /** Goes on where it stood still, or with its link back. If that was on its way out, it has left. */
  goesOn(): Promise<void>
  /** Its link is dead, and nobody tells it. */
  losesLink(): Promise<void>
  /** Ends it, whatever it does. */
  close(): Promise<void>
}

export interface ActorOptions {
  /** How far its wall clock is ahead of everybody else's, in milliseconds. @defaultValue 0 */
  readonly clockAheadMs?: number
}
