/** The outcome of an acquire request. */
export type AcquireReply =
  | HeldReply
  | BusyReply
  /** The owner wanted a count above 1 and does not hold the lock. Nothing was changed. */
  | { readonly kind: 'lost' }
  /** The owner was abandoned by an earlier release, and its tombstone is still there. Nothing was changed. */
  | { readonly kind: 'abandoned' }
  | NotALockReply

/** The owner holds the lock. */
export interface HeldReply {
  readonly kind: 'held'
  /** The fencing token; 0 when the hold has none. Of a hold that was entered again 0 will do: its owner knows the token. */
  readonly token: number
}

/** The owner does not get the lock now. */
export interface BusyReply {
  readonly kind: 'busy'
  /** Until the lock may be free without a notification, milliseconds. */
  readonly ttlMs: number
  /** The store's clock, microseconds. A grant that carries it too can be dated without a further request. */
  readonly serverUs?: number | undefined
  /** Who holds the lock. '' when it is free, but set aside for another owner for the next `ttlMs`. */
  readonly holder: string
  /** Position in the queue, 1 for the next in line; 0: not queued. Without order in the queue, any number above 0. */
  readonly position: number
}

/** The store holds something else under this name. Nothing was changed. */
export interface NotALockReply {
  readonly kind: 'not-a-lock'
  /** What it is, where it is and what to do, as the second half of a sentence: 'the key lock:x holds a list; …' */
  readonly reason: string
}

/** `not-held`: the owner did not hold the lock, or no longer did; only its queue entry was removed. */
export type ReleaseReply = { readonly kind: 'released' } | { readonly kind: 'not-held' } | NotALockReply

/** The outcome of one renewal. */
export type RenewalReply = 'renewed' | 'not-held'

/** The state of a queue entry. */
export interface QueueEntryReply {
  /**
   * - `waiting`: it stays alive for the time requested
   * - `granted`: its owner holds the lock
   * - `missing`: there is none (stale, or lost with the store's data); its owner requests again
   */
  readonly state: 'waiting' | 'granted' | 'missing'
  /** Until the lock may be free without a notification, milliseconds; negative when it is free. */
  readonly ttlMs: number
}

/** Who holds a lock and who waits for it. */
export interface Inspection {
  readonly kind: 'lock'
  /** '' when the lock is free. */
  readonly owner: string
  readonly count: number
  /** Of the hold; negative when the lock is free. */
  readonly ttlMs: number
  /** The last fencing token; 0 when it is not known. */
  readonly token: number
  /** How many queue entries there are, stale ones and those that are not listed included. */
  readonly waiterCount: number
  /** The first of them. `aliveMs`: how long the entry stays unless refreshed. */
  readonly waiters: readonly { readonly owner: string; readonly aliveMs: number }[]
}

/** How a client describes itself. */
export interface ClientInfo {
  /** The name of its machine. */
  readonly host: string
  /** Its process id there. */
  readonly pid: number
  /** The `label` option; '' without one. */
  readonly label: string
  /** When the client was made, by its own wall clock. */
  readonly startedAt: Date
}
