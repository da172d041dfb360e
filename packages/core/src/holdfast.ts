import { inspect } from 'node:util'
import type { InspectOptions } from 'node:util'
import { checkObject, checkOptions, refuseSecond, requireFunction, unlessIndex } from './options/checks.js'
import { Client } from './wiring/client.js'
import { isEngine } from './engine/is-engine.js'
import { writePermits } from './engine/permits.js'
import type { Address, ObjectType } from './engine/requests.js'
import type { ConnectedClient } from './engine/operator.js'
import type { LockEngine } from './engine/session.js'
import type { Traits } from './engine/traits.js'
import { InvalidArgumentError } from './errors/errors.js'
import type { HoldfastEvents, HoldfastListener } from './events/events.js'
import { CountDownLatch } from './objects/count-down-latch.js'
import { checkName } from './objects/lock-name.js'
import { Lock } from './objects/lock.js'
import { locksOf } from './objects/locks-of.js'
import type { ReadWriteLock } from './objects/read-write-lock.js'
import { Semaphore } from './objects/semaphore.js'
import { clientOptionNames, resolveDrainMs, resolveReentrant, resolveSize } from './options/options.js'
import type { ClientOptions, CloseOptions, LockOptions, SemaphoreOptions } from './options/options.js'
import { MultiLock } from './objects/multi-lock.js'
import { ping } from './objects/ping.js'
import type { LockListing } from './operating/listing.js'
import type { LocksOptions, ClientReportsOptions } from './operating/options.js'
import type { ClientReport } from './operating/report.js'
import type { Lease } from './objects/lease.js'
import type { Possession } from './ownership/possession.js'
import { Scope } from './ownership/scope.js'
import { redisEngine } from './redis/engine.js'
import { redisOptionNames } from './redis/options.js'
import type { RedisOptions } from './redis/options.js'
import { kindOf as kindOfValue } from './util/kind-of.js'
import { whereItBelongs } from './options/where-it-belongs.js'
import { uncloneable } from './util/uncloneable.js'

/** How a `Holdfast` client on Redis behaves. The options of an acquisition given here are defaults for every call. */
export interface HoldfastOptions extends ClientOptions, RedisOptions {
  /** Instead of Redis: see {@link EngineHoldfastOptions}. */
  readonly engine?: undefined
}

/** How a `Holdfast` client on another engine behaves. Options of the store itself are given to the engine. */
export interface EngineHoldfastOptions extends ClientOptions {
  /** Instead of an engine: see {@link HoldfastOptions}. */
  readonly redis?: undefined
  /** Where locks are stored: `memory()` of `@holdfast/memory`, for example. */
  readonly engine: LockEngine
}

/** Figures of one client. */
export interface HoldfastStats {
  /** The first part of its owners. */
  readonly clientId: string
  /** Where its locks are, as messages say it: without user and password. */
  readonly store: string
  /** Holds that live now. */
  readonly holds: number
  /** Acquisitions that wait for a held lock now. */
  readonly waiters: number
  /** Outermost acquisitions since the start. */
  readonly acquired: number
  /** Full releases since the start. */
  readonly released: number
  /** Holds since the start whose fixed lease (`leaseMs`) or limit (`maxHoldMs`) ended before they were released. */
  readonly ended: number
  /** Holds that were lost in any other way since the start. */
  readonly lost: number
}

/**
 * A client for distributed locks on one Redis (or Valkey) server, Sentinel group or Cluster, or on another engine.
 *
 * Make one per process and share it. It connects at first use, with connections of its own.
 */
export class Holdfast {
  /** @internal */
  readonly uncloneable = uncloneable
  readonly #engine: LockEngine
  readonly #client: Client
  #closed: Promise<void> | undefined

  /** @throws `InvalidArgumentError` for a bad option, before anything is sent */
  constructor(options: HoldfastOptions | EngineHoldfastOptions) {
    this.#engine = engineOf(options)
    this.#client = new Client(options, this.#engine)
  }

  /** The first part of all owners of this client. */
  get clientId(): string {
    return this.#client.id
  }

