import type { RedisServer } from '@holdfast/testkit'
import type { Testbed, ClientProcess } from '../testbed.js'
import type { ObjectName } from '../objects.js'
import { pickCyclic } from '../pick-cyclic.js'
import type { FaultPlan } from './fault-plan.js'

/** What a fault can act on. */
export interface FaultContext {
  readonly testbed: Testbed
  /** What the locks are. */
  readonly object: ObjectName
  /** Names of the locks, as the processes know them. */
  readonly locks: readonly string[]
  /** The keys in Redis that have their holds. */
  readonly keys: readonly string[]
  /** Kills a process on purpose. */
  kill(clientProcess: ClientProcess): Promise<void>
}

export function targetProcess({ testbed }: FaultContext, { target }: FaultPlan): ClientProcess {
  return pickCyclic(testbed.processes, target)
}

/** The server that currently holds the lock at which the fault aims; of a quorum, one of the masters. */
export async function targetMaster(
  { testbed, object, keys }: FaultContext,
  { target }: FaultPlan,
): Promise<RedisServer> {
  if (object === 'quorum') return pickCyclic(testbed.topology.servers, target)
  return testbed.topology.masterOf(target % keys.length, pickCyclic(keys, target))
}
