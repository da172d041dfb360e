import type { Excuse } from '@holdfast/testkit'
import type { FaultKind } from './fault-kind.js'

/** Steps the server's clock by the duration of the fault; the clock is not set back. */
function step(direction: 1 | -1, excuses: readonly Excuse[]): FaultKind {
  return {
    on: ['single', 'postgres', 'postgres-logged'],
    disturbs: 'all',
    excuses,
    hitsServer: true,
    async inject({ testbed }, { forMs }) {
      if (!testbed.topology.stepClock) return 'missed'
      await testbed.topology.stepClock(direction * forMs)
      return 'over'
    },
  }
}

export const clockFaults = {
  clockForward: step(1, ['exclusion']),
  // Leases only get longer. If another fault loses the fence key too, only the clock is left to make tokens grow.
  clockBack: step(-1, ['tokens']),
} satisfies Record<string, FaultKind>
