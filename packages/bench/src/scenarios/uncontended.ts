import { Crew } from '../crew.js'
import { titleOf } from '../contender.js'
import { startPinnedRedis } from '../redis.js'
import { interleaved } from '../rounds.js'
import type { Scenario } from '../scenario.js'

const name = 'uncontended'

/** One lock that nobody else wants, in a process of its own: what a cycle costs. */
export const uncontended: Scenario = {
  name,
  title: 'A cycle of a lock that nobody else wants',
  compares: { what: 'usPerCycle', lessIsBetter: true },
  async run({ contenders, rounds, isTrial }) {
    const count = isTrial ? 20 : 2_000
    const server = await startPinnedRedis()
    const crews: Crew[] = []
    try {
      for (const contender of contenders) crews.push(await Crew.start(contender, server.url, 1))
      const medians = await interleaved(crews, rounds, async (crew) => {
        const [usPerCycle = NaN] = await crew.all('cycles', () => ({ lock: titleOf(crew.contender), count }))
        return { usPerCycle }
      })
      return [...medians].map(([crew, seen]) => ({
        scenario: name,
        of: titleOf(crew.contender),
        at: {},
        seen,
      }))
    } finally {
      await Promise.all(crews.map((crew) => crew.stop()))
      await server.stop()
    }
  },
}
