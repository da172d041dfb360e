/**
 * What an engine promises. The core refuses by name what an engine cannot keep, and the conformance suite holds each
 * engine to what it says here.
 */
export interface Traits {
  /** Whether waiters get in in the order in which they came. */
  readonly fifo: boolean
  /**
   * How a free lock finds its next holder.
   *
   * - `grant`: the release itself makes a live waiter the holder, who is notified of it ({@link EngineHost.granted})
   * - `wake`: a waiter is notified that it may be its turn ({@link EngineHost.wake}) and requests the lock again
   * - `pollMs`: nobody is notified; waiters request again after a time drawn between these bounds, milliseconds
   */
  readonly handOff: 'grant' | 'wake' | { readonly pollMs: readonly [shortest: number, longest: number] }
  readonly lease: {
    /** Leases are kept in steps of so many milliseconds, rounded up. */
    readonly stepMs: number
    /** The shortest lease that can be kept. A shorter `leaseMs` or `watchdogTimeoutMs` is refused. */
    readonly shortestMs: number
    /**
     * By how much the store may end a lease early, milliseconds, besides clocks that drift apart. A process stops
     * claiming a hold by so much sooner.
     */
    readonly marginMs: number
    /**
     * How long confirming a grant may take ({@link Confirmer}), milliseconds, and the engine's option that says so. A
     * `leaseMs` or `maxHoldMs` that is not longer is refused.
     */
    readonly confirmation?: { readonly withinMs: number; readonly option: string } | undefined
  }
  /**
   * Whether a grant comes with a number larger than that of every earlier grant of the lock: always, as long as the
   * store keeps its data, or never. With `none`, `getFencedLock` is refused and `lease.fencingToken` throws.
   */
  readonly fencing: 'kept' | 'while data lives' | 'none'
  /** What the holds outlive: a restart of the store, a fail-over too, or neither. */
  readonly survives: 'nothing' | 'restart' | 'fail-over'
  /** When a holder learns that its hold was forced open: from a notification, or at its next renewal. */
  readonly force: 'notified' | 'at renewal'
  /** Whether commands can be counted at the store, so that their number per cycle is part of the promise. */
  readonly commandsAreCounted: boolean
}
