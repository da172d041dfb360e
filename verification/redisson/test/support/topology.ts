import { startCluster, startRedis, type RedisServer } from '@holdfast/testkit'
import { Cluster, Redis } from 'ioredis'
import type { Reach } from '../../src/index.js'

/** A private Redis for a test, in a mode that both libraries support. */
export interface Topology extends AsyncDisposable {
  readonly reach: Reach
  readonly servers: readonly RedisServer[]
  /** A plain client for inspection. */
  readonly redis: Redis | Cluster
  readonly serverOf: (key: string) => Promise<RedisServer>
}

export const modes = ['single', 'cluster'] as const

export type Mode = (typeof modes)[number]

export function startTopology(mode: Mode): Promise<Topology> {
  return mode === 'single' ? startSingle() : startThreeMasters()
}

async function startSingle(): Promise<Topology> {
  const server = await startRedis()
  const redis = new Redis(server.url)
  return {
    reach: { mode: 'single', addresses: [server.url] },
    servers: [server],
    redis,
    serverOf: () => Promise.resolve(server),
    async [Symbol.asyncDispose]() {
      redis.disconnect()
      await server.stop()
    },
  }
}

async function startThreeMasters(): Promise<Topology> {
  const cluster = await startCluster({ masters: 3 })
  const redis = new Cluster([...cluster.startupNodes])
  return {
    reach: { mode: 'cluster', addresses: cluster.nodes.map(({ url }) => url) },
    servers: cluster.nodes,
    redis,
    serverOf: (key) => cluster.masterOf(key),
    async [Symbol.asyncDispose]() {
      redis.disconnect()
      await cluster.stop()
    },
  }
}
