import type { EngineHost } from '../../engine/host.js'
import type { Registry } from '../../engine/registry.js'
import type { EngineSession } from '../../engine/session.js'
import type { RedisCommands } from '../commands.js'
import type { Keys } from '../keys.js'
import { latchesOf } from '../latches.js'
import type { RedisLatches } from '../latches.js'
import type { RedisFacts } from '../redis-facts.js'
import type { Replicas } from '../replicas.js'
import { RedisSession } from '../session.js'
import type { RedisSessionOptions } from '../session.js'
import { RedissonAddressing } from './addressing.js'
import { redissonLatchCalls } from './latch-calls.js'
import { RedissonPeers } from './peers.js'
import type { Publishing } from './publishing.js'

export interface RedissonSessionOptions extends RedisSessionOptions {
  readonly publishing: Publishing
  readonly hasSemaphores: boolean
}

/**
 * A session whose objects are shared with Redisson: waiters also need its release messages. It has the steps of all kinds, and carries no
 * others.
 */
export class RedissonSession implements EngineSession {
  readonly store: RedisFacts
  readonly names: RedissonAddressing
  readonly steps: RedisCommands
  readonly inbox: RedissonPeers
  readonly registry: Registry
  readonly latches: RedisLatches
  readonly confirmer: Replicas | undefined
  readonly #redis: RedisSession

  constructor(host: EngineHost, options: RedissonSessionOptions) {
    const { connections, publishing, hasSemaphores } = options
    const redis = new RedisSession(host, options)
    const { connection, hub, hubOptions, inbox, registry } = redis
    this.#redis = redis
    this.store = redis.store
    this.steps = redis.steps
    this.latches = latchesOf(redis, redissonLatchCalls(publishing))
    this.confirmer = redis.confirmer
    const isCluster = connections.cluster !== null
    this.names = new RedissonAddressing({ keySpace: redis.names, isCluster, hasSemaphores })
    const keepMs = host.watchdogTimeoutMs
    const peersOf = { connections, connection, publishing, inbox, hub, hubOptions, keepMs, host }
    const peers = new RedissonPeers(peersOf)
    this.inbox = peers
    this.registry = {
      register: () => {
        peers.relocate()
        return registry.register()
      },
      find: (clientId) => registry.find(clientId),
    }
  }

  async prepare(keys: Keys): Promise<void> {
    await this.#redis.prepare(keys)
    await this.inbox.prepare(keys.main)
  }

  async close(): Promise<void> {
    await this.inbox.close()
    await this.#redis.close()
  }
}
