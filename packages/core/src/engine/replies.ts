/** The outcome of an acquire request. */
export type AcquireReply =
  | HeldReply
  | BusyReply
  /** The owner wanted a count above 1 and does not hold the lock. Nothing was changed. */
  | { readonly kind: 'lost' }
  /** The owner was abandoned by an earlier release, and its tombstone is still there. Nothing was changed. */
  | { readonly kind: 'abandoned' }
  | NotALockReply

/** The outcome of a request for several locks. */
export type JointReply =
  | {
      readonly kind: 'entered'
      /** Of the locks that were entered: the first ones of the request, in its order. */
      readonly tokens: readonly number[]
      /** The first lock that was busy, by its place in the request. Its owner is not queued. */
      readonly busy?: { readonly index: number; readonly reply: BusyReply } | undefined
    }
  /** One of the owners was abandoned earlier. Nothing was changed. */
  | { readonly kind: 'abandoned' }
  | (NotALockReply & { readonly index: number })

/** The owner holds the lock. */
export interface HeldReply {
  readonly kind: 'held'
  /** The fencing token; 0 when the hold has none. Of a hold that was entered again 0 will do: its owner knows the token. */
  readonly token: number
  /**
   * How many permits are free afterwards, from an engine that wakes waiters: if there are any, the client's next waiter
   * requests some.
   */
  readonly free?: number | undefined
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
  /**
   * From an engine whose waiters poll: in how many milliseconds to request again, if not after `pollMs`. Of many that wait, those at
   * the back need not poll as the next in line does.
   */
  readonly againMs?: number | undefined
}

/** The store holds something else under this name. Nothing was changed. */
export interface NotALockReply {
  readonly kind: 'not-a-lock'
  /** What it is, where it is and what to do, as the second half of a sentence: 'the key lock:x holds a list; …' */
  readonly reason: string
}

/** `not-held`: the owner did not hold the lock, or no longer did; only its queue entry was removed. */
export type ReleaseReply = { readonly kind: 'released' } | { readonly kind: 'not-held' } | NotALockReply

/**
 * The size in force after a resize, and its version; both 0 when there is none.
 *
 * - `resized`: it is the one requested, set now or by an earlier execution of the same request
 * - `superseded`: another resize came in between. Nothing was changed now; an earlier execution may have set the size
 *   that the other one replaced.
 */
export interface ResizeReply {
  readonly kind: 'resized' | 'superseded'
  readonly version: number
  readonly size: number
}

/**
 * The outcome of one renewal. `no-reply`: it is not known whether it was carried out; of several in one step, the others count.
 */
export type RenewalReply = 'renewed' | 'not-held' | 'no-reply'

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
  /** Who is in the way of one that waits, as in a {@link BusyReply}. Left out: not known. */
  readonly holder?: string | undefined
  /** Its position now, as in a {@link BusyReply} and no larger than before. Left out: not known. Counts only with `holder`. */
  readonly position?: number | undefined
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

/** Who holds permits of an object, and who waits for some. */
export interface SharedInspection {
  readonly kind: 'shared'
  /** The permits in all, if the object was resized: see `version`. */
  readonly size: number
  /** Of the resize that is in force; 0: none, and `size` means nothing. */
  readonly version: number
  /** How many permits are free, if that is what the store counts. */
  readonly free?: number | undefined
  /** The permits that are held, as far as the store knows by whom. */
  readonly used: number
  /** How many owners hold some. */
  readonly holderCount: number
  /** Those whose hold ends first. `ttlMs`: for how long the store keeps it unless renewed. */
  readonly holders: readonly { readonly owner: string; readonly permits: number; readonly ttlMs: number }[]
  /** The last fencing token; 0 when it is not known. */
  readonly token: number
  /** How many queue entries there are, stale ones and those that are not listed included. */
  readonly waiterCount: number
  /** The first of them. `aliveMs`: how long the entry stays unless refreshed. */
  readonly waiters: readonly { readonly owner: string; readonly permits: number; readonly aliveMs: number }[]
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
