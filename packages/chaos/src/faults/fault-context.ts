import type { RedisServer } from '@holdfast/testkit'
import type { Testbed, ClientProcess } from '../testbed.js'
import { pickCyclic } from '../pick-cyclic.js'
import type { FaultPlan } from './fault-plan.js'

/** What a fault can act on. */
export interface FaultContext {
  readonly testbed: Testbed
  /** Names of the locks, as the processes know them. */
  readonly locks: readonly string[]
  /** Their keys in Redis. */
  readonly keys: readonly string[]
  /** Kills a process on purpose. */
  kill(clientProcess: ClientProcess): Promise<void>
}

export function targetProcess({ testbed }: FaultContext, { target }: FaultPlan): ClientProcess {
  return pickCyclic(testbed.processes, target)
}

/** The server that currently holds the lock at which the fault aims. */
export function targetMaster({ testbed, keys }: FaultContext, { target }: FaultPlan): Promise<RedisServer> {
  return testbed.topology.masterOf(target % keys.length, pickCyclic(keys, target))
}
