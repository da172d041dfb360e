import type { EngineHost } from '../../engine/host.js'
import type { Addressing, ObjectType } from '../../engine/requests.js'
import type { EngineSession, Registry } from '../../engine/session.js'
import { InvalidArgumentError } from '../../errors/errors.js'
import { latchesOf, type RedisLatches } from '../carried-steps.js'
import type { RedisCommands } from '../commands.js'
import type { Keys, KeySpace } from '../keys.js'
import type { Replicas } from '../replicas.js'
import type { RedisFacts } from '../server-identity.js'
import { RedisSession, type RedisSessionOptions } from '../session.js'
import { redissonLatchCalls, type Publishing } from './calls.js'
import { choiceOfForms } from './options.js'
import { RedissonPeers } from './peers.js'

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

export interface RedissonAddressingOptions {
  readonly keySpace: KeySpace
  readonly isCluster: boolean
  readonly hasSemaphores: boolean
}

/** Refuses what Redisson's clients could not have, too. */
export class RedissonAddressing implements Addressing {
  readonly #options: RedissonAddressingOptions

  constructor(options: RedissonAddressingOptions) {
    this.#options = options
  }

  /** Redisson's clients put a latch and its channel into different slots if the name has braces, which a Cluster refuses. */
  locate(name: string, object: ObjectType): Keys {
    const { keySpace, isCluster, hasSemaphores } = this.#options
    const keys = keySpace.locate(name, object)
    if (object === 'semaphore' && !hasSemaphores) {
      throw new InvalidArgumentError(
        `which semaphore of Redisson ${name} is must be said where the engine is made: redisson({ redis, semaphores: ${choiceOfForms} })`,
        { lockName: name },
      )
    }
    if (object === 'latch' && isCluster && keys.main.includes('{')) {
      throw new InvalidArgumentError(
        `a latch that is shared with Redisson must not have braces in its name in a Cluster: ${name}`,
        { lockName: name },
      )
    }
    return keys
  }

  resolve(id: string): Keys | null {
    return this.#options.keySpace.resolve(id)
  }
}
