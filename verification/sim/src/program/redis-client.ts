import type { OpenedRedis, RedisClient, RedisClientOptions, RedisTopology } from '@holdfast/core'
import { redisClient } from '@holdfast/core/engine'
import { SimRedisConnection } from './redis-connection.js'
import type { Dial } from './redis-socket.js'

/** A library for Redis, whose connections end at simulated servers. */
export class SimRedisClient implements RedisClient {
  readonly [redisClient] = 1
  readonly keyPrefix = ''
  readonly topology: RedisTopology
  readonly #dial: Dial

  /** @param host - the name of the address */
  constructor(host: string, dial: Dial) {
    this.topology = { kind: 'single', host, port: 6379 }
    this.#dial = dial
  }

  open({ name, connectTimeoutMs, reconnectAfterMs }: RedisClientOptions): OpenedRedis {
    const options = { dial: this.#dial, name, connectTimeoutMs }
    return {
      commands: new SimRedisConnection({ ...options, reconnectAfterMs }),
      cluster: null,
      makeSubscriber: () => new SimRedisConnection(options),
    }
  }
}
