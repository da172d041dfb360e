import type { EngineHost } from '../../engine/session.js'
import type { LockKeys } from '../keys.js'
import { RedisSession } from '../session.js'
import type { RedisSessionOptions } from '../session.js'
import type { RedissonCalls } from './calls.js'
import { RedissonPeers } from './peers.js'

export interface RedissonSessionOptions extends RedisSessionOptions {
  readonly calls: RedissonCalls
}

/** A session whose locks are shared with Redisson: waiters also need its release messages. */
export class RedissonSession extends RedisSession {
  readonly #peers: RedissonPeers

  constructor(host: EngineHost, options: RedissonSessionOptions) {
    super(host, options)
    const { connection, hub, hubOptions } = this
    this.#peers = new RedissonPeers({
      connections: options.connections,
      connection,
      calls: options.calls,
      hub,
      hubOptions,
      keepMs: host.watchdogTimeoutMs,
      onFree: (lock) => {
        host.wake(lock)
      },
      onMissed: (lock) => {
        host.missed(lock)
      },
    })
  }

  override async prepare(keys: LockKeys): Promise<void> {
    await super.prepare(keys)
    await this.#peers.prepare(keys.lock)
  }

  override isSubscribed(keys: LockKeys): boolean {
    return super.isSubscribed(keys) && this.#peers.isSubscribed(keys.lock)
  }

  override async subscribe(keys: LockKeys): Promise<void> {
    await Promise.all([super.subscribe(keys), this.#peers.whenSubscribed(keys.lock)])
  }

  watch({ lock }: LockKeys): void {
    this.#peers.watch(lock)
  }

  unwatch({ lock }: LockKeys): void {
    this.#peers.unwatch(lock)
  }

  override register(): Promise<void> {
    this.#peers.relocate()
    return super.register()
  }

  override async close(): Promise<void> {
    await this.#peers.close()
    await super.close()
  }
}
