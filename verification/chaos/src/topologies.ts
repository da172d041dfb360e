import { documentTopologies, type DocumentTopology } from './document-topologies.js'
import { postgresTopologies, type PostgresTopology } from './postgres-topologies.js'
import { sessionTopologies, type SessionTopology } from './session-topologies.js'
import { redisTopologies, type RedisTopology } from './redis-topologies.js'

/** A running topology, as the locks stored on it see it. */
export type Topology = RedisTopology | PostgresTopology | SessionTopology | DocumentTopology
export type StoreName = Topology['store']

const openers = { ...redisTopologies, ...postgresTopologies, ...sessionTopologies, ...documentTopologies }

export type TopologyName = keyof typeof openers

export const topologyNames = Object.keys(openers).filter(isTopologyName)

export function isTopologyName(name: string): name is TopologyName {
  return name in openers
}

export function openTopology(name: TopologyName): Promise<Topology> {
  return openers[name]()
}

export function storeOf(name: TopologyName): StoreName {
  if (name in redisTopologies) return 'redis'
  if (name in documentTopologies) return 'document'
  return name in postgresTopologies ? 'postgres' : 'session'
}
