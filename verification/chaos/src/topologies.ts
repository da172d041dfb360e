import { postgresTopologies, type PostgresTopology } from './postgres-topologies.js'
import { redisTopologies, type RedisTopology } from './redis-topologies.js'

/** A running topology, as the locks stored on it see it. */
export type Topology = RedisTopology | PostgresTopology
export type StoreName = Topology['store']

const openers = { ...redisTopologies, ...postgresTopologies }

export type TopologyName = keyof typeof openers

export const topologyNames = Object.keys(openers).filter(isTopologyName)

export function isTopologyName(name: string): name is TopologyName {
  return name in openers
}

export function openTopology(name: TopologyName): Promise<Topology> {
  return openers[name]()
}

export function storeOf(name: TopologyName): StoreName {
  return name in redisTopologies ? 'redis' : 'postgres'
}
