import type { OpenedRedis, RedisClient, RedisClientOptions, RedisTopology } from '../../index.js'
import { redisClient } from '../../engine/index.js'
import type { Connection } from '../connection/connection.js'
import type { NodeRedisClient } from '../link/given-client.js'
import { keyPrefixOf } from '../link/key-prefix.js'
import { NodeRedisCluster } from './cluster-connection.js'
import { ClusterWays } from './cluster-ways.js'
import type { NodeRedisClusterOptions } from './options.js'

/** A Redis Cluster. */
export class ClusterServers implements RedisClient {
  readonly [redisClient] = 1
  readonly keyPrefix: string
  readonly topology: RedisTopology
  readonly #ways: ClusterWays

  /** @param template - a client that any other is duplicated from */
  constructor(template: NodeRedisClient, options: NodeRedisClusterOptions) {
    this.#ways = new ClusterWays(template, options)
    this.keyPrefix = keyPrefixOf(options.keyPrefix)
    this.topology = { kind: 'cluster', startupNodes: this.#ways.roots.map(({ address }) => address) }
  }

  open({ name, connectTimeoutMs, reconnectAfterMs, credentials }: RedisClientOptions): OpenedRedis {
    const settings = { name, connectTimeoutMs, credentials }
    const cluster = new NodeRedisCluster({ ways: this.#ways, settings, reconnectAfterMs })
    const makeSubscriber = (route?: string): Connection => {
      const { host, port } = masterFor(cluster, route).options
      if (host === undefined || port === undefined) throw new Error('the master has no address')
      return this.#ways.connectionTo({ host, port }, settings)
    }
    return { commands: cluster, cluster, makeSubscriber }
  }
}

/** The master at that route, or any of them. */
function masterFor(cluster: NodeRedisCluster, route: string | undefined): Connection {
  const masters = cluster.nodes('master')
  const master =
    route === undefined
      ? masters[Math.floor(Math.random() * masters.length)]
      : masters.find(({ options: { host, port } }) => `${host}:${port}` === route)
  if (master) return master
  throw new Error(`no master is known${route === undefined ? '' : ` at ${route}`} yet`)
}
