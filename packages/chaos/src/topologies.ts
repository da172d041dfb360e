import {
  startCluster,
  startIndependents,
  startRedis,
  startReplicated,
  startSentinels,
  startSteppableRedis,
  type ProxiedNodes,
  type RedisServer,
} from '@holdfast/testkit'
import type { ClientOptions } from './client-options.js'
import type { TemplateSpec } from './template.js'

export const topologyNames = ['single', 'replicated', 'sentinel', 'cluster', 'independent'] as const
export type TopologyName = (typeof topologyNames)[number]

export function isTopologyName(name: string): name is TopologyName {
  return topologyNames.some((known) => known === name)
}

/** A running topology, as the locks stored on it see it. */
export interface Topology {
  readonly servers: readonly RedisServer[]
  /** Options of `Holdfast` that go with it. */
  readonly options: ClientOptions
  /** How a process reaches it through its proxies: the n-th lock through the n-th template, modulo their number. */
  templates(proxies: ProxiedNodes): readonly TemplateSpec[]
  /** The server that holds the n-th lock, with this key, now. */
  masterOf(n: number, key: string): Promise<RedisServer>
  /** Performs an orderly fail-over of that lock's server, where a replica can take over. */
  failOver(key: string): Promise<void>
  /** Moves the servers' clock forward or back. Absent where that is impossible. */
  stepClock?(stepMs: number): Promise<void> | void
  /** Resolves when all servers are up and agree on their roles. */
  whenStable(): Promise<void>
  stop(): Promise<void>
}

export function openTopology(name: TopologyName): Promise<Topology> {
  return openers[name]()
}

const openers: Readonly<Record<TopologyName, () => Promise<Topology>>> = {
  async single() {
    const steppable = await startSteppableRedis()
    if (!steppable) return onServers([await startRedis()])
    return {
      ...onServers([steppable.server]),
      stepClock: (stepMs) => steppable.stepClock(stepMs),
      stop: () => steppable.stop(),
    }
  },
  independent: async () => onServers((await startIndependents(3)).servers),
  async replicated() {
    const replication = await startReplicated({ replicas: 2 })
    return {
      ...onServers([replication.master]),
      servers: replication.servers,
      options: { minReplicas: 1, replicaTimeoutMs: 90 },
      whenStable: () => replication.rejoin(),
      stop: () => replication.stop(),
    }
  },
  async sentinel() {
    const set = await startSentinels()
    return {
      servers: set.servers,
      options: {},
      templates: ({ natMap }) => [{ kind: 'sentinel', sentinels: set.sentinels, name: set.name, natMap }],
      masterOf: () => set.master(),
      failOver: async () => {
        await set.whenStable(stableWithinMs)
        await set.failover()
      },
      whenStable: () => set.whenStable(stableWithinMs),
      stop: () => set.stop(),
    }
  },
  async cluster() {
    const cluster = await startCluster({ masters: 3, replicas: 1 })
    return {
      servers: cluster.nodes,
      options: {},
      templates: ({ natMap, startupNodes }) => [{ kind: 'cluster', nodes: startupNodes, natMap }],
      masterOf: (_, key) => cluster.masterOf(key),
      failOver: async (key) => {
        await cluster.whenStable(stableWithinMs)
        await cluster.failover(key)
      },
      whenStable: () => cluster.whenStable(stableWithinMs),
      stop: () => cluster.stop(),
    }
  },
}

const stableWithinMs = 20_000

/** Servers without fail-over; locks are spread over them. */
function onServers(servers: readonly RedisServer[]): Topology {
  return {
    servers,
    options: {},
    templates: (proxies) => servers.map((server) => ({ kind: 'server', url: proxies.urlOf(server) })),
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
