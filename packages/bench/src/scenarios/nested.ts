import { commandsPerCycle } from '../commands.js'
import { titleOf } from '../contender.js'
import { ping } from '../contenders/ping.js'
import type { Crew } from '../crew.js'
import { cyclesOf } from '../cycles-of.js'
import type { Figure } from '../figure.js'
import { interleaved } from '../rounds.js'
import type { Scenario } from '../scenario.js'
import type { Pace } from '../tasks/cycles.js'
import { warmUp } from '../warm-up.js'
import { withCrews } from '../with-crews.js'

const name = 'nested'

/** A lock that is taken again inside: what that adds to a cycle. */
export const nested: Scenario = {
  name,
  title: 'What it adds to a cycle when a lock is taken again inside',
  compares: { what: 'usMore', lessIsBetter: true },
  floor: titleOf(ping),
  run: (plan) =>
    withCrews(plan.contenders, 1, async (crews, { url }) => {
      const { rounds, isTrial } = plan
      const forMs = isTrial ? 10 : 200
      const able: Crew[] = []
      for (const crew of crews) if (await nestedBy(crew, 1)) able.push(crew)
      await warmUp(able, plan)
      const medians = await interleaved(able, rounds, async (crew) => {
        const plain = await cyclesOf(crew, { tasks: 1, forMs })
        const twice = await nestedOf(crew, forMs)
        return { usMore: twice.us / twice.cycles - plain.us / plain.cycles }
      })
      const figures: Figure[] = []
      for (const [crew, seen] of medians) {
        const plain = await commandsPerCycle(url, () => cyclesOf(crew, { tasks: 1, forMs: 20 }))
        const twice = await commandsPerCycle(url, () => nestedOf(crew, 20))
        const of = titleOf(crew.contender)
        figures.push({ scenario: name, of, at: {}, seen: { ...seen, commandsMore: twice - plain } })
      }
      return figures
    }),
}

/** `undefined` for who cannot enter twice. */
async function nestedBy(crew: Crew, forMs: number): Promise<Pace | undefined> {
  const [pace] = await crew.all('nested', () => ({ lock: titleOf(crew.contender), forMs }))
  return pace ?? undefined
}

async function nestedOf(crew: Crew, forMs: number): Promise<Pace> {
  const pace = await nestedBy(crew, forMs)
  if (!pace) throw new Error(`${titleOf(crew.contender)} cannot enter twice`)
  return pace
}
