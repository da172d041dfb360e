import type { Excuse } from '@holdfast/testkit'
import type { FaultKind } from './fault-kind.js'

/** Steps the server's clock by the time that the fault lasts; it stays where it is. */
function step(direction: 1 | -1, excuses: readonly Excuse[]): FaultKind {
  return {
    on: ['single'],
    disturbs: 'all',
    excuses,
    hitsServer: true,
    async inject({ arena }, { forMs }) {
      if (!arena.topology.stepClock) return 'missed'
      await arena.topology.stepClock(direction * forMs)
      return 'over'
    },
  }
}

export const clockFaults = {
  clockForward: step(1, ['exclusion']),
  // Leases only get longer. Whatever else loses the fence as well leaves only the clock to make tokens grow.
  clockBack: step(-1, ['tokens']),
} satisfies Record<string, FaultKind>
