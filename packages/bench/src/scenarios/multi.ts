import { commandsPerCycle } from '../commands.js'
import { titleOf } from '../contender.js'
import type { Figure } from '../figure.js'
import { interleaved } from '../rounds.js'
import type { Scenario } from '../scenario.js'
import type { Pace } from '../tasks/cycles.js'
import type { TogetherOrder } from '../tasks/together.js'
import { warmUp } from '../warm-up.js'
import { withWorkerPools } from '../with-worker-pools.js'
import type { WorkerPool } from '../worker-pool.js'

const name = 'multi'
const inARow = 'single locks, in a row'

/** Several uncontended locks at once, and the same locks acquired one after another. */
export const multi: Scenario = {
  name,
  title: 'A cycle of several uncontended locks: a multi lock beside single ones',
  compares: { what: 'usPerCycle', lessIsBetter: true },
  floor: inARow,
  run: (plan) =>
    withWorkerPools(plan.contenders, 1, async (pools, { url }) => {
      const { rounds, isTrial } = plan
      const forMs = isTrial ? 10 : 200
      const able: WorkerPool[] = []
      for (const pool of pools) if (await paceOf(pool, { locks: 2, isJoint: true, forMs: 1 })) able.push(pool)
      await warmUp(able, plan)
      const figures: Figure[] = []
      const ways = able.flatMap((pool) => [false, true].map((isJoint) => ({ pool, isJoint })))
      for (const locks of [2, 4, 8]) {
        const medians = await interleaved(ways, rounds, async ({ pool, isJoint }) => {
          const { cycles, us } = await cyclesOf(pool, { locks, isJoint, forMs })
          return { usPerCycle: us / cycles }
        })
        for (const [{ pool, isJoint }, seen] of medians) {
          const commands = await commandsPerCycle(url, () => cyclesOf(pool, { locks, isJoint, forMs: 20 }))
          const of = isJoint ? `${titleOf(pool.contender)} multi lock` : inARow
          figures.push({ scenario: name, of, at: { locks }, seen: { ...seen, commandsPerCycle: commands } })
        }
      }
      return figures
    }),
}

/** `undefined` for contenders that cannot acquire several locks as one. */
async function paceOf(pool: WorkerPool, order: Omit<TogetherOrder, 'lock'>): Promise<Pace | undefined> {
  const [pace] = await pool.all('together', () => ({ lock: titleOf(pool.contender), ...order }))
  return pace ?? undefined
}

async function cyclesOf(pool: WorkerPool, order: Omit<TogetherOrder, 'lock'>): Promise<Pace> {
  const pace = await paceOf(pool, order)
  if (!pace) throw new Error(`${titleOf(pool.contender)} cannot acquire several locks as one`)
  return pace
}
