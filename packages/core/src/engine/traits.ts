/**
 * What an engine promises. The core rejects options that an engine cannot honour, naming the engine, and the conformance
 * suite holds each engine to what it says here.
 */
export interface Traits {
  /**
   * The objects it carries besides locks: `shared` are read/write locks and semaphores, for which `acquire` and `release`
   * count permits. Left out: locks only.
   */
  readonly kinds?: readonly ('shared' | 'latch')[]
  /**
   * The forms of its semaphores, of which `getSemaphore` must name one as `java`. Left out by an engine whose semaphores have
   * one form.
   */
  readonly semaphoreForms?: readonly string[]
  /** Whether waiters get the lock in order of arrival. */
  readonly fifo: boolean
  /**
   * How a free lock finds its next holder.
   *
   * - `grant`: the release itself makes a live waiter the holder, who is notified of it ({@link EngineHost.granted})
   * - `wake`: a waiter is notified that it may be its turn ({@link EngineHost.wake}) and requests the lock again
   * - `pollMs`: waiters are not notified; they request again after a time drawn between these bounds, milliseconds
   */
  readonly handOff: 'grant' | 'wake' | { readonly pollMs: readonly [shortest: number, longest: number] }
  readonly lease: {
    /** Leases are rounded up to a multiple of this many milliseconds. */
    readonly stepMs: number
    /** The shortest lease that is supported. A shorter `leaseMs` or `watchdogTimeoutMs` is refused. */
    readonly shortestMs: number
    /**
     * How much too early the store may end a lease, milliseconds, apart from clock drift. A process stops claiming a hold
     * that much sooner.
     */
    readonly marginMs: number
    /**
     * How long confirming a grant may take ({@link Confirmer}), milliseconds, and the engine's option that sets it. A
     * `leaseMs` or `maxHoldMs` that is not longer is refused.
     */
    readonly confirmation?: { readonly withinMs: number; readonly option: string } | undefined
  }
  /**
   * Whether a grant comes with a number larger than that of every earlier grant of the lock: always, as long as the
   * store keeps its data, or never. With `none`, `getFencedLock` is refused and `lease.fencingToken` throws.
   */
  readonly fencing: 'kept' | 'while data lives' | 'none'
  /** What holds survive: a restart of the store, also a fail-over, or neither. */
  readonly survives: 'nothing' | 'restart' | 'fail-over'
  /** When a holder learns that its hold was forced open: from a notification, or at its next renewal. */
  readonly force: 'notified' | 'at renewal'
  /** Whether objects and clients can be listed, and clients asked what they hold. */
  readonly operator?: true
  /** Whether commands can be counted at the store, so that their number per cycle is part of the promise. */
  readonly commandsAreCounted: boolean
}
