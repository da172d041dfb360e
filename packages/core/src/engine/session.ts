import type { WarningCode } from '../events.js'
import type { Confirmer } from './confirmer.js'
import type { FencedClient, FencingLease } from './fencing.js'
import type { LatchSession } from './latch.js'
import type { OperatorSession } from './operator.js'
import type {
  AcquireReply,
  ClientInfo,
  Inspection,
  JointReply,
  NotALockReply,
  QueueEntryReply,
  ReleaseReply,
  RenewalReply,
  ResizeReply,
  SharedInspection,
} from './replies.js'
import type {
  AcquireRequest,
  Address,
  JointRequest,
  ObjectType,
  QueueEntry,
  ReleaseRequest,
  Renewal,
  ResizeRequest,
} from './requests.js'
import type { Traits } from './traits.js'

/**
 * Where locks are stored, and how they pass from one owner to the next. `new Holdfast({ engine })` opens one session.
 *
 * An engine decides nothing about async contexts, leases of callers, deadlines or retries: it carries out single steps,
 * each atomic in its store, and reports what happens there. Every step may be carried out twice, late, or without its
 * reply arriving; see {@link EngineSession} for what each must be like for that to be harmless.
 */
export interface LockEngine {
  /** Appears in errors and in `UnavailableError.engine`, such as `redis`. */
  readonly name: string
  readonly traits: Traits
  /** Opens a session for one client. Does not connect yet, and throws only for invalid options. */
  open(host: EngineHost): EngineSession
  /**
   * Fails the application's transaction if the lease is not the current one, and has later holders that call it wait until
   * this transaction is over. For stores whose database the application may write to as well; without it `lease.fence` is
   * refused.
   *
   * @throws `LockLostError` if the lease is not the current one, `InvalidArgumentError` outside a transaction
   */
  fence?(client: FencedClient, lease: FencingLease): Promise<void>
}

/** A grant, as its notification reports it. */
export interface GrantNotice {
  /** That of the queue entry, see {@link AcquireRequest.proof}. */
  readonly proof: string
  readonly token: number
  /** The lease that the granted hold began with, milliseconds. */
  readonly leaseMs: number
  /** The store's clock at the grant, microseconds, if replies carry it too. */
  readonly serverUs?: number | undefined
}

/**
 * What a session may use of its client, and how it reports to it. None of these throws.
 *
 * Call them from a context of the session's own, not from within another client's step: listeners of the application run
 * in them. A notification may arrive before the reply to the step that it is about.
 */
export interface EngineHost {
  /** The first part of all owners of the client: `<clientId>:<n>`, see {@link clientOf}. */
  readonly clientId: string
  /** What to register the client with. */
  readonly client: ClientInfo
  /** How long the client's registration is to live, and how long a queue entry lives unless refreshed, milliseconds. */
  readonly watchdogTimeoutMs: number
  /** How often the client renews, refreshes and registers itself; also a good interval for trying a quiet connection. */
  readonly renewEveryMs: number
  /** How long a step without a bound of its own may take, milliseconds. */
  readonly commandTimeoutMs: number
  /**
   * A release or another owner's request made `owner` the holder. Believed only with the proof of the queue entry; with any
   * other it is a reason to look, and bounded in rate as the reasons below are.
   *
   * @param id - of the lock's address
   */
  granted(id: string, owner: string, grant: GrantNotice): void
  /** The hold of `owner` was forced open, it is said: a reason to look. The next renewal, sent at once, tells. */
  revoked(owner: string): void
  /**
   * It may be the turn of `owner`; without one, of the client's first waiter for this lock. That waiter requests again. The
   * next refresh, at the latest after a third of `watchdogTimeoutMs`, makes up for a lost wake-up.
   */
  wake(id: string, owner?: string): void
  /**
   * A latch opened that this client waits for, it is said: a reason to look. The state of the latch decides.
   *
   * @param id - of the latch's address
   */
  opened(id: string, generation: number): void
  /** Another client sent this text with {@link OperatorSession.tell}. */
  told(text: string): void
  /** Notifications may have been missed, about one lock or all: waiters check their state. */
  missed(id?: string): void
  /** From now on no notifications arrive, until `missed` is called. */
  unsubscribed(cause: Error): void
  /** A connection for steps broke: replies to what was in flight are lost. `reconnected` follows. */
  broken(): void
  /** Connections work again after a break: holders and waiters check their state. */
  reconnected(): void
  /** Emits a `warning`. */
  warn(code: WarningCode, message: string): void
  /** Emits an `error` event for something that no call of the client waits for. */
  error(error: unknown): void
}

/**
 * The steps of an engine for one client.
 *
 * A step rejects with `UnavailableError` when the store did not reply, whether or not the step was carried out, and
 * with `RefusedError` when it rejected the step and repeating makes no sense. A reply of a shape that the engine does not
 * know is a `HoldfastError`: nothing is known of the outcome then. Steps that name an owner must be safe to run twice.
 * All of them use the store's clock only.
 */
