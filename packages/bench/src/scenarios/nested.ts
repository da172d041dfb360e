import { commandsPerCycle } from '../commands.js'
import { titleOf } from '../contender.js'
import { ping } from '../contenders/ping.js'
import type { WorkerPool } from '../worker-pool.js'
import { cyclesOf } from '../cycles-of.js'
import type { Figure } from '../figure.js'
import { interleaved } from '../rounds.js'
import type { Scenario } from '../scenario.js'
import type { Pace } from '../tasks/cycles.js'
import { warmUp } from '../warm-up.js'
import { withWorkerPools } from '../with-worker-pools.js'

const name = 'nested'

/** A lock that is re-entered: what that adds to a cycle. */
export const nested: Scenario = {
  name,
  title: 'What re-entry adds to a cycle',
  compares: { what: 'usMore', lessIsBetter: true },
  floor: titleOf(ping),
  run: (plan) =>
    withWorkerPools(plan.contenders, 1, async (pools, { url }) => {
      const { rounds, isTrial } = plan
      const forMs = isTrial ? 10 : 200
      const able: WorkerPool[] = []
      for (const pool of pools) if (await nestedBy(pool, 1)) able.push(pool)
      await warmUp(able, plan)
      const medians = await interleaved(able, rounds, async (pool) => {
        const plain = await cyclesOf(pool, { tasks: 1, forMs })
        const twice = await nestedOf(pool, forMs)
        return { usMore: twice.us / twice.cycles - plain.us / plain.cycles }
      })
      const figures: Figure[] = []
      for (const [pool, seen] of medians) {
        const plain = await commandsPerCycle(url, () => cyclesOf(pool, { tasks: 1, forMs: 20 }))
        const twice = await commandsPerCycle(url, () => nestedOf(pool, 20))
        const of = titleOf(pool.contender)
        figures.push({ scenario: name, of, at: {}, seen: { ...seen, commandsMore: twice - plain } })
      }
      return figures
    }),
}

/** `undefined` for contenders without re-entry. */
async function nestedBy(pool: WorkerPool, forMs: number): Promise<Pace | undefined> {
  const [pace] = await pool.all('nested', () => ({ lock: titleOf(pool.contender), forMs }))
  return pace ?? undefined
}

async function nestedOf(pool: WorkerPool, forMs: number): Promise<Pace> {
  const pace = await nestedBy(pool, forMs)
  if (!pace) throw new Error(`${titleOf(pool.contender)} does not support re-entry`)
  return pace
}
