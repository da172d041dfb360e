import type { OpenedRedis, RedisClient, RedisClientOptions, RedisTopology } from '../../index.js'
import { redisClient } from '../../engine/index.js'
import { Connection } from '../connection/connection.js'
import type { ConnectionOptions } from '../connection/connection.js'
import type { NodeRedisClient } from '../link/given-client.js'
import { keyPrefixOf } from '../link/key-prefix.js'
import { checkIsMaster, findMaster } from './master-lookup.js'
import type { NodeRedisSentinelOptions } from './options.js'

/** The master that Sentinels name, which is looked up whenever a connection is made. */
export class SentinelMaster implements RedisClient {
  readonly [redisClient] = 1
  readonly keyPrefix: string
  readonly topology: RedisTopology
  readonly #template: NodeRedisClient
  readonly #options: NodeRedisSentinelOptions

  /** @param template - a client that any other is duplicated from */
  constructor(template: NodeRedisClient, options: NodeRedisSentinelOptions) {
    const { name, sentinelRootNodes: sentinels, keyPrefix } = options
    this.#template = template
    this.#options = options
    this.keyPrefix = keyPrefixOf(keyPrefix)
    this.topology = { kind: 'sentinel', name, sentinels }
  }

  open({ name, connectTimeoutMs, reconnectAfterMs, credentials }: RedisClientOptions): OpenedRedis {
    // Not those of the Sentinels.
    const settings = { name, connectTimeoutMs }
    const options: ConnectionOptions = {
      resolve: (report, signal) => findMaster(this.#template, this.#options, settings, report, signal),
      check: checkIsMaster,
      settings: { ...settings, credentials },
    }
    return {
      commands: new Connection({ ...options, reconnectAfterMs }),
      cluster: null,
      makeSubscriber: () => new Connection(options),
    }
  }
}
