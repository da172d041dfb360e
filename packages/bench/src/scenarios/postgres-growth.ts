import { titleOf } from '../contender.js'
import type { Figure } from '../figure.js'
import { logged, unlogged } from '../postgres/contenders.js'
import { onServers } from '../postgres/servers.js'
import type { Scenario } from '../scenario.js'
import { nowUs } from '../tasks/contend.js'
import { WorkerPool } from '../worker-pool.js'
import { inDatabase } from '../postgres/in-database.js'

const name = 'postgres-growth'
const waiters = 20

/** One lock that is never free, with autovacuum as it is by default. */
export const postgresGrowth: Scenario = {
  name,
  title: `On PostgreSQL: tables and time per cycle while ${waiters} tasks contend for one lock (--minutes)`,
  compares: { what: 'usPerCycle', lessIsBetter: true },
  onlyByName: true,
  run: ({ minutes, isTrial, ...plan }) =>
    onServers([unlogged, logged], async ({ urlOf }) => {
      const minuteMs = isTrial ? 400 : 60_000
      const figures: Figure[] = []
      for (const contender of [unlogged, logged]) {
        const pool = await WorkerPool.start(contender, urlOf(contender), 1)
        try {
          for (let quarter = 1; quarter <= 4 * minutes; quarter += 1) {
            const usPerCycle = await contendFor(pool, minuteMs / 4)
            const [sizes = {}] = await inDatabase(urlOf(contender), readSizes)
            const seen = { usPerCycle, ...sizes }
            const minute = quarter / 4
            plan.say(`${titleOf(contender)}, minute ${minute}: ${JSON.stringify(seen)}`)
            figures.push({ scenario: name, of: titleOf(contender), at: { minute }, seen })
          }
        } finally {
          await pool.stop()
        }
      }
      return figures
    }),
}

async function contendFor(pool: WorkerPool, forMs: number): Promise<number> {
  const fromUs = nowUs()
  const order = { lock: 'hot', waiters, fromUs, untilUs: fromUs + forMs * 1_000 }
  const [entries = []] = await pool.all('contend', () => order, 2 * forMs + 30_000)
  return (forMs * 1_000) / Math.max(1, entries.length)
}

/** Dead rows as the statistics have them, and what the files take. */
const readSizes = `select sum(n_dead_tup)::float as "deadRows", sum(pg_total_relation_size(relid))::float / 1024 as "tablesKiB",
  sum(autovacuum_count)::float as vacuums
from pg_stat_user_tables where schemaname = 'holdfast'`
