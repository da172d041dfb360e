import type { RedisServer } from '@holdfast/testkit'
import type { Testbed, ClientProcess } from '../testbed.js'
import type { ObjectName } from '../objects.js'
import { pickCyclic } from '../pick-cyclic.js'
import type { DocumentTopology } from '../document-topologies.js'
import type { PostgresTopology } from '../postgres-topologies.js'
import type { RedisTopology } from '../redis-topologies.js'
import type { SessionTopology } from '../session-topologies.js'
import type { FaultPlan } from './fault-plan.js'

/** What a fault can act on. */
export interface FaultContext {
  readonly testbed: Testbed
  /** What the locks are. */
  readonly object: ObjectName
  /** Names of the locks, as the processes know them. */
  readonly locks: readonly string[]
  /** The keys that have their holds in Redis. */
  readonly keys: readonly string[]
  /** Kills a process on purpose. */
  kill(clientProcess: ClientProcess): Promise<void>
}

export function targetProcess({ testbed }: FaultContext, { target }: FaultPlan): ClientProcess {
  return pickCyclic(testbed.processes, target)
}

export function redisOf({ testbed: { topology } }: FaultContext): RedisTopology {
  if (topology.store === 'redis') return topology
  throw new Error('this fault is made for Redis')
}

export function postgresOf({ testbed: { topology } }: FaultContext): PostgresTopology {
  if (topology.store === 'postgres') return topology
  throw new Error('this fault is made for PostgreSQL')
}

export function sessionsOf({ testbed: { topology } }: FaultContext): SessionTopology {
  if (topology.store === 'session') return topology
  throw new Error('this fault is made for stores with sessions')
}

export function documentsOf({ testbed: { topology } }: FaultContext): DocumentTopology {
  if (topology.store === 'document') return topology
  throw new Error('this fault is made for stores of documents')
}

/** The server that currently holds the lock at which the fault aims; of a quorum, one of the masters. */
export async function targetMaster(context: FaultContext, { target }: FaultPlan): Promise<RedisServer> {
  const { object, keys } = context
  const topology = redisOf(context)
  if (object === 'quorum') return pickCyclic(topology.servers, target)
  return topology.masterOf(target % keys.length, pickCyclic(keys, target))
}
