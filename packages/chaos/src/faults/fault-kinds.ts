import type { Excuse } from '@holdfast/testkit'
import type { PlannedFault } from '../schedule.js'
import type { TopologyName } from '../topologies.js'
import { clockFaults } from './clock-faults.js'
import { failOverFaults } from './fail-over-faults.js'
import { operatorFaults } from './operator-faults.js'
import { linkFaults } from './link-faults.js'
import { processFaults } from './process-faults.js'
import type { Scene } from './scene.js'
import { serverFaults } from './server-faults.js'

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
  inject(scene: Scene, planned: PlannedFault): Promise<Heal | Instant>
}

export type Heal = () => void | Promise<void>

/** There is nothing to mend: it was over the moment it happened, or there was nothing to hit. */
export type Instant = 'over' | 'missed'

export const faultKinds = {
  ...linkFaults,
  ...processFaults,
  ...serverFaults,
  ...failOverFaults,
  ...clockFaults,
  ...operatorFaults,
}

export type FaultName = keyof typeof faultKinds

export function faultKind(name: FaultName): FaultKind {
  return faultKinds[name]
}

/** The faults that can happen on the topology: those that can happen anywhere, and its own. */
export function faultNamesOf(topology: TopologyName): {
  readonly common: FaultName[]
  readonly own: FaultName[]
} {
  return {
    common: faultNames.filter((name) => faultKind(name).on === undefined),
    own: faultNames.filter((name) => faultKind(name).on?.includes(topology)),
  }
}

const faultNames = Object.keys(faultKinds).filter(isFaultName)

function isFaultName(name: string): name is FaultName {
  return name in faultKinds
}
