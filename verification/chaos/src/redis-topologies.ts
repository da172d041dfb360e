import {
  proxyNodes,
  startCluster,
  startIndependents,
  startRedis,
  startReplicated,
  startSentinels,
  startSteppableRedis,
  type ProxiedNodes,
  type RedisServer,
} from '@holdfast/testkit'
import type { RedisSpec } from './redis-template.js'
import type { AnyTopology, Route } from './topology.js'

/** Servers of Redis. */
export interface RedisTopology extends AnyTopology {
  readonly store: 'redis'
  readonly servers: readonly RedisServer[]
  /** The server that holds the n-th lock, with this key, now. */
  masterOf(n: number, key: string): Promise<RedisServer>
  /** Performs an orderly failover of that lock's server, where a replica can take over. */
  failOver(key: string): Promise<void>
}

export const redisTopologies = {
  async single(): Promise<RedisTopology> {
    const steppable = await startSteppableRedis()
    if (!steppable) return onServers([await startRedis()])
    return {
      ...onServers([steppable.server]),
      stepClock: (stepMs) => steppable.stepClock(stepMs),
      stop: () => steppable.stop(),
    }
  },
  async replicated(): Promise<RedisTopology> {
    const replication = await startReplicated({ replicas: 2 })
    return {
      ...onServers([replication.master]),
      servers: replication.servers,
      options: { minReplicas: 1, replicaTimeoutMs: 90 },
      whenStable: () => replication.rejoin(),
      stop: () => replication.stop(),
    }
  },
  async sentinel(): Promise<RedisTopology> {
    const set = await startSentinels()
    return {
      store: 'redis',
      servers: set.servers,
      options: {},
      route: () =>
        routeTo(set.servers, ({ natMap }) => [
          { kind: 'sentinel', sentinels: set.sentinels, name: set.name, natMap },
        ]),
      masterOf: () => set.master(),
      failOver: async () => {
        await set.whenStable(stableWithinMs)
        await set.failover()
      },
      whenStable: () => set.whenStable(stableWithinMs),
      stop: () => set.stop(),
    }
  },
  async cluster(): Promise<RedisTopology> {
    const cluster = await startCluster({ masters: 3, replicas: 1 })
    return {
      store: 'redis',
      servers: cluster.nodes,
      options: {},
      route: () =>
        routeTo(cluster.nodes, ({ natMap, startupNodes }) => [
          { kind: 'cluster', nodes: startupNodes, natMap },
        ]),
      masterOf: (_, key) => cluster.masterOf(key),
      failOver: async (key) => {
        await cluster.whenStable(stableWithinMs)
        await cluster.failover(key)
      },
      whenStable: () => cluster.whenStable(stableWithinMs),
      stop: () => cluster.stop(),
    }
  },
  independent: async (): Promise<RedisTopology> => onServers((await startIndependents(3)).servers),
}

const stableWithinMs = 20_000

/** Servers without failover; locks are spread over them. */
function onServers(servers: readonly RedisServer[]): RedisTopology {
  return {
    store: 'redis',
    servers,
    options: {},
    route: () =>
      routeTo(servers, (proxies) =>
        servers.map((server) => ({ kind: 'server', url: proxies.urlOf(server) })),
      ),
    masterOf(n) {
      const server = servers[n % servers.length]
      return server ? Promise.resolve(server) : Promise.reject(new Error('this topology has no servers'))
    },
    failOver: () => Promise.reject(new Error('this topology has no replica that could take over')),
    whenStable: () => Promise.resolve(),
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop()))
    },
  }
}

async function routeTo(
  servers: readonly RedisServer[],
  templatesOf: (nodes: ProxiedNodes) => readonly RedisSpec[],
): Promise<Route> {
  const nodes = await proxyNodes(servers)
  return {
    proxies: nodes.proxies,
    listening: [],
    templates: templatesOf(nodes),
    close: () => nodes.close(),
  }
}