  /**
   * The lock of this name. Sends nothing.
   *
   * @param name - 1 to 1024 bytes. Braces, if any, must form one Redis Cluster hash tag: `{tenant-7}:order`.
   * `lockName(text)` makes a valid name from any text
   * @param options - `reentrant`: whether calls on this handle re-enter
   * @throws `InvalidArgumentError` for an invalid name or option
   */
  getLock(name: string, options?: LockOptions): Lock
  getLock(name: string, options?: LockOptions, array?: unknown): Lock {
    return this.#lock(name, false, unlessIndex(options, array))
  }

  /**
   * The lock of this name, whose leases have a fencing token. With most engines every lease has one, and this is the same as
   * `getLock`.
   *
   * @throws `InvalidArgumentError` as `getLock`, and with an engine that has no fencing tokens
   */
  getFencedLock(name: string, options?: LockOptions): Lock
  getFencedLock(name: string, options?: LockOptions, array?: unknown): Lock {
    const { name: engine, traits } = this.#engine
    if (traits.fencing === 'none') {
      throw new InvalidArgumentError(`the engine ${engine} has no fencing tokens; use getLock`, {
        lockName: name,
      })
    }
    return this.#lock(name, true, unlessIndex(options, array))
  }

  /**
   * The read/write lock of this name: any number of readers at once, or one writer. Sends nothing. A lock and a read/write
   * lock of the same name are independent of each other.
   *
   * @param name - as for `getLock`
   * @throws `InvalidArgumentError` as `getLock`, and with an engine that has no read/write locks
   */
  getReadWriteLock(name: string, options?: LockOptions): ReadWriteLock
  getReadWriteLock(name: string, options?: LockOptions, array?: unknown): ReadWriteLock {
    const reentrant = resolveReentrant(unlessIndex(options, array))
    const address = this.#locate(name, 'read-write-lock')
    const { lockDeps } = this.#client
    const size = writePermits
    const read = new Lock(lockDeps, { address, kind: 'read-lock', permits: 1, size }, false, reentrant)
    const write = new Lock(lockDeps, { address, kind: 'write-lock', permits: size, size }, false, reentrant)
    return { name, read, write }
  }

