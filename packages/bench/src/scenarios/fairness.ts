import { contentionMeter, type ContentionSetup } from '../contention.js'
import { onRedis, startersIn, withRivals, type Starter } from '../starters.js'
import type { Figure } from '../figure.js'
import { interleaved } from '../rounds.js'
import type { Scenario } from '../scenario.js'

const name = 'fairness'
const waiters = 50

/** Whether all waiters of a lock get it equally often, and in order. */
export const fairness: Scenario = {
  name,
  title: `How ${waiters} waiters of one lock are served over a longer time`,
  compares: { what: 'jain', lessIsBetter: false },
  run: async (plan) => {
    const starters = (await startersIn(plan)).filter(({ isDefaults }) => !isDefaults)
    return onRedis(({ url }) =>
      withRivals(url, starters, processesOf, async (rivalsByStarter) => {
        const setups = [...rivalsByStarter].map(([starter, rivals]): ContentionSetup => ({
          rivals,
          waiters,
          processes: processesOf(starter),
        }))
        const medians = await interleaved(setups, plan.rounds, contentionMeter(plan.isTrial ? 20 : 400))
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
