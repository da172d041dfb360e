import type { UnavailableError } from '../errors/errors.js'
import type { WarningCode } from '../events/events.js'
import type { LatchSession } from './latch.js'
import type { Confirmer, LockSteps } from './lock-steps.js'
import type { ClientInfo, Address, Addressing, ObjectType } from './requests.js'

/**
 * Where locks are stored, and how they pass from one owner to the next. `new Holdfast({ engine })` opens one session.
 *
 * An engine decides nothing about async contexts, leases of callers, deadlines or retries: it carries out single steps,
 * each atomic in its store, and reports what happens there. Every step may be carried out twice, late, or without its
 * reply arriving; see {@link LockSteps} for what each must be like for that to be harmless.
 */
export interface LockEngine {
  /** Appears in errors and in `UnavailableError.engine`, such as `redis`. */
  readonly name: string
  readonly traits: Traits
  /** Present if clients of another library use the objects, too. */
  readonly sharing?: Sharing
  /** Opens a session for one client. Does not connect yet, and throws only for invalid options. */
  open(host: EngineHost): EngineSession
  /**
   * Fails the application's transaction if the lease is not the current one, and has later holders that call it wait until
   * this transaction is over. For stores whose database the application may write to as well; without it `lease.fence` is
   * refused.
   *
   * @param timeoutMs - how long the client may take to reply at all; waiting for other transactions has no limit
   * @throws `LockLostError` if the lease is not the current one, `InvalidArgumentError` outside a transaction
   */
  fence?(client: FencedClient, lease: FencingLease, timeoutMs: number): Promise<void>
}

/** An engine for one client: what the core needs of it, by role. The roles stay the same objects. */
export interface EngineSession {
  readonly store: StoreFacts
  readonly names: Addressing
  readonly steps: LockSteps
  readonly inbox: Inbox
  readonly registry: Registry
  /** Present if the engine's traits promise latches. */
  readonly latches?: LatchSession | undefined
  /** Present if the engine's traits promise `operator`. */
  readonly operator?: OperatorSession | undefined
  /** Present only if the store can have replicas confirm a grant. */
  readonly confirmer?: Confirmer | undefined

  /** First-use checks: connects, refuses a store that cannot keep locks, registers the client, begins to subscribe. */
  prepare(address: Address): Promise<void>
  /**
   * Takes the steps of one more kind of object, which that object brings along. Engines that have all steps anyway leave it out, and one
   * ignores what is not its own. What it takes may add to the roles.
   */
  carry?(steps: unknown): void
  /** Ends all timers and connections. Steps in progress reject. */
  close(): Promise<void>
}

/** How notifications reach a client. What they say goes to its {@link EngineHost}. */
export interface Inbox {
  /** Whether a notification about this lock would arrive now, as far as is known. */
  isSubscribed(address: Address): boolean
  /** Resolves once notifications arrive; keeps trying during outages. Rejects when the store refuses the subscription. */
  subscribe(address: Address): Promise<void>
  /** For stores that notify per lock: a waiter for this lock has arrived. Called once per waiter. */
  watch?(address: Address): void
  /** A waiter that was announced by `watch` has left. */
  unwatch?(address: Address): void
}

/** Who the clients are, for diagnostics only. */
export interface Registry {
  /** Keeps the registration of this client alive; called periodically while it holds or waits. */
  register(): Promise<void>
  /** What a client registered with; `null` when its registration has expired. */
  find(clientId: string): Promise<ClientInfo | null>
}

/** What is special about an engine whose objects are used by clients of another library, too. */
export interface Sharing {
  /** The other library, for messages. All masters of a quorum are shared with the same one, or none is. */
  readonly library: string
  /** What to do for a fencing token, for the error of a lease that has none. */
  readonly tokenAdvice: (object: ObjectType) => string
  /**
   * Who an owner of the other library is among those of a quorum, at each master of which it may have another name; `undefined` for
   * an owner of ours.
   */
  readonly foreignOwnerOf: (owner: string) => string | undefined
  /** Whether this names a holder of permits as the other library does. */
  readonly isForeignHolder: (text: string) => boolean
  /**
   * Checks a resize before it is sent.
   *
   * @throws `InvalidArgumentError` for one that the other library has no counterpart of
   */
  readonly checkResize: (semaphore: string, keepMs: number | undefined) => void
}

/** What a session knows of its store, and of its connection to it. */
export interface StoreFacts {
  /** Names the store in messages, such as `Redis at 127.0.0.1:6379`. Without it they use the engine's name. */
  readonly name?: string
  /** Why the store has not replied yet, if the connection shows it, such as a handshake that does not end. */
  readonly doubt?: UnavailableError | undefined
  /**
   * Grows with every connection that breaks. The core compares readings: a request during which it changed may have been
   * carried out twice, or may have been carried out although it failed.
   */
  readonly connectionEpoch: number
  /**
   * Until when all that this client holds is certain to be kept, unless its session is proven again: by {@link EngineHost.now},
   * with all margins off. No hold is claimed past it, whatever its lease; it is read each time, so that a process that stood still
   * claims nothing. Present if the engine's traits say `lease.of: 'session'`.
   *
   * It rises only while the session lives. Once it has ended this stays in the past, {@link EngineHost.broken} has the client end its
   * holds, and only then may this rise for another session.
   */
  readonly aliveUntil?: number | undefined

