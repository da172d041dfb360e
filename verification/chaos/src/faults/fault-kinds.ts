import { storeOf, type TopologyName } from '../topologies.js'
import { clockFaults } from './clock-faults.js'
import { documentFaults } from './document-faults.js'
import { failOverFaults } from './failover-faults.js'
import { operatorFaults } from './operator-faults.js'
import { connectionFaults } from './connection-faults.js'
import { postgresFaults } from './postgres-faults.js'
import { processFaults } from './process-faults.js'
import type { FaultKind } from './fault-kind.js'
import { serverFaults } from './server-faults.js'
import { sessionFaults } from './session-faults.js'

export const faultKinds = {
  ...connectionFaults,
  ...processFaults,
  ...serverFaults,
  ...failOverFaults,
  ...clockFaults,
  ...operatorFaults,
  ...postgresFaults,
  ...sessionFaults,
  ...documentFaults,
}

export type FaultName = keyof typeof faultKinds

export function faultKind(name: FaultName): FaultKind {
  return faultKinds[name]
}

/** The faults that can happen on the topology: those that can happen anywhere on its store, and its own. */
export function faultNamesOf(topology: TopologyName): {
  readonly common: FaultName[]
  readonly own: FaultName[]
} {
  return {
    common: faultNames.filter((name) => {
      const { on, store = storeOf(topology) } = faultKind(name)
      return on === undefined && store === storeOf(topology)
    }),
    own: faultNames.filter((name) => faultKind(name).on?.includes(topology)),
  }
}

const faultNames = Object.keys(faultKinds).filter(isFaultName)

function isFaultName(name: string): name is FaultName {
  return name in faultKinds
}
