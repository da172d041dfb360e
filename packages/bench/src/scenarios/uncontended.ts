import { commandsPerCycle } from '../commands.js'
import { titleOf } from '../contender.js'
import { setAndDelete } from '../contenders/set-and-delete.js'
import { cyclesOf } from '../cycles-of.js'
import type { Figure } from '../figure.js'
import { interleaved } from '../rounds.js'
import type { Scenario } from '../scenario.js'
import { warmUp } from '../warm-up.js'
import { withWorkerPools } from '../with-worker-pools.js'

const name = 'uncontended'

/** One uncontended lock in one process: the cost of a cycle. */
export const uncontended: Scenario = {
  name,
  title: 'A cycle of an uncontended lock',
  compares: { what: 'usPerCycle', lessIsBetter: true },
  floor: titleOf(setAndDelete),
  run: (plan) =>
    withWorkerPools(plan.contenders, 1, async (pools, { url }) => {
      await warmUp(pools, plan)
      const { rounds, isTrial } = plan
      const forMs = isTrial ? 10 : 150
      const medians = await interleaved(pools, rounds, async (pool) => {
        const { cycles, us } = await cyclesOf(pool, { tasks: 1, forMs })
        return { usPerCycle: us / cycles }
      })
      const figures: Figure[] = []
      for (const [pool, seen] of medians) {
        const commands = await commandsPerCycle(url, () => cyclesOf(pool, { tasks: 1, forMs: 20 }))
        const of = titleOf(pool.contender)
        figures.push({ scenario: name, of, at: {}, seen: { ...seen, commandsPerCycle: commands } })
      }
      return figures
    }),
}
