import { commandsPerCycle } from '../commands.js'
import { titleOf } from '../contender.js'
import { setAndDelete } from '../contenders/set-and-delete.js'
import { cyclesOf } from '../cycles-of.js'
import type { Figure } from '../figure.js'
import { interleaved } from '../rounds.js'
import type { Scenario } from '../scenario.js'
import { warmUp } from '../warm-up.js'
import { withCrews } from '../with-crews.js'

const name = 'uncontended'

/** One lock that nobody else wants, in a process of its own: what a cycle costs. */
export const uncontended: Scenario = {
  name,
  title: 'A cycle of a lock that nobody else wants',
  compares: { what: 'usPerCycle', lessIsBetter: true },
  floor: titleOf(setAndDelete),
  run: (plan) =>
    withCrews(plan.contenders, 1, async (crews, { url }) => {
      await warmUp(crews, plan)
      const { rounds, isTrial } = plan
      const forMs = isTrial ? 10 : 150
      const medians = await interleaved(crews, rounds, async (crew) => {
        const { cycles, us } = await cyclesOf(crew, { tasks: 1, forMs })
        return { usPerCycle: us / cycles }
      })
      const figures: Figure[] = []
      for (const [crew, seen] of medians) {
        const commands = await commandsPerCycle(url, () => cyclesOf(crew, { tasks: 1, forMs: 20 }))
        const of = titleOf(crew.contender)
        figures.push({ scenario: name, of, at: {}, seen: { ...seen, commandsPerCycle: commands } })
      }
      return figures
    }),
}
