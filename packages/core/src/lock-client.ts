import { inspect, type InspectOptions } from 'node:util'
import { isEngine, type LockEngine, type Traits } from './engine/session.js'
import { InvalidArgumentError } from './errors/errors.js'
import type { HoldfastEvents, HoldfastListener } from './events/events.js'
import type { Home } from './objects/entrance.js'
import { Lock, ping } from './objects/lock.js'
import { checkObject, checkOptions, requireFunction, unlessIndex } from './options/checks.js'
import {
  clientOptionNames,
  resolveDrainMs,
  resolveReentrant,
  resolveSettings,
  type ClientOptions,
  type CloseOptions,
  type LockOptions,
} from './options/options.js'
import { Scope } from './ownership/frames.js'
import { whereItBelongs } from './redis/connection/template.js'
import { nativeEngine, redisOptionNames, type RedisOptions } from './redis/engine.js'
import { ClientParts, StoreClient, type ClientKind } from './store-client.js'
import { kindOf } from './util/mistakes.js'
import { uncloneable } from './util/symbols.js'

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

/** What a client of one store and a client of a quorum have in common. */
export abstract class BaseClient {
  /** @internal */
  readonly uncloneable = uncloneable
  readonly #home: Home
  #closed: Promise<void> | undefined

  /** @internal */
  constructor(home: Home) {
    this.#home = home
  }