  /**
   * The semaphore of this name, of which at most `permits` are held at once. Sends nothing.
   *
   * @param name - as for `getLock`
   * @param options - `permits`: how many there are in all, the same number in every process
   * @throws `InvalidArgumentError` as `getLock`, for a bad number of permits, and with an engine that has no semaphores
   */
  getSemaphore(name: string, options: SemaphoreOptions): Semaphore {
    const size = resolveSize(options)
    return new Semaphore(this.#client.semaphoreDeps, this.#locate(name, 'semaphore'), size)
  }

  /**
   * Several locks that are acquired as one: all of them, or none, without deadlock whatever the order. Sends nothing.
   *
   * @param members - at least one: lock names, lock objects of this client, sides of read/write locks, and locks of other
   * clients, even on other servers. A member that is given twice counts once
   * @param options - `reentrant`: whether calls re-enter, for all members; otherwise each member does as its own handle says
   * @throws `InvalidArgumentError` for anything else, for locks of one key of two clients (even on two servers, since their
   * order would be undefined), and for both sides of one read/write lock
   */
  getMultiLock(members: readonly (Lock | string)[], options?: LockOptions): MultiLock {
    const locks = locksOf(members, (member) => this.#lock(member, false, undefined))
    return new MultiLock(this.#client.lockDeps, locks, resolveReentrant(options))
  }

  /**
   * The count-down latch of this name, which opens once a given number of parties have counted down. Sends nothing. A latch
   * and a lock of the same name are independent of each other.
   *
   * @param name - as for `getLock`. Give each round of a job a name of its own, such as `export:2026-11-23`
   * @throws `InvalidArgumentError` as `getLock`, and with an engine that has no latches
   */
  getCountDownLatch(name: string): CountDownLatch
  getCountDownLatch(name: string, second?: unknown, array?: unknown): CountDownLatch {
    refuseSecond(unlessIndex(second, array), optionsOfLatch)
    const address = this.#locate(name, 'latch')
    const { latchDeps } = this.#client
    if (!latchDeps)
      throw new TypeError(`the engine ${this.#engine.name} promises latches that it does not have`)
    return new CountDownLatch(latchDeps, address)
  }

  /**
   * Runs `fn` with imperative, thread-style locking: `lock()` and `unlock()` on the same lock inside pair
   * up, even across functions. All tasks inside share the scope's holds. Locks that are still held at
   * the end are released and reported as `leaked`.
   *
   * @returns what `fn` returns
   * @throws what `fn` throws, `InvalidArgumentError` without a function
   */
  async scope<T>(fn: () => T | PromiseLike<T>): Promise<T> {
    requireFunction('scope', fn)
    const scope = new Scope<Possession<Lease>>(this.#client)
    try {
      return await this.#client.frames.runInScope(scope, fn)
    } finally {
      await scope.end()
    }
  }

  /**
   * The same function, bound to the holds and scopes around this call: it runs inside them wherever it is called, and outside all
   * others. Give it, instead of `fn`, to a queue, pool or batcher, which may start a job in the context of another caller.
   *
   * Only what Holdfast keeps in the async context is bound, for all clients of the process; other `AsyncLocalStorage`s are as at the
   * call. A hold that is over by then counts as none.
   * A query of knex or Prisma begins only where it is awaited: await it inside, as in `bind(async () => await query)`.
   *
   * @throws `InvalidArgumentError` without a function
   */
  bind<T, A extends unknown[], R>(fn: (this: T, ...args: A) => R): (this: T, ...args: A) => R {
    requireFunction('bind', fn)
    return this.#client.frames.bind(fn)
  }

  /**
   * Runs `fn` outside all holds and scopes, of all clients of the process, so that nothing in it re-enters: work that is started
   * here but does not belong to the caller. It waits for a hold around the call like anyone else, so do not await it inside one.
   *
   * @returns what `fn` returns; a query of knex or Prisma has to be awaited inside, as with `bind`
   * @throws what `fn` throws, `InvalidArgumentError` without a function
   */
  detached<T>(fn: () => T): T {
    requireFunction('detached', fn)
    return this.#client.frames.outside(fn)
  }

  /**
   * Listens to events of all locks of this client. Listeners are optional, even for `error`.
   *
   * @throws `InvalidArgumentError` for an event that does not exist and for a listener that is not a function
   */
  on<E extends keyof HoldfastEvents>(event: E, listener: HoldfastListener<E>): this {
    this.#client.events.on(event, listener)
    return this
  }

  /** Listens to the next event only. Throws as `on`. */
  once<E extends keyof HoldfastEvents>(event: E, listener: HoldfastListener<E>): this {
    this.#client.events.once(event, listener)
    return this
  }

  /** Stops listening. Throws as `on`. */
  off<E extends keyof HoldfastEvents>(event: E, listener: HoldfastListener<E>): this {
    this.#client.events.off(event, listener)
    return this
  }

  /**
   * Objects that are held or waited for by any client, and latches that are not open yet, each once, in no order:
   * `for await (const lock of holdfast.locks())`.
   * Nothing is sent before the first iteration. The store is scanned in small steps that take at most about 5 % of its time;
   * `progress` says how far that has come.
   *
   * @throws `InvalidArgumentError` for bad options, and with an engine whose traits have no `operator`; iterations reject as
   * {@link LockListing} says
   */
  locks(options: LocksOptions = {}): LockListing {
    return this.#client.operations.locks(options)
  }

  /**
   * The clients that are connected to the store and registered, and which process each of them is. A client registers when it is first
   * used, then every third of `watchdogTimeoutMs` if it holds or waits at that moment, and when it is asked to report. A registration lasts
   * for `watchdogTimeoutMs`, so a client that is idle or frozen for longer is not listed, and one with few, short holds may be missing
   * now and then.
   *
   * @throws `InvalidArgumentError` with an engine whose traits have no `operator`, `UnavailableError`, `RefusedError`,
   * `ClosedError`
   */
  async clients(): Promise<ConnectedClient[]> {
    return [...(await this.#client.operations.clients())]
  }

  /**
   * Asks the clients that `clients()` lists what they hold and what they wait for, for how long, and what they lost. A client that is frozen,
   * or too old to know the question, is missing from the result. Costs the store a few messages per client: long reports
   * take several.
   *
   * @returns the reports that came within `withinMs`, as soon as all clients have reported that were reached
   * @throws `InvalidArgumentError` for bad options, `UnavailableError` also while this client receives no notifications; otherwise as
   * `clients`
   */
  clientReports(options: ClientReportsOptions = {}): Promise<ClientReport[]> {
    return this.#client.operations.clientReports(options)
  }

  /**
   * For health checks: resolves once the store answers a read on the same path that locks use. Holds and waits outlive an outage, so a failed
   * ping is no reason to restart. Connects if necessary. In a Redis Cluster it asks one master.
   *
   * @throws `UnavailableError` when no reply comes within `commandTimeoutMs`, 5 s by default; `RefusedError` when the store refuses the
   * read, for example because the user lacks a right; `ClosedError`
   */
  async ping(): Promise<void> {
    this.#client.assertOpen()
    await ping(this.#client.lockDeps, this.#client.names)
  }

  /** What the engine promises. */
  get traits(): Traits {
    return this.#engine.traits
  }

  /** Figures of this client. Sends nothing. */
  stats(): HoldfastStats {
    const { id, storeName: store, holds, waiters } = this.#client
    return { clientId: id, store, holds: holds.size, waiters: waiters.waiting, ...holds.counts }
  }

  /**
   * Ends the client. From now on new calls and waiters reject with `ClosedError`, while re-entry still works. Holders get
   * `drainMs` (default 0) to release what they hold; then their signals abort (`LockLostError`, reason `closed`) and their
   * holds are released. When this resolves, Holdfast has no timer and no socket left. May be called repeatedly.
   *
   * Releases in the background get their time, too. With an unresponsive store it takes at most `drainMs` + `commandTimeoutMs`,
   * and about 2 seconds for the sockets; what is not released by then expires with its lease.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    const drainMs = resolveDrainMs(options)
    this.#closed ??= this.#client.close(drainMs)
    await this.#closed
  }

  /** `close()` at the end of an `await using` block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** @internal What `console.log` shows. */
  [inspect.custom](_depth: number, options: InspectOptions): string {
    return `Holdfast ${inspect({ engine: this.#engine.name, ...this.stats() }, options)}`
  }

  #locate(name: string, object: ObjectType): Address {
    checkName(name)
    const { name: engine, traits } = this.#engine
    if (object !== 'lock' && !traits.kinds?.includes(kindOf[object])) {
      throw new InvalidArgumentError(`the engine ${engine} has no ${textOf[object]}`, { lockName: name })
    }
    return this.#client.names.locate(name, object)
  }

  #lock(name: string, isFenced: boolean, options: LockOptions | undefined): Lock {
    const reentrant = resolveReentrant(options)
    const address = this.#locate(name, 'lock')
    const target = { address, kind: 'lock', permits: 1, size: undefined } as const
    return new Lock(this.#client.lockDeps, target, isFenced, reentrant)
  }
}

const kindOf: Record<Exclude<ObjectType, 'lock'>, 'shared' | 'latch'> = {
  'read-write-lock': 'shared',
  semaphore: 'shared',
  latch: 'latch',
}

const textOf: Record<Exclude<ObjectType, 'lock'>, string> = {
  'read-write-lock': 'read/write locks',
  semaphore: 'semaphores',
  latch: 'count-down latches',
}

const optionsOfLatch =
  'getCountDownLatch takes a name only: set the count with latch.trySetCount(3), and pass options to trySetCount, countDown, wait or tryWait'
const optionsHint = '; pass a URL or an ioredis instance as new Holdfast({ redis })'
const optionsOnRedis = new Set([...redisOptionNames, 'engine', ...clientOptionNames])
const optionsOnEngine = new Set(['engine', ...clientOptionNames])

function engineOf(options: HoldfastOptions | EngineHoldfastOptions): LockEngine {
  checkObject(options, whereItBelongs(options) || optionsHint)
  if (!('engine' in options)) {
    checkOptions(options, optionsOnRedis, 'redis' in options ? '' : optionsHint)
    return redisEngine(options)
  }
  if ('redis' in options) {
    throw new InvalidArgumentError('got both redis and engine: give one of the two, redis or another engine')
  }
  const engine: unknown = options.engine
  if (!isEngine(engine)) {
    throw new InvalidArgumentError(
      `engine must be a lock engine such as memory(), got ${kindOfValue(engine)}${whereItBelongs(engine)}`,
    )
  }
  const superfluous = redisOptionNames.find((option) => option in options)
  if (superfluous !== undefined) {
    throw new InvalidArgumentError(
      `${superfluous} is an option of new Holdfast({ redis }), not of one with an engine: leave it out; the options of an engine go to that engine itself`,
    )
  }
  checkOptions(options, optionsOnEngine)
  return engine
}
