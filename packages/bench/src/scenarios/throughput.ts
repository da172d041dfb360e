import { commandsPerCycle } from '../commands.js'
import { titleOf } from '../contender.js'
import { setAndDelete } from '../contenders/set-and-delete.js'
import { cyclesOf } from '../cycles-of.js'
import type { Figure } from '../figure.js'
import { interleaved } from '../rounds.js'
import type { Scenario } from '../scenario.js'
import { warmUp } from '../warm-up.js'
import { withCrews } from '../with-crews.js'

const name = 'throughput'
const atOnce = [1, 10, 100, 1_000] as const

/** Several locks at once, each with a task of its own, all in one process. */
export const throughput: Scenario = {
  name,
  title: 'Cycles per second of one process with several locks at once',
  compares: { what: 'cyclesPerSecond', lessIsBetter: false },
  floor: titleOf(setAndDelete),
  // What differs by default is how one waits, and nobody does here.
  run: (plan) =>
    withCrews(
      plan.contenders.filter(({ configuration }) => configuration !== 'defaults'),
      1,
      async (crews, { url }) => {
        await warmUp(crews, plan)
        const { rounds, isTrial } = plan
        const forMs = isTrial ? 10 : 100
        const figures: Figure[] = []
        for (const locks of atOnce) {
          const medians = await interleaved(crews, rounds, async (crew) => {
            const { cycles, us } = await cyclesOf(crew, { tasks: locks, forMs })
            return { cyclesPerSecond: (cycles / us) * 1_000_000 }
          })
          for (const [crew, seen] of medians) {
            const commands = await commandsPerCycle(url, () => cyclesOf(crew, { tasks: locks, forMs: 20 }))
            const of = titleOf(crew.contender)
            figures.push({ scenario: name, of, at: { locks }, seen: { ...seen, commandsPerCycle: commands } })
          }
        }
        return figures
      },
    ),
}
