import type { RedisClient } from '../index.js'
import { checkClient, checkCluster, checkSentinel } from './checks.js'
import { ClusterServers } from './cluster/cluster.js'
import type { NodeRedisClusterOptions } from './cluster/options.js'
import type { CreateClient, NodeRedisClient } from './link/given-client.js'
import type { NodeRedisSentinelOptions } from './sentinel/options.js'
import { SentinelMaster } from './sentinel/sentinel.js'
import { SingleServer } from './single/single.js'

/** Has Holdfast reach Redis by way of node-redis. Connects nothing yet. */
export interface NodeRedis {
  /**
   * As this client does. It serves as a template: Holdfast opens connections of its own with its options, and never connects it, sends
   * anything on it or closes it.
   *
   * @param client - of `createClient`, connected or not
   * @throws `InvalidArgumentError` for anything else
   */
  (client: NodeRedisClient): RedisClient

  /**
   * The master that Sentinels name. Each of the connections is a client of `createClient`: one of `createSentinel` sends a command
   * again whose reply was lost, and so runs it twice.
   *
   * @param createClient - of `redis` or `@redis/client`. Called once
   * @param options - as for `createSentinel`
   * @throws `InvalidArgumentError` for a bad option
   */
  readonly sentinel: (createClient: CreateClient, options: NodeRedisSentinelOptions) => RedisClient

  /**
   * A Redis Cluster. Each of the connections is a client of `createClient`: after a failover one of `createCluster` does not find the
   * new master for long, or at all.
   *
   * @param createClient - of `redis` or `@redis/client`. Called once
   * @param options - as for `createCluster`
   * @throws `InvalidArgumentError` for a bad option
   */
  readonly cluster: (createClient: CreateClient, options: NodeRedisClusterOptions) => RedisClient
}

/** node-redis 5.1 or later, or 6: `new Holdfast({ redis: nodeRedis(createClient({ url })) })`. */
export const nodeRedis: NodeRedis = Object.assign(
  (client: NodeRedisClient): RedisClient => {
    checkClient(client)
    return new SingleServer(client)
  },
  {
    sentinel(createClient: CreateClient, options: NodeRedisSentinelOptions): RedisClient {
      checkSentinel(createClient, options)
      return new SentinelMaster(templateOf(createClient), options)
    },
    cluster(createClient: CreateClient, options: NodeRedisClusterOptions): RedisClient {
      checkCluster(createClient, options)
      return new ClusterServers(templateOf(createClient), options)
    },
  },
)

const templateOf = (createClient: CreateClient): NodeRedisClient =>
  createClient({ maintNotifications: 'disabled' })
