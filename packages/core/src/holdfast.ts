import { Client } from './client.js'
import type { HoldfastEvents, HoldfastListener } from './events.js'
import { Lock } from './objects/lock.js'
import { resolveDrainMs } from './options.js'
import type { CloseOptions, HoldfastOptions } from './options.js'
import { Scope } from './ownership/scope.js'

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
 * A client for distributed locks on one Redis (or Valkey) server, Sentinel group or Cluster.
 *
 * Make one per process and share it. It connects at first use, with connections of its own.
 */
export class Holdfast {
  readonly #client: Client
  #closed: Promise<void> | undefined

  /** @throws `InvalidArgumentError` for a bad option; nothing was sent then */
  constructor(options: HoldfastOptions) {
    this.#client = new Client(options)
  }

  /** The first part of all owners of this client. */
  get clientId(): string {
    return this.#client.id
  }

  /**
   * The lock of this name. Sends nothing.
   *
   * @param name - 1 to 1024 bytes. Braces, if any, must form one Redis Cluster hash tag: `{tenant-7}:order`
   * @throws `InvalidArgumentError` for a name that cannot be one
   */
  getLock(name: string): Lock {
    return new Lock(this.#client, this.#client.keySpace.lock(name), false)
  }

  /**
   * The lock of this name, whose leases have a fencing token. With `interop: 'redisson'` the token is drawn from
   * the count of Redisson's `RFencedLock`, so that those of both sides grow in one order. Otherwise every lease has a
   * token, and this is the same as `getLock`. Throws as that.
   */
  getFencedLock(name: string): Lock {
    return new Lock(this.#client, this.#client.keySpace.lock(name), true)
  }

  /**
   * Runs `fn` with imperative locking as one thread would have it: `lock()` and `unlock()` on the same lock inside pair
   * up, also across functions. All tasks inside share the scope's holds. What is still held at
   * the end is released and reported as `leaked`.
   *
   * @returns what `fn` returns
   */
  async scope<T>(fn: () => T | PromiseLike<T>): Promise<T> {
    const scope = new Scope(this.#client)
    try {
      return await this.#client.frames.runInScope(scope, async () => fn())
    } finally {
      await scope.end()
    }
  }

  /** Listens to events of all locks of this client. No listener is needed for anything. */
  on<E extends keyof HoldfastEvents>(event: E, listener: HoldfastListener<E>): this {
    this.#client.events.on(event, listener)
    return this
  }

  /** Listens to the next event only. */
  once<E extends keyof HoldfastEvents>(event: E, listener: HoldfastListener<E>): this {
    this.#client.events.once(event, listener)
    return this
  }

  /** Stops listening. */
  off<E extends keyof HoldfastEvents>(event: E, listener: HoldfastListener<E>): this {
    this.#client.events.off(event, listener)
    return this
  }

  /** Figures of this client. Sends nothing. */
  stats(): HoldfastStats {
    const { id, holds, room } = this.#client
    return { clientId: id, holds: holds.size, waiters: room.waiters, ...holds.counts }
  }

  /**
   * Ends the client. From now on fresh calls and waiters get `ClosedError`, while re-entry still works. What is held gets
   * `drainMs` to be released by its holders; then their signals abort (`LockLostError`, reason `closed`) and it is released
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
}