  /**
   * Identifies the running store that has this address's data; it differs after a restart or failover. A release that was
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
}

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
    /** Whether a release can keep a lock held for a time ({@link ReleaseRequest.keepMs}). Without it `atLeastMs` is refused. */
    readonly keeps?: true
    /** Whether a release can hand a lock over ({@link ReleaseRequest.heir}), and a request take it over ({@link AcquireRequest.heir}). */
    readonly handsOver?: true
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

/**
 * A connection of the application to the database that also has its locks, inside a transaction: a `Client` of `pg` or what
 * its pool gives out, what `transaction` of PGlite gives to its callback, or anything else that runs a statement with `$1`,
 * `$2`, … and rejects with the error of the database. On MySQL a connection of `mysql2`, or anything else that takes `?` for values.
 */
export interface FencedClient {
  /** Runs one statement; with an empty list of values, it may be several. Always gets a list. */
  query(text: string, values: (string | number)[]): Promise<unknown>
  /** Runs several statements, where `query` runs one only. */
  exec?(text: string): Promise<unknown>
  /** A pool of `pg` has one: it runs each statement on any of its connections, so none of them in the transaction. */
  readonly totalCount?: never
}

/** What a transaction is tied to; a `Lease` is one. */
export interface FencingLease {
  /** As `Lease.kind`. */
  readonly kind: string
  /** Of the lock. */
  readonly name: string
  /** Who holds it. */
  readonly owner: string
  /** Of this hold. */
  readonly fencingToken: number
}

/** Whether something that was given as an engine looks like one. */
export const isEngine = (given: unknown): given is LockEngine =>
  typeof given === 'object' && given !== null && 'open' in given && 'traits' in given && 'name' in given

/** A grant, as its notification reports it. */
export interface GrantNotice {
  /** That of the queue entry, see {@link AcquireRequest.proof}. */
  readonly proof: string
  readonly token: number
  /** The lease that the granted hold began with, milliseconds. */
  readonly leaseMs: number
  /** The store's clock at the grant, microseconds, if replies carry it too. */
  readonly serverUs?: number | undefined
  /** By {@link EngineHost.now}, an instant not later than the grant, from a session that knows one. Then `serverUs` is not needed. */
  readonly grantedAt?: number | undefined
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
  /** The clock of deadlines, milliseconds: never steps, and follows fake timers of tests. */
  now(): number
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
  /** Another client sent this text with {@link OperatorSession.send}. */
  onMessage(text: string): void
  /** Notifications may have been missed, about one lock or all: waiters check their state. */
  missed(id?: string): void
  /** From now on no notifications arrive, until `missed` is called. */
  unsubscribed(cause: Error): void
  /**
   * A connection for steps broke, or the client's session at the store ended: replies to what was in flight are lost.
   * `reconnected` follows.
   */
  broken(): void
  /** Connections work again after a break: holders and waiters check their state. */
  reconnected(): void
  /** Emits a `warning`. */
  warn(code: WarningCode, message: string): void
  /** Emits an `error` event for something that no call of the client waits for. */
  error(error: unknown): void
}

/**
 * Steps for those who look after locks. An engine whose traits promise `operator` has them; none of them is taken unless an
 * operator asks. None should hold up the store for longer than about a millisecond; on Redis `clients` takes about 10 ms with
 * 10,000 clients.
 */
export interface OperatorSession {
  /**
   * One small step through the objects that are held or waited for, or may be. May list an object twice, one that is neither, and
   * names that the pattern does not match; must list every object that is held or waited for throughout all steps.
   *
   * @param cursor - where to go on, as the last step returned it; `null` to begin
   */
  list(cursor: string | null, filter: ListFilter): Promise<ListPage>
  /** The clients that are connected. */
  clients(): Promise<readonly ConnectedClient[]>
  /**
   * Passes a text on to clients, which get it through {@link EngineHost.onMessage}. At most once, and not to a client that is not
   * connected. Resolves when the store has passed it on.
   *
   * @param text - at most {@link longestText} bytes of UTF-8, without NUL
   * @param before - the object that a later step of the same caller is about, whose notifications arrive after this text
   * @returns for each client: `false` if it was certainly not reached
   */
  send(clientIds: readonly string[], text: string, before?: Address): Promise<readonly boolean[]>
}

/** What a listing is to contain. */
export interface ListFilter {
  /** Of names. `*` stands for any text and `?` for one character; `\` has the next character mean itself. */
  readonly pattern: string
  /** Only objects that have a queue. */
  readonly contended: boolean
}

/** What one step of a listing found. */
export interface ListPage {
  readonly found: readonly { readonly address: Address; readonly object: ObjectType }[]
  /** How many entries of the store this step looked at. */
  readonly scanned: number
  /** About how many there are in all. */
  readonly total: number
  /** How long the store worked on it, milliseconds, roughly: the next step waits a multiple of it. */
  readonly costMs: number
  /** `null`: that was the last step. */
  readonly next: string | null
}

/** A client that is connected, and what it registered with. */
export interface ConnectedClient {
  readonly clientId: string
  readonly client: ClientInfo
}

/** The most bytes that a text for clients may have, so that every store can pass it on. */
export const longestText = 7_000
