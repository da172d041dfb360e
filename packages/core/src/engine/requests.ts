/**
 * Where one lock lives in a store. An engine makes these in {@link EngineSession.locate} and gets the very same objects
 * back, so it may return objects of a class of its own with more in them.
 */
export interface Address {
  /** The name given to `getLock`. */
  readonly name: string
  /** Identical for the same lock, and different for any other. */
  readonly id: string
  /** Addresses with the same group may share one call of `renew` or `refresh`. */
  readonly group: string
}

/** What an owner requests of a lock. Times are milliseconds. */
export interface AcquireRequest {
  readonly owner: string
  /** The hold count wanted: 1 to get in, more to re-enter. Never an increment, so that a repeated request changes nothing. */
  readonly count: number
  readonly leaseMs: number
  /** How long a queue entry stays alive unless refreshed; 0: do not queue. */
  readonly entryTtlMs: number
  /** The lease of a hold that is granted to the queue entry. */
  readonly grantLeaseMs: number
  /** Whether the hold is to have a fencing token and has none yet. An engine whose holds always have one ignores this. */
  readonly wantsToken: boolean
}

/** What an owner wants to give back. */
export interface ReleaseRequest {
  readonly owner: string
  /** The hold count wanted; 0 gives up both the hold and the queue entry. */
  readonly count: number
  /** How long a late request of this owner is to be refused, milliseconds; 0 when none can be on its way. */
  readonly tombstoneMs: number
}

/** A hold to renew. */
export interface Renewal {
  readonly address: Address
  readonly owner: string
  readonly leaseMs: number
}

/** A queue entry to keep alive. */
export interface QueueEntry {
  readonly address: Address
  readonly owner: string
  /** How long it stays alive from now on, milliseconds. */
  readonly entryTtlMs: number
}
