import { logged, unlogged } from '../adapters/holdfast.js'
import { titleOf } from '../contender.js'
import { inDatabase } from '../in-database.js'
import type { Figure, Scenario } from '../scenario.js'
import { onPostgres } from '../servers.js'
import { nowUs } from '../tasks/contend.js'
import { withPool, type WorkerPool } from '../worker-pool.js'

const waiters = 20

/** Dead rows as the statistics have them, and what the files take. */
const readSizes = `select sum(n_dead_tup)::float as "deadRows", sum(pg_total_relation_size(relid))::float / 1024 as "tablesKiB",
  sum(autovacuum_count)::float as vacuums
from pg_stat_user_tables where schemaname = 'holdfast'`

/** One lock that is never free, with autovacuum as it is by default. */
export const postgresGrowth: Scenario = {
  name: 'postgres-growth',
  title: `On PostgreSQL: tables and time per cycle while ${waiters} tasks contend for one lock (--minutes)`,
  compares: { what: 'usPerCycle', lessIsBetter: true },
  onlyByName: true,
  run: ({ minutes, isTrial, ...plan }) =>
    onPostgres([unlogged, logged], async (servers) => {
      const quarterMs = isTrial ? 100 : 15_000
      const figures: Figure[] = []
      for (const contender of [unlogged, logged])
        await withPool(contender, servers, async (pool) => {
          for (let quarter = 1; quarter <= 4 * minutes; quarter += 1) {
            const usPerCycle = await contendFor(pool, quarterMs)
            const seen = { usPerCycle, ...(await inDatabase(servers.urlOf(contender), readSizes)) }
            const at = { minute: quarter / 4 }
            plan.say(`${titleOf(contender)}, minute ${at.minute}: ${JSON.stringify(seen)}`)
            figures.push({ of: titleOf(contender), at, seen })
          }
        })
      return figures
    }),
}

async function contendFor(pool: WorkerPool, forMs: number): Promise<number> {
  const fromUs = nowUs()
  const order = { lock: 'hot', waiters, fromUs, untilUs: fromUs + forMs * 1_000 }
  const entries = await pool.one('contend', order, 2 * forMs + 30_000)
  return (forMs * 1_000) / Math.max(1, entries.length)
}
