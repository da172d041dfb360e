import type { Figure } from '../figure.js'
import type { Scenario } from '../scenario.js'
import { mostHandOffsPerS, simulateBus } from '../simulation/bus.js'
import { calibrate } from '../simulation/calibrate.js'
import type { Costs } from '../simulation/costs.js'
import { simulateFailOver } from '../simulation/fail-over.js'
import { simulateHandOff } from '../simulation/hand-off.js'
import { simulateRenewals } from '../simulation/renewals.js'

const name = 'scale'

/** What a million locks and ten thousand processes would do: costs are measured here, and the rest is simulated. */
export const scale: Scenario = {
  name,
  title: 'A million locks, ten thousand processes: simulated with the costs of this machine',
  compares: { what: 'redisShare', lessIsBetter: true },
  onlyByName: true,
  async run({ isTrial }) {
    const { costs, wallHandOverUs } = await calibrate(isTrial)
    // A trial shows that every scene can be played; a hundredth is enough for that.
    const part = isTrial ? 0.01 : 1
    return [
      ...told(costs),
      ...check(costs, wallHandOverUs),
      ...handOffs(costs, part),
      ...renewals(costs, part),
      ...notices(costs, part),
      ...failOvers(costs, part),
    ]
  },
}

function told(costs: Costs): Figure[] {
  return Object.entries<number>({ ...costs }).map(([cost, value]) => ({
    scenario: name,
    of: 'cost',
    at: { cost },
    seen: { value },
  }))
}

/** The same as was measured, in one process and without anybody who asks again. */
function check(costs: Costs, wallUs: number): Figure[] {
  const scene = { processes: 1, waitersEach: 5_000, delayMs: 0, handOffs: 5_000, asksAgain: false }
  const { usPerHandOff, redisShare } = simulateHandOff(scene, costs)
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
      const scene = { processes, waitersEach: 1, delayMs, handOffs: 50_000 * part, asksAgain: true }
      return {
        scenario: name,
        of: 'hand-off',
        at: { processes, delayMs },
        seen: simulateHandOff(scene, costs),
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

function notices(costs: Costs, part: number): Figure[] {
  return [3, 10, 30].flatMap((masters) =>
    (['classic', 'sharded'] as const).flatMap((kind) =>
      [10_000, 30_000].map((handOffsPerS) => {
        const scene = { masters, handOffsPerS, notices: kind, forMs: 500 * part }
        const mostPerS = mostHandOffsPerS(masters, kind, costs)
        return {
          scenario: name,
          of: `notices, ${kind}`,
          at: { masters, handOffsPerS },
          seen: { ...simulateBus(scene, costs), mostPerS },
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
    [false, true].map((asksSingly) => {
      const scene = {
        processes: 10_000 * part,
        holds: holds * part,
        waiters: waiters * part,
        watchdogTimeoutMs,
        commandTimeoutMs: 5_000,
        outageMs: 16_000,
        asksSingly,
      }
      return {
        scenario: name,
        of: asksSingly ? 'fail-over, if each waiter asked' : 'fail-over',
        at: { holds, waiters, watchdogTimeoutMs },
        seen: { ...simulateFailOver(scene, costs) },
      }
    }),
  )
}
