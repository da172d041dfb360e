import { playing, type Cell } from '../arena.js'
import { onRedis, startersIn, withField, type Starter } from '../field.js'
import type { Figure } from '../figure.js'
import { interleaved } from '../rounds.js'
import type { Scenario } from '../scenario.js'

const name = 'fairness'
const waiters = 50

/** Whether all who want a lock get it as often as each other, and in their order. */
export const fairness: Scenario = {
  name,
  title: `How ${waiters} waiters of one lock are served over a longer time`,
  compares: { what: 'jain', lessIsBetter: false },
  run: async (plan) => {
    const starters = (await startersIn(plan)).filter(({ isDefaults }) => !isDefaults)
    return onRedis(({ url }) =>
      withField(url, starters, processesOf, async (field) => {
        const cells = [...field].map(([starter, rivals]): Cell => ({
          rivals,
          waiters,
          processes: processesOf(starter),
        }))
        const medians = await interleaved(cells, plan.rounds, playing(plan.isTrial ? 20 : 400))
        return [...medians].map(([{ rivals, processes }, seen]): Figure => ({
          scenario: name,
          of: rivals.title,
          at: { waiters, processes },
          seen,
        }))
      }),
    )
  },
}

const processesOf = ({ kind }: Starter): number => (kind === 'java' ? 2 : 4)
