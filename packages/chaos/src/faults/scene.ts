import type { RedisServer } from '@holdfast/testkit'
import type { Arena, Seat } from '../arena.js'
import { pick } from '../pick.js'
import type { FaultPlan } from './fault-plan.js'

/** Where a fault finds what it breaks. */
export interface Scene {
  readonly arena: Arena
  /** Names of the locks, as the processes know them. */
  readonly locks: readonly string[]
  /** Their keys in Redis. */
  readonly keys: readonly string[]
  /** Kills a process on purpose. */
  kill(seat: Seat): Promise<void>
}

export function seatOf({ arena }: Scene, { target }: FaultPlan): Seat {
  return pick(arena.seats, target)
}

/** The server on which the lock that the fault aims at lives now. */
export function masterOf({ arena, keys }: Scene, { target }: FaultPlan): Promise<RedisServer> {
  return arena.topology.masterOf(target % keys.length, pick(keys, target))
}
