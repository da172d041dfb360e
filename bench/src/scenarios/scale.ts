import { ping } from '../adapters/floors.js'
import type { Figure, Scenario } from '../scenario.js'
import { onRedis } from '../servers.js'
import { busLoad } from '../simulation/bus.js'
import type { Costs } from '../simulation/costs.js'
import { simulateFailOver } from '../simulation/failover.js'
import { simulateHandOff } from '../simulation/hand-off.js'
import { measureBus } from '../simulation/measure-bus.js'
import { simulateRenewals } from '../simulation/renewals.js'
import { withPool } from '../worker-pool.js'

/** The behaviour of a million locks and ten thousand processes, simulated from costs measured on this machine. */
export const scale: Scenario = {
  name: 'scale',
  title: 'A million locks, ten thousand processes: simulated with the costs of this machine',
  compares: { what: 'redisShare', lessIsBetter: true },
  onlyByName: true,
  async run({ isTrial }) {
    const { wallHandOverUs, ...measured } = await onRedis((servers) =>
      withPool(ping, servers, (pool) => pool.one('measureCosts', { url: servers.redis.url, isTrial })),
    )
    const costs = { ...measured, ...(await measureBus(isTrial ? 50 : 2_000)) }
    // A trial only shows that every simulation runs; a hundredth of the size is enough.
    const part = isTrial ? 0.01 : 1
    return [
      ...costFigures(costs),
      ...check(costs, wallHandOverUs),
      ...handOffs(costs, part),
      ...renewals(costs, part),
      ...notifications(costs),
      ...failOvers(costs, part),
    ]
  },
}

function costFigures(costs: Costs): Figure[] {
  return Object.entries<number>({ ...costs }).map(([cost, value]) => ({
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
    { of: 'check: hand-off, measured', at, seen: { usPerHandOff: wallUs } },
    { of: 'check: hand-off, simulated', at, seen },
  ]
}

function handOffs(costs: Costs, part: number): Figure[] {
  return [0, 0.5].flatMap((delayMs) =>
    [2, 10, 10_000].map((processes) => {
      const settings = { processes, waitersEach: 1, delayMs, handOffs: 50_000 * part, requestsAgain: true }
      return {
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
      of: 'renewals',
      at: { masters, names, phases },
      seen: { ...simulateRenewals({ ...fleet, masters, names, phases }, costs) },
    })),
  )
}

function notifications(costs: Costs): Figure[] {
  return [3, 10, 30].flatMap((masters) =>
    (['classic', 'sharded'] as const).map((kind) => {
      const handOffsPerS = 30_000
      return {
        of: `notices, ${kind}`,
        at: { masters, handOffsPerS },
        seen: busLoad({ masters, handOffsPerS, notifications: kind }, costs),
      }
    }),
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
        of: requestsSingly ? 'failover, if each waiter asked' : 'failover',
        at: { holds, waiters, watchdogTimeoutMs },
        seen: { ...simulateFailOver(settings, costs) },
      }
    }),
  )
}
