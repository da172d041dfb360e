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
  /** Whether waiters get the lock in order of arrival. */
  readonly fifo: boolean
  /**
   * How a free lock finds its next holder.
   *
   * - `grant`: the release itself makes a live waiter the holder, who is notified of it ({@link EngineHost.granted})
   * - `wake`: a waiter is notified that it may be its turn ({@link EngineHost.wake}) and requests the lock again
   * - `pollMs`: waiters are not notified; they request again after a time drawn between these bounds, milliseconds, unless the
   *   reply says another ({@link BusyReply.againMs}). `queued`: they queue at the store all the same, and a release makes the first of them
   *   the holder, who finds out when it requests again
   */
  readonly handOff:
    | 'grant'
    | 'wake'
    | { readonly pollMs: readonly [shortest: number, longest: number]; readonly queued?: true }
  readonly lease: {
    /**
     * What ends a hold besides its release.
     *
     * - `hold`, the default: its own lease
     * - `session`: its own lease, or the end of its client's session, whichever comes first: see {@link StoreFacts.aliveUntil}. A
     *   session lasts for `watchdogTimeoutMs` unless an option of the engine says otherwise.
     */
    readonly of?: 'hold' | 'session'
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
  /** What holds survive: a restart of the store, also a failover, or neither. */
  readonly survives: 'nothing' | 'restart' | 'failover'
  /** When a holder learns that its hold was forced open: from a notification, or at its next renewal. */
  readonly force: 'notified' | 'at renewal'
  /**
   * Whether single holds may vanish while the store runs, as where it evicts what it has no room for. A release that was repeated
   * and finds nothing counts as a loss then: the first one may have found nothing, too.
   */
  readonly evicts?: true
  /** Whether objects and clients can be listed, and clients asked what they hold. */
  readonly operator?: true
  /**
   * How many commands reach the store for one cycle, which is to acquire a lock and to release it: while nobody else wants it, and for
   * each of many that wait for it. Left out where they cannot be counted there, or are not promised.
   */
  readonly commandsPerCycle?: { readonly uncontended: number; readonly contended: number }
}
