import type { HoldfastEvents, HoldfastListener } from './events/events.js'
import type { Home } from './objects/home.js'
import { requireFunction } from './options/checks.js'
import { resolveDrainMs, type CloseOptions } from './options/options.js'
import { Scope } from './ownership/scope.js'
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
