import { setAndDelete } from '../adapters/floors.js'
import { compare } from '../compare.js'
import type { About, Scenario } from '../scenario.js'
import { starts } from '../stores.js'
import { warmUp, withPools } from '../worker-pool.js'

/** What a client sends once per period must not distort the average of what is counted. */
const atLeast = 100

/** @param locks - how many at once, each with its own task, all in one process */
const ofCycles = (about: About, locks: readonly number[], ms: number): Scenario => ({
  ...about,
  run: (plan) =>
    starts[plan.store](plan.contenders, (server) =>
      withPools(plan.contenders, server, 1, async (pools) => {
        await warmUp(pools, plan)
        const forMs = plan.isTrial ? 10 : ms
        const { what } = about.compares
        const subjects = locks.flatMap((tasks) =>
          pools.map((pool) => ({
            of: pool.contender.library,
            at: locks.length > 1 ? { locks: tasks } : {},
            async measure() {
              const { cycles, us } = await pool.cycles({ tasks, forMs })
              return { [what]: what === 'usPerCycle' ? us / cycles : (cycles / us) * 1_000_000 }
            },
            async count() {
              const run = () => pool.cycles({ tasks, atLeast, forMs: Math.min(forMs, 20) })
              return { commandsPerCycle: await server.sentPerCycle(pool.contender, run) }
            },
          })),
        )
        return compare(plan.rounds, subjects)
      }),
    ),
})

export const uncontended = ofCycles(
  {
    name: 'uncontended',
    title: 'A cycle of an uncontended lock',
    compares: { what: 'usPerCycle', lessIsBetter: true },
    floor: setAndDelete.library,
    onStores: true,
  },
  [1],
  150,
)

export const throughput = ofCycles(
  {
    name: 'throughput',
    title: 'Cycles per second of one process with several locks at once',
    compares: { what: 'cyclesPerSecond', lessIsBetter: false },
    floor: setAndDelete.library,
    onStores: true,
  },
  [1, 10, 100, 1_000],
  100,
)
