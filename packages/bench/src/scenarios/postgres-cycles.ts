import { titleOf } from '../contender.js'
import { cyclesOf } from '../cycles-of.js'
import type { Figure } from '../figure.js'
import { advisoryLocks } from '../postgres/advisory-locks.js'
import { chosenOf } from '../postgres/contenders.js'
import { sentPerCycle } from '../postgres/count.js'
import { onServers } from '../postgres/servers.js'
import { interleaved } from '../rounds.js'
import type { Scenario } from '../scenario.js'
import { warmUp } from '../warm-up.js'
import { WorkerPool } from '../worker-pool.js'

const name = 'postgres-cycles'
const atOnce = [1, 100] as const

/** Uncontended locks in one process. */
export const postgresCycles: Scenario = {
  name,
  title: 'On PostgreSQL: a cycle of an uncontended lock, alone and with 100 locks at once',
  compares: { what: 'usPerCycle', lessIsBetter: true },
  floor: titleOf(advisoryLocks),
  onlyByName: true,
  run: (plan) => {
    const contenders = chosenOf(plan.contenders)
    return onServers(contenders, async (servers) => {
      const starting = contenders.map((contender) => WorkerPool.start(contender, servers.urlOf(contender), 1))
      try {
        const pools = await Promise.all(starting)
        await warmUp(pools, plan)
        const forMs = plan.isTrial ? 10 : 300
        const figures: Figure[] = []
        for (const locks of atOnce) {
          const medians = await interleaved(pools, plan.rounds, async (pool) => {
            const { cycles, us } = await cyclesOf(pool, { tasks: locks, forMs })
            return { usPerCycle: us / cycles }
          })
          for (const [pool, seen] of medians) {
            const run = () => cyclesOf(pool, { tasks: locks, forMs })
            const statements = await sentPerCycle(pool.contender, servers, run)
            const all = { ...seen, statementsPerCycle: statements }
            figures.push({ scenario: name, of: titleOf(pool.contender), at: { locks }, seen: all })
          }
        }
        return figures
      } finally {
        await Promise.allSettled(starting.map(async (pool) => (await pool).stop()))
      }
    })
  },
}
