import { inspect } from 'node:util'
import type { InspectOptions } from 'node:util'
import { checkObject, checkOptions, kindOf, refuseSecond, requireFunction } from './checks.js'
import { Client } from './client.js'
import type { LockEngine } from './engine/session.js'
import { InvalidArgumentError } from './errors.js'
import type { HoldfastEvents, HoldfastListener } from './events.js'
import { checkName } from './objects/lock-name.js'
import { Lock } from './objects/lock.js'
import { clientOptionNames, resolveDrainMs } from './options.js'
import type { ClientOptions, CloseOptions } from './options.js'
import type { Hold } from './holding/hold.js'
import type { Lease } from './objects/lease.js'
import { Scope } from './ownership/scope.js'
import { redisEngine } from './redis/engine.js'
import { redisOptionNames } from './redis/options.js'
import type { RedisOptions } from './redis/options.js'

/** How a `Holdfast` client on Redis behaves. The options of an acquisition given here are defaults for every call. */
export interface HoldfastOptions extends ClientOptions, RedisOptions {}

/** How a `Holdfast` client on another engine behaves. Options of the store itself are given to the engine. */
export interface EngineHoldfastOptions extends ClientOptions {
  /** Where locks are stored: `memory()` of `@holdfast/memory`, for example. */
  readonly engine: LockEngine
}

/** Figures of one client. */
export interface HoldfastStats {
  /** The first part of its owners. */
  readonly clientId: string
  /** Holds that live now. */
  readonly holds: number
  /** Acquisitions that wait for a held lock now. */
  readonly waiters: number
  /** Outermost acquisitions since the start. */
  readonly acquired: number
  /** Full releases since the start. */
  readonly released: number
  /** Lost holds since the start. */
  readonly lost: number
}

/**
 * A client for distributed locks on one Redis (or Valkey) server, Sentinel group or Cluster, or on another engine.
 *
 * Make one per process and share it. It connects at first use, with connections of its own.
 */
export class Holdfast {
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
   * @throws `InvalidArgumentError` for an invalid name
   */
  getLock(name: string): Lock
  getLock(name: string, second?: unknown): Lock {
    refuseSecond(second, optionsOfLock)
    return this.#lock(name, false)
  }

  /**
   * The lock of this name, whose leases have a fencing token. With `interop: 'redisson'` the token is drawn from
   * the count of Redisson's `RFencedLock`, so that tokens of both sides form one increasing sequence. Otherwise every lease
   * has a token, and this is the same as `getLock`.
   *
   * @throws `InvalidArgumentError` as `getLock`, and with an engine that has no fencing tokens
   */
  getFencedLock(name: string): Lock
  getFencedLock(name: string, second?: unknown): Lock {
    refuseSecond(second, optionsOfLock)
    const { name: engine, traits } = this.#engine
    if (traits.fencing === 'none') {
      throw new InvalidArgumentError(`the engine ${engine} has no fencing tokens; use getLock`, {
        lockName: name,
      })
    }
    return this.#lock(name, true)
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
    const scope = new Scope<Hold<Lease>>(this.#client)
    try {
      return await this.#client.frames.runInScope(scope, async () => await fn())
    } finally {
      await scope.end()
    }
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

  /** Figures of this client. Sends nothing. */
  stats(): HoldfastStats {
    const { id, holds, waiters } = this.#client
    return { clientId: id, holds: holds.size, waiters: waiters.waiting, ...holds.counts }
  }

  /**
   * Ends the client. From now on new calls and waiters reject with `ClosedError`, while re-entry still works. Holders get
   * `drainMs` to release what they hold; then their signals abort (`LockLostError`, reason `closed`) and it is released
   * for them. When this resolves no timer and no socket of Holdfast is left. May be called repeatedly.
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

  #lock(name: string, isFenced: boolean): Lock {
    checkName(name)
    return new Lock(this.#client.lockDeps, this.#client.session.locate(name), isFenced)
  }
}

const optionsOfLock =
  'a lock has no options of its own: pass them to lock, tryLock or withLock, or as defaults to new Holdfast'
const optionsHint = '; pass a URL or an ioredis instance as new Holdfast({ redis })'
const optionsOnRedis = new Set([...redisOptionNames, ...clientOptionNames])
const optionsOnEngine = new Set(['engine', ...clientOptionNames])

function engineOf(options: HoldfastOptions | EngineHoldfastOptions): LockEngine {
  checkObject(options, optionsHint)
  if ('duplicate' in options) {
    throw new InvalidArgumentError(`options must be an object, got a Redis client${optionsHint}`)
  }
  if (!('engine' in options)) {
    checkOptions(options, optionsOnRedis)
    return redisEngine(options)
  }
  const engine: unknown = options.engine
  if (!isEngine(engine)) {
    throw new InvalidArgumentError(`engine must be a lock engine such as memory(), got ${kindOf(engine)}`)
  }
  const superfluous = redisOptionNames.find((option) => option in options)
  if (superfluous !== undefined) {
    throw new InvalidArgumentError(
      `${superfluous} is an option of the Redis engine; pass options for ${engine.name} to that engine itself`,
    )
  }
  checkOptions(options, optionsOnEngine)
  return engine
}

const isEngine = (given: unknown): given is LockEngine =>
  typeof given === 'object' && given !== null && 'open' in given && 'traits' in given && 'name' in given
