import type { OpenedRedis, RedisClient, RedisClientOptions, RedisTopology } from '../../index.js'
import { redisClient } from '../../engine/index.js'
import { Connection } from '../connection/connection.js'
import type { NodeRedisClient } from '../link/given-client.js'
import { keyPrefixOf } from '../link/key-prefix.js'
import type { GivenOptions } from '../link/link-options.js'

/** One server, reached as the given client reaches it. */
export class SingleServer implements RedisClient {
  readonly [redisClient] = 1
  readonly keyPrefix: string
  readonly topology: RedisTopology
  readonly #template: NodeRedisClient
  readonly #options: GivenOptions

  constructor(template: NodeRedisClient) {
    const options: GivenOptions = template.options ?? {}
    const { host = 'localhost', port = 6379, path, tls } = options.socket ?? {}
    this.#template = template
    this.#options = options
    this.keyPrefix = keyPrefixOf(options.keyPrefix)
    this.topology = { kind: 'single', host, port, path, tls }
  }

  open({ name, connectTimeoutMs, reconnectAfterMs, credentials }: RedisClientOptions): OpenedRedis {
    const target = { template: this.#template, options: this.#options }
    const options = { resolve: () => target, settings: { name, connectTimeoutMs, credentials } }
    return {
      commands: new Connection({ ...options, reconnectAfterMs }),
      cluster: null,
      makeSubscriber: () => new Connection(options),
    }
  }
}
