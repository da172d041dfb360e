import type { Excuse } from '@holdfast/testkit'
import type { StoreName, TopologyName } from '../topologies.js'
import type { FaultPlan } from './fault-plan.js'
import type { FaultContext } from './fault-context.js'

/** A kind of fault: where it can happen, what it may break, and how it is injected. */
export interface FaultKind {
  /** Where it can happen. Absent: everywhere on servers of its store. */
  readonly on?: readonly TopologyName[]
  /** Which servers it is made for. Absent: any. */
  readonly store?: StoreName
  /** Whose waiters may lose their turn: those of no process, of the target process, or of all processes. */
  readonly disturbs: 'none' | 'target' | 'all'
  /** The promises that the contract does not make under this fault. Absent: it makes all of them. */
  readonly excuses?: readonly Excuse[]
  /** Two of these at once on one server would combine into a fault of a third kind: they run one after another. */
  readonly hitsServer?: boolean
  /** Whether it affects only the lock at which it aims. */
  readonly hitsOneLock?: boolean
  /** Injects the fault. Resolves with the function that heals it. */
  inject(context: FaultContext, plan: FaultPlan): Promise<Heal | Instant>
}

export type Heal = () => void | Promise<void>

/** Nothing to heal: the fault was over as soon as it happened, or it had nothing to hit. */
export type Instant = 'over' | 'missed'
