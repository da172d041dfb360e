import type { Excuse } from '@holdfast/testkit'
import type { TopologyName } from '../topologies.js'
import type { FaultPlan } from './fault-plan.js'
import type { Scene } from './scene.js'

/** One way in which things go wrong. */
export interface FaultKind {
  /** Where it can happen. Absent: everywhere. */
  readonly on?: readonly TopologyName[]
  /** Whose waiters may lose their turn by it: those of the process it hits, everybody's, or nobody's. */
  readonly disturbs: 'nobody' | 'target' | 'all'
  /** What the contract does not promise under it. Absent: it promises everything. */
  readonly excuses?: readonly Excuse[]
  /** Two of these at once on one server would make a third thing of it: they wait for each other. */
  readonly hitsServer?: boolean
  /** Whether only the lock that it aims at comes to harm. */
  readonly hitsOneLock?: boolean
  /** Breaks it. Resolves with what mends it. */
  inject(scene: Scene, planned: FaultPlan): Promise<Heal | Instant>
}

export type Heal = () => void | Promise<void>

/** There is nothing to mend: it was over the moment it happened, or there was nothing to hit. */
export type Instant = 'over' | 'missed'
