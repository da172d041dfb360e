import type { Figure } from '../figure.js'
import type { Scenario } from '../scenario.js'
import { maxHandOffsPerS, simulateBus } from '../simulation/bus.js'
import { calibrate } from '../simulation/calibrate.js'
import type { Costs } from '../simulation/costs.js'
import { simulateFailOver } from '../simulation/fail-over.js'
import { simulateHandOff } from '../simulation/hand-off.js'
import { simulateRenewals } from '../simulation/renewals.js'

const name = 'scale'

/** The behaviour of a million locks and ten thousand processes, simulated from costs measured on this machine. */
export const scale: Scenario = {
  name,
  title: 'A million locks, ten thousand processes: simulated with the costs of this machine',
  compares: { what: 'redisShare', lessIsBetter: true },
  onlyByName: true,
  async run({ isTrial }) {
    const { costs, wallHandOverUs } = await calibrate(isTrial)
    // A trial only shows that every simulation runs; a hundredth of the size is enough.
    const part = isTrial ? 0.01 : 1
    return [
      ...costFigures(costs),
      ...check(costs, wallHandOverUs),
      ...handOffs(costs, part),
      ...renewals(costs, part),
      ...notifications(costs, part),
      ...failOvers(costs, part),
    ]
  },
}

function costFigures(costs: Costs): Figure[] {
  return Object.entries<number>({ ...costs }).map(([cost, value]) => ({
    scenario: name,
    of: 'cost',
    at: { cost },
    seen: { value },
  }))
}

/** Simulates what was measured: one process, and no waiter that requests the lock again. */
function check(costs: Costs, wallUs: number): Figure[] {
  const settings = { processes: 1, waitersEach: 5_000, delayMs: 0, handOffs: 5_000, requestsAgain: false }
  const { usPerHandOff, redisShare } = simulateHandOff(settings, costs)
  const at = { processes: 1, waiters: 5_000 }
  const seen = { usPerHandOff, redisShare }
  return [
    { scenario: name, of: 'check: hand-off, measured', at, seen: { usPerHandOff: wallUs } },
    { scenario: name, of: 'check: hand-off, simulated', at, seen },
  ]
}

function handOffs(costs: Costs, part: number): Figure[] {
  return [0, 0.5].flatMap((delayMs) =>
    [2, 10, 100, 1_000, 10_000].map((processes) => {
      const settings = { processes, waitersEach: 1, delayMs, handOffs: 50_000 * part, requestsAgain: true }
      return {
        scenario: name,
        of: 'hand-off',
        at: { processes, delayMs },
        seen: simulateHandOff(settings, costs),
      }
    }),
  )
}

function renewals(costs: Costs, part: number): Figure[] {
  const fleet = { holds: 1_000_000 * part, processes: 10_000 * part, periodMs: 10_000 }
  const kinds = [
    { names: 'tags', phases: 'processes' },
    { names: 'tags', phases: 'none' },
    { names: 'slots', phases: 'processes' },
    { names: 'slots', phases: 'none' },
  ] as const
  return [1, 3, 10].flatMap((masters) =>
    kinds.map(({ names, phases }) => ({
      scenario: name,
      of: 'renewals',
      at: { masters, names, phases },
      seen: { ...simulateRenewals({ ...fleet, masters, names, phases }, costs) },
    })),
  )
}

function notifications(costs: Costs, part: number): Figure[] {
  return [3, 10, 30].flatMap((masters) =>
    (['classic', 'sharded'] as const).flatMap((kind) =>
      [10_000, 30_000].map((handOffsPerS) => {
        const settings = { masters, handOffsPerS, notifications: kind, forMs: 500 * part }
        const mostPerS = maxHandOffsPerS(masters, kind, costs)
        return {
          scenario: name,
          of: `notices, ${kind}`,
          at: { masters, handOffsPerS },
          seen: { ...simulateBus(settings, costs), mostPerS },
        }
      }),
    ),
  )
}

function failOvers(costs: Costs, part: number): Figure[] {
  const fleets = [
    { holds: 100_000, waiters: 10_000, watchdogTimeoutMs: 30_000 },
    { holds: 1_000_000, waiters: 0, watchdogTimeoutMs: 30_000 },
    { holds: 1_000_000, waiters: 100_000, watchdogTimeoutMs: 30_000 },
    { holds: 1_000_000, waiters: 100_000, watchdogTimeoutMs: 60_000 },
  ]
  return fleets.flatMap(({ holds, waiters, watchdogTimeoutMs }) =>
    [false, true].map((requestsSingly) => {
      const settings = {
        processes: 10_000 * part,
        holds: holds * part,
        waiters: waiters * part,
        watchdogTimeoutMs,
        commandTimeoutMs: 5_000,
        outageMs: 16_000,
        requestsSingly,
      }
      return {
        scenario: name,
        of: requestsSingly ? 'fail-over, if each waiter asked' : 'fail-over',
        at: { holds, waiters, watchdogTimeoutMs },
        seen: { ...simulateFailOver(settings, costs) },
      }
    }),
  )
}
