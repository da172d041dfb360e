import { inspect, type InspectOptions } from 'node:util'
import { BaseClient } from './base-client.js'
import { isEngine, type LockEngine, type Traits } from './engine/session.js'
import { InvalidArgumentError } from './errors/errors.js'
import { Lock, ping } from './objects/lock.js'
import { checkObject, checkOptions, unlessIndex } from './options/checks.js'
import {
  clientOptionNames,
  resolveReentrant,
  resolveSettings,
  type ClientOptions,
  type LockOptions,
} from './options/options.js'
import { whereItBelongs } from './options/where-it-belongs.js'
import { nativeEngine } from './redis/engine.js'
import { redisOptionNames, type RedisOptions } from './redis/options.js'
import { ClientParts, StoreClient, type ClientKind } from './store-client.js'
import { kindOf } from './util/mistakes.js'

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