export interface EngineSession {
  /**
   * Grows with every connection that breaks. The core compares readings: a request during which it changed may have been
   * carried out twice, or may have been carried out although it failed.
   */
  readonly connectionEpoch: number
  /** Names the store in messages, such as `Redis at 127.0.0.1:6379`. Without it they use the engine's name. */
  readonly storeName?: string
  /** Present only if the store can have replicas confirm a grant. */
  readonly confirmer?: Confirmer | undefined
  /** Present if the engine's traits promise latches. */
  readonly latches?: LatchSession | undefined
  /** Present if the engine's traits promise `operator`. */
  readonly operator?: OperatorSession | undefined

  /**
   * The address of the lock of this name, or of another object that the engine's traits promise; does no I/O. The core has
   * checked that the name is a string of 1 to 1,024 bytes.
   *
   * @param form - which form of a semaphore, if the engine's traits name some
   * @throws `InvalidArgumentError` for a name that the store cannot take
   */
  locate(name: string, object: ObjectType, form?: string): Address
  /** The address with this id, for a notification that no waiter here expects; `null` for an id that is not one of this session's. */
  resolve(id: string): Address | null
  /** First-use checks: connects, refuses a store that cannot keep locks, registers the client, begins to subscribe. */
  prepare(address: Address): Promise<void>

  /**
   * Lets the owner in, or queues it.
   *
   * - The owner holds the lock: a count above 1 becomes its count, and 1, the first request again, leaves it as it is; the lease
   *   grows if it is longer than what is left, and never shrinks.
   * - A count above 1 for an owner that does not hold the lock: `lost`. It neither enters nor queues.
   * - The owner was abandoned: `abandoned`, for as long as its tombstone lives.
   * - The lock is free and no live waiter is ahead: the owner enters, with a new token.
   * - The lock is free and a live waiter is ahead: that one is granted, or with `handOff: 'wake'` woken, as by a release.
   * - Busy: with `entryTtlMs` above 0 the owner gets a queue entry; a repeated request refreshes it and keeps its position.
   *
   * @param timeoutMs - whole milliseconds, after which the step rejects with `UnavailableError`
   */
  acquire(address: Address, request: AcquireRequest, timeoutMs: number): Promise<AcquireReply>
  /**
   * Lets the owners into several locks in one step, for those who want all of them at once. Only for locks that nobody holds
   * and no live waiter is ahead on; all others are busy. Queues nobody and hands no lock on.
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
   */
  release(address: Address, request: ReleaseRequest, timeoutMs: number): Promise<ReleaseReply>
  /** Extends leases to at least what is wanted, never shortening one; all of one group. One reply each, in order. */
  renew(renewals: readonly Renewal[], timeoutMs: number): Promise<readonly RenewalReply[]>
  /** Keeps queue entries alive; all of one group. One reply each, in order. */
  refresh(entries: readonly QueueEntry[]): Promise<readonly QueueEntryReply[]>
  /** Evicts the owner if it holds the lock, notifies its client and hands the lock on; `not-held` if it does not. */
  force(address: Address, owner: string): Promise<ReleaseReply>
  /**
   * Sets how many permits an object has in all, if the version named is the one in force, and lets in waiters that fit
   * then. Evicts nobody. Present if the engine carries `shared` objects.
   */
  resize?(address: Address, request: ResizeRequest, timeoutMs: number): Promise<ResizeReply | NotALockReply>
  /** @param limit - how many holders and how many queue entries to list */
  inspect(address: Address, limit: number): Promise<Inspection | SharedInspection | NotALockReply>

  /**
   * Identifies the running store that has this address's data; it differs after a restart or fail-over. A release that was
   * sent twice and found nothing to release succeeded the first time if this is still the same. `undefined`: not known.
   */
  incarnation(address: Address): Promise<string | undefined>
  /**
   * The same from memory, without I/O, as of the last reply since a connection broke; `null` if the store does not report it.
   * While it is `undefined` the core requests it once per hold, and a release in doubt counts as a loss.
   */
  knownIncarnation(address: Address): string | null | undefined

  /**
   * For how long the running store that has this address's data has been running, or has had its present data, milliseconds;
   * rather too short than too long. `undefined`: not known. Only quorum locks ask, after each break of the connection.
   */
  uptimeMs?(address: Address): Promise<number | undefined>
  /**
   * Raises the last fencing token of the lock to at least `token`, and keeps it for at least `keepMs` from now on.
   * Without this step `getFencedLock` of a quorum is refused.
   */
  raiseToken?(address: Address, token: number, keepMs: number): Promise<void>

  /** Whether a notification about this lock would arrive now, as far as is known. */
  isSubscribed(address: Address): boolean
  /** Resolves once notifications arrive; keeps trying during outages. Rejects when the store refuses the subscription. */
  subscribe(address: Address): Promise<void>
  /** For stores that notify per lock: a waiter for this lock has arrived. Called once per waiter. */
  watch?(address: Address): void
  /** A waiter that was announced by `watch` has left. */
  unwatch?(address: Address): void

  /** Keeps the registration of this client alive; called periodically while it holds or waits. */
  register(): Promise<void>
  /** What a client registered with; `null` when its registration has expired. */
  find(clientId: string): Promise<ClientInfo | null>

  /** Ends all timers and connections. Steps in progress reject. */
  close(): Promise<void>
}
