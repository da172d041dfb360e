import { commandsPerCycle } from '../commands.js'
import { titleOf } from '../contender.js'
import { setAndDelete } from '../contenders/set-and-delete.js'
import { cyclesOf } from '../cycles-of.js'
import type { Figure } from '../figure.js'
import { interleaved } from '../rounds.js'
import type { Scenario } from '../scenario.js'
import { warmUp } from '../warm-up.js'
import { withWorkerPools } from '../with-worker-pools.js'

const name = 'throughput'
const atOnce = [1, 10, 100, 1_000] as const

/** Several locks at once, each with its own task, all in one process. */
export const throughput: Scenario = {
  name,
  title: 'Cycles per second of one process with several locks at once',
  compares: { what: 'cyclesPerSecond', lessIsBetter: false },
  floor: titleOf(setAndDelete),
  // Default configurations differ only in how they wait, and there is no waiting here.
  run: (plan) =>
    withWorkerPools(
      plan.contenders.filter(({ configuration }) => configuration !== 'defaults'),
      1,
      async (pools, { url }) => {
        await warmUp(pools, plan)
        const { rounds, isTrial } = plan
        const forMs = isTrial ? 10 : 100
        const figures: Figure[] = []
        for (const locks of atOnce) {
          const medians = await interleaved(pools, rounds, async (pool) => {
            const { cycles, us } = await cyclesOf(pool, { tasks: locks, forMs })
            return { cyclesPerSecond: (cycles / us) * 1_000_000 }
          })
          for (const [pool, seen] of medians) {
            const commands = await commandsPerCycle(url, () => cyclesOf(pool, { tasks: locks, forMs: 20 }))
            const of = titleOf(pool.contender)
            figures.push({ scenario: name, of, at: { locks }, seen: { ...seen, commandsPerCycle: commands } })
          }
        }
        return figures
      },
    ),
}
