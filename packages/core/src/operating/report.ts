import type { ClientInfo } from '../engine/replies.js'
import type { LossReason } from '../errors/errors.js'
import type { ObjectKind } from '../ownership/target.js'

/** What one client reports when it is asked. All times were measured by that client's own monotonic clock. */
export interface ClientReport {
  /** The first part of its owners. */
  readonly clientId: string
  /** Which process it is. */
  readonly client: ClientInfo
  /** How many holds it has in all, listed or not. */
  readonly holdCount: number
  /** How many of its acquisitions wait in all, listed or not. */
  readonly waiterCount: number
  /** Outermost acquisitions, full releases and lost holds since the client was made. */
  readonly counts: { readonly acquired: number; readonly released: number; readonly lost: number }
  /**
   * Outermost acquisitions by how long they waited, since the client was first asked for reports: `buckets[i]` took at most
   * `waitBucketsMs[i]`, the last one longer. A client that was not asked for a minute begins at 0 again. Empty when the
   * question was about one name.
   */
  readonly waits: { readonly count: number; readonly buckets: readonly number[] }
  /** How many locks releases handed to its waiters, since the same time; 0 when the question was about one name. */
  readonly handOffs: number
  /** The last 20 losses, newest first. */
  readonly losses: readonly LossReport[]
  /** Its oldest holds. */
  readonly holds: readonly HoldReport[]
  /** Its acquisitions that have waited longest. */
  readonly queue: readonly WaitReport[]
}

/** An object and an owner of a client. */
interface OwnerReport {
  /** The name given to `getLock`, `getSemaphore` and so on. */
  readonly name: string
  /** What has that name, and for a read/write lock which side of it. */
  readonly kind: ObjectKind
  /** `<clientId>:<n>` */
  readonly owner: string
}

/** A hold that a client lost. */
export interface LossReport extends OwnerReport {
  /** Why it counts as lost. */
  readonly reason: LossReason
  /** How long ago, milliseconds. */
  readonly agoMs: number
}

/** A hold of a client. */
export interface HoldReport extends OwnerReport {
  /** How often entered. */
  readonly holdCount: number
  /** The permits it needs of a semaphore; 1 for anything else. */
  readonly permits: number
  /** How many permits a semaphore has in all, as its process knows it; `null` for anything else. */
  readonly size: number | null
  /** 0 if it has none. */
  readonly fencingToken: number
  /** Since the grant, milliseconds. */
  readonly heldMs: number
  /** For how long its process still claims it, unless it is renewed, milliseconds. */
  readonly remainingMs: number
}

/** An acquisition of a client that waits, or a wait for a latch. */
export interface WaitReport extends OwnerReport {
  /** The permits it wants of a semaphore; 1 for anything else. */
  readonly permits: number
  /** How many permits a semaphore has in all, as its process knows it; `null` for anything else. */
  readonly size: number | null
  /** Since the call, milliseconds. */
  readonly waitedMs: number
  /** Its position in the queue as far as its client has heard, `stateAgeMs` ago; 0: none. */
  readonly position: number
  /** Who held the object then; '' if nobody did, or if several did. */
  readonly holder: string
  /**
   * How old `position` and `holder` are, milliseconds: up to a third of `watchdogTimeoutMs`, longer in an outage. `null` if its
   * client has heard nothing yet.
   */
  readonly stateAgeMs: number | null
}