  /** The first part of all owners of this client. */
  get clientId(): string {
    return this.#home.clientId
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
    const scope = new Scope(this.#home)
    try {
      return await this.#home.frames.runInScope(scope, fn)
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
    return this.#home.frames.bind(fn)
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
    return this.#home.frames.outside(fn)
  }

  /**
   * Listens to events of all locks of this client. Listeners are optional, even for `error`, which also says when a master of a quorum went
   * down. With a quorum no `granted` is emitted: no single master grants its locks.
   *
   * @throws `InvalidArgumentError` for an event that does not exist and for a listener that is not a function
   */
  on<E extends keyof HoldfastEvents>(event: E, listener: HoldfastListener<E>): this {
    this.#home.events.on(event, listener)
    return this
  }

  /** Listens to the next event only. Throws as `on`. */
  once<E extends keyof HoldfastEvents>(event: E, listener: HoldfastListener<E>): this {
    this.#home.events.once(event, listener)
    return this
  }

  /** Stops listening. Throws as `on`. */
  off<E extends keyof HoldfastEvents>(event: E, listener: HoldfastListener<E>): this {
    this.#home.events.off(event, listener)
    return this
  }

  /** Figures of this client. Sends nothing. */
  stats(): HoldfastStats {
    const { clientId, storeName: store, holds, waiting } = this.#home
    return { clientId, store, holds: holds.size, waiters: waiting, ...holds.counts }
  }

  /**
   * Ends the client. From now on calls and waits outside of its holds and scopes reject with `ClosedError`. Holders, and functions that run in
   * a `scope`, get `drainMs` (default 0) to end their work, in which they may re-enter and acquire further locks. Then all calls reject, the
   * signals of holds that are left abort (`LockLostError`, reason `closed`), and these are released. When this resolves, Holdfast has
   * no timer and no socket left. May be called repeatedly.
   *
   * Releases in the background get their time, too. With an unresponsive store it takes at most `drainMs` + `commandTimeoutMs`,
   * with masters that do not respond `drainMs` + 2 × `memberTimeoutMs`, and about 2 seconds for the sockets. What is not released by then
   * expires with its lease.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    const drainMs = resolveDrainMs(options)
    this.#closed ??= this.#home.closeAll(drainMs)
    await this.#closed
  }

  /** `close()` at the end of an `await using` block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

/** How a `Holdfast` client on Redis behaves. The options of an acquisition given here are defaults for every call. */
export interface HoldfastOptions extends ClientOptions, RedisOptions {
  /** Instead of Redis: see {@link EngineHoldfastOptions}. */
  readonly engine?: undefined
}

/** How a `Holdfast` client on another engine behaves. Options of the store itself are given to the engine. */
export interface EngineHoldfastOptions extends ClientOptions {
  /** Instead of an engine: see {@link HoldfastOptions}. */
  readonly redis?: undefined
  /** Where locks are stored: `memory()` of `@holdfast/stores/memory`, for example. */
  readonly engine: LockEngine
}

let storeIn: (client: LockClient) => StoreClient

/**
 * @internal What a client has of its store, for the objects that are functions of one.
 *
 * @param wanted - by which function
 * @throws `InvalidArgumentError` for anything else
 */
export function storeOf(client: LockClient, wanted: string): StoreClient {
  const given: unknown = client
  if (given instanceof LockClient) return storeIn(given)
  throw new InvalidArgumentError(
    `${wanted} needs a client of this package, new LockClient(…) or new Holdfast(…), got ${kindOf(given)}`,
  )
}

/** @internal The lock of this name. */
export function lockOf(
  store: StoreClient,
  name: string,
  isFenced: boolean,
  options: LockOptions | undefined,
): Lock {
  const reentrant = resolveReentrant(options)
  const address = store.locate(name, 'lock')
  return new Lock(store, { address, kind: 'lock', permits: 1, size: undefined }, isFenced, reentrant)
}

/**
 * A client for locks on one Redis (or Valkey) server, Sentinel group or Cluster, or on another engine. What else there is (semaphores,
 * read/write locks, latches, multi locks) comes as functions from entries of their own: so a bundled program has only what it uses.
 *
 * It publishes no diagnostics channels, does not report to `clientReports()`, and cannot say by whom it evicts a holder: `Holdfast` does.
 *
 * Make one per process and share it. It connects at first use, with connections of its own.
 */
export class LockClient extends BaseClient {
  readonly #title: string
  readonly #store: StoreClient

  static {
    storeIn = (client) => client.#store
  }

  /** @throws `InvalidArgumentError` for a bad option, before anything is sent */
  constructor(options: HoldfastOptions | EngineHoldfastOptions)
  /** @internal */
  constructor(options: HoldfastOptions | EngineHoldfastOptions, kind: ClientKind)
  constructor(options: HoldfastOptions | EngineHoldfastOptions, kind: ClientKind = { title: 'LockClient' }) {
    const engine = engineOf(options, kind.title)
    const store = new StoreClient(new ClientParts(resolveSettings(options, engine), kind), engine)
    super(store)
    this.#title = kind.title
    this.#store = store
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
    return lockOf(this.#store, name, false, unlessIndex(options, array))
  }

  /**
   * The lock of this name, whose leases have a fencing token. With most engines every lease has one, and this is the same as
   * `getLock`.
   *
   * @throws `InvalidArgumentError` as `getLock`, and with an engine that has no fencing tokens
   */
  getFencedLock(name: string, options?: LockOptions): Lock
  getFencedLock(name: string, options?: LockOptions, array?: unknown): Lock {
    const { name: engine, traits } = this.#store.engine
    if (traits.fencing === 'none') {
      throw new InvalidArgumentError(`the engine ${engine} has no fencing tokens; use getLock`, {
        lockName: name,
      })
    }
    return lockOf(this.#store, name, true, unlessIndex(options, array))
  }

  /**
   * For health checks: resolves once the store answers a read on the same path that locks use. Holds and waits outlive an outage, so a failed
   * ping is no reason to restart. Connects if necessary. In a Redis Cluster it asks one master.
   *
   * @throws `UnavailableError` when no reply comes within `commandTimeoutMs`, 5 s by default; `RefusedError` when the store refuses the
   * read, for example because the user lacks a right; `ClosedError`
   */
  async ping(): Promise<void> {
    this.#store.closing.assertOpen()
    await ping(this.#store)
  }

  /** What the engine promises. */
  get traits(): Traits {
    return this.#store.engine.traits
  }

  /** @internal What `console.log` shows. */
  [inspect.custom](_depth: number, options: InspectOptions): string {
    return `${this.#title} ${inspect({ engine: this.#store.engine.name, ...this.stats() }, options)}`
  }
}

const optionsOnRedis = new Set([...redisOptionNames, 'engine', ...clientOptionNames])
const optionsOnEngine = new Set(['engine', ...clientOptionNames])

function engineOf(options: HoldfastOptions | EngineHoldfastOptions, title: string): LockEngine {
  const optionsHint = `; pass a URL or an ioredis instance as new ${title}({ redis })`
  checkObject(options, whereItBelongs(options) || optionsHint)
  if (!('engine' in options)) {
    checkOptions(options, optionsOnRedis, 'redis' in options ? '' : optionsHint)
    return nativeEngine(options)
  }
  if ('redis' in options) {
    throw new InvalidArgumentError('got both redis and engine: give one of the two, redis or another engine')
  }
  const engine: unknown = options.engine
  if (!isEngine(engine)) {
    throw new InvalidArgumentError(
      `engine must be a lock engine such as memory(), got ${kindOf(engine)}${whereItBelongs(engine)}`,
    )
  }
  const superfluous = redisOptionNames.find((option) => option in options)
  if (superfluous !== undefined) {
    throw new InvalidArgumentError(
      `${superfluous} is an option of new ${title}({ redis }), not of one with an engine: leave it out; the options of an engine go to that engine itself`,
    )
  }
  checkOptions(options, optionsOnEngine)
  return engine
}
