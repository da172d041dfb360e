import type { ReplicationError } from '../errors/errors.js'
import type { Moment } from '../time/time.js'
import type {
  AcquireReply,
  Inspection,
  JointReply,
  NotALockReply,
  QueueEntryReply,
  ReleaseReply,
  RenewalReply,
  ResizeReply,
  SharedInspection,
  AcquireRequest,
  Address,
  JointRequest,
  QueueEntry,
  ReleaseRequest,
  Renewal,
  ResizeRequest,
} from './requests.js'

/**
 * The steps of locks, read/write locks and semaphores.
 *
 * A step rejects with `UnavailableError` when the store did not reply, whether or not the step was carried out, and
 * with `RefusedError` when it rejected the step and repeating makes no sense. A reply of a shape that the engine does not
 * know is a `HoldfastError`: nothing is known of the outcome then. Steps that name an owner must be safe to run twice.
 * All of them use the store's clock only.
 */
export interface LockSteps {
  /**
   * Lets the owner in, or queues it.
   *
   * - The owner holds the lock: a count above 1 becomes its count, and 1, the first request again, leaves it as it is; the lease
   *   grows if it is longer than what is left, and never shrinks.
   * - A count above 1 for an owner that does not hold the lock: `lost`. It neither enters nor queues.
   * - The owner was abandoned: `abandoned`, for as long as its tombstone lives.
   * - The lock is free and no live waiter is ahead: the owner enters, with a new token.
   * - The lock is free and a live waiter is ahead: that one is granted, or with `handOff: 'wake'` woken, as by a release.
   * - It takes the lock over (`heir`), and the heir does not hold it: busy, with `ttlMs` -2 and no holder if it is free. Nothing else changes.
   * - Busy: with `entryTtlMs` above 0 the owner gets a queue entry; a repeated request refreshes it and keeps its position.
   *
   * @param timeoutMs - whole milliseconds, after which the step rejects with `UnavailableError`
   */
  acquire(address: Address, request: AcquireRequest, timeoutMs: number): Promise<AcquireReply>
  /**
   * Acquires several locks in one step, for callers that want all of them at once. Takes only locks that are free and have no
   * live waiter ahead, and reports the others as busy. Creates no queue entry and grants no lock to a waiter.
   *
   * Carried out twice, it leaves an owner that holds its lock there, with the same token. Of a request that ran late or
   * without a reply, any owner may hold its lock; the core then abandons all of them. Left out by an engine that has no
   * such step: its locks are acquired one by one.
   *
   * @param timeoutMs - as for `acquire`
   */
  acquireMany?(request: JointRequest, timeoutMs: number): Promise<JointReply>
  /**
   * Sets the hold count. At 0 both the hold and the queue entry go, `tombstoneMs` leaves a tombstone, and a lock that is
   * free then is handed to the first live waiter. An owner that does not hold changes nothing but its queue entry.
   *
   * With `keepMs` the heir holds the lock then, with the token of its owner, and the first waiter is to ask until when. One that the heir
   * that it names holds already counts as `released`.
   */
  release(address: Address, request: ReleaseRequest, timeoutMs: number): Promise<ReleaseReply>
  /** Extends leases to at least what is wanted, never shortening one; all of one group. One reply each, in order. */
  renew(renewals: readonly Renewal[], timeoutMs: number): Promise<readonly RenewalReply[]>
  /** Keeps queue entries alive; all of one group. One reply each, in order. */
  refresh(entries: readonly QueueEntry[]): Promise<readonly QueueEntryReply[]>
  /** Evicts the owner if it holds the lock, notifies its client and hands the lock on; `not-held` if it does not. */
  force(address: Address, owner: string): Promise<ReleaseReply>
  /**
   * Sets how many permits an object has in all, if the given version is still current, and grants permits to the waiters that
   * now fit. Evicts no holder. Present if the engine carries `shared` objects.
   */
  resize?(address: Address, request: ResizeRequest, timeoutMs: number): Promise<ResizeReply | NotALockReply>
  /** @param limit - how many holders and how many queue entries to list */
  inspect(address: Address, limit: number): Promise<Inspection | SharedInspection | NotALockReply>

  /**
   * Raises the last fencing token of the lock to at least `token`, and keeps it for at least `keepMs` from now on.
   * Without this step `getFencedLock` of a quorum is refused.
   */
  raiseToken?(address: Address, token: number, keepMs: number): Promise<void>
  /**
   * Called when a grant notification has proved genuine. The token is certain then, so every later token that this session
   * draws for the object must be larger. Left out where the store remembers all tokens.
   */
  noteToken?(address: Address, token: number): void
}

/** A repeated acquire request, and whether enough replicas had it in time. */
export interface Confirmation {
  readonly reply: AcquireReply
  readonly sentAt: Moment
  readonly leaseMs: number
  /** How many replicas acknowledged it. */
  readonly acknowledged: number
  /** How many were connected, if that is known. */
  readonly connected: number | undefined
}

/** Has replicas confirm a grant before its lease is handed out. */
export interface Confirmer {
  /** Like the session's, for the connections used here. */
  readonly connectionEpoch: number
  /** How many replicas must acknowledge a grant. */
  readonly wanted: number
  /**
   * Repeats the request of a granted owner and waits for replicas to acknowledge it.
   *
   * @param next - makes the request when it is sent, since it may have to wait in line; `null`: no longer wanted
   */
  confirm(address: Address, next: () => AcquireRequest | null): Promise<Confirmation>
  /** The error that says why a hold was released again. */
  shortfall(address: Address, owner: string, what: Confirmation | 'wait ended'): ReplicationError
}

/** How many objects are remembered at least, and at most twice as many. */
const remembered = 1_000

/**
 * The largest fencing token that a session has seen of each object: a floor for the next one, so that tokens grow even when the
 * store has lost the last one. One object's token never counts for another. Keeps between 1,000 and 2,000 objects, those whose
 * tokens it saw last.
 */
export class TokenFloors {
  #recent = new Map<string, number>()
  #older = new Map<string, number>()

  /**
   * 0 for an object of which none is known.
   *
   * @param id - of the object's address, or whatever else the session names it by
   */
  of(id: string): number {
    return this.#recent.get(id) ?? this.#older.get(id) ?? 0
  }

  /** Remembers a token, unless a larger one of this object is known. */
  saw(id: string, token: number): void {
    const largest = Math.max(this.of(id), token)
    if (this.#recent.size >= remembered && !this.#recent.has(id)) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(id, largest)
  }
}
