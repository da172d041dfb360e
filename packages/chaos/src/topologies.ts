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

/** A running topology, seen from the locks that live on it. */
export interface Topology {
  readonly servers: readonly RedisServer[]
  /** Options of `Holdfast` that belong to it. */
  readonly options: ClientOptions
  /** How a process reaches it through its links: the n-th lock through the n-th, modulo their number. */
  templates(links: ProxiedNodes): readonly TemplateSpec[]
  /** The server on which the n-th lock, of this key, lives now. */
  masterOf(n: number, key: string): Promise<RedisServer>
  /** Hands that lock to a replica in good order, where there is one that may take over. */
  failOver(key: string): Promise<void>
  /** Sets the servers' clock forward, or back. Absent where that cannot be done. */
  stepClock?(stepMs: number): Promise<void> | void
  /** Resolves when all servers are up and agree on who is who. */
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
      options: { minReplicas: 1, replicaTimeoutMs: 200 },
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

/** Servers that nobody takes over from; locks are spread over them. */
function onServers(servers: readonly RedisServer[]): Topology {
  return {
    servers,
    options: {},
    templates: (links) => servers.map((server) => ({ kind: 'server', url: links.urlOf(server) })),
    masterOf(n) {
      const server = servers[n % servers.length]
      return server ? Promise.resolve(server) : Promise.reject(new Error('there is no server'))
    },
    failOver: () => Promise.reject(new Error('nobody could take over')),
    whenStable: () => Promise.resolve(),
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop()))
    },
  }
}
