import { setTimeout as sleep } from 'node:timers/promises'
import { withRedis } from '@holdfast/testkit'
import { logged, onRedis, unlogged } from '../adapters/holdfast.js'
import { titleOf, type Session } from '../contender.js'
import { inDatabase } from '../in-database.js'
import type { Figure, Scenario } from '../scenario.js'
import { serverNumbers } from '../server-info.js'
import { onPostgres } from '../servers.js'

/** One lock per order, say: what a name leaves behind has to go as fast as names come. */
export const freshNames: Scenario = {
  name: 'fresh-names',
  title:
    'What is left in the store while each cycle is on a lock of a new name (--minutes, --rate, 100 per second by default)',
  compares: { what: 'entries', lessIsBetter: true },
  onlyByName: true,
  run: ({ minutes, isTrial, cyclesPerSecond, ...plan }) =>
    onPostgres([unlogged, logged], async ({ urlOf }) => {
      const forMs = isTrial ? 400 : minutes * 60_000
      const samples = isTrial ? 2 : 4 * minutes
      const figures = [onRedis, unlogged, logged].map(async (contender) => {
        const url = urlOf(contender)
        const session = await contender.open(url)
        // From now on there is something to count.
        await (
          await session.enter('first')
        )()
        const running = cycle(session, forMs, cyclesPerSecond ?? 100)
        const sampled: Figure[] = []
        for (let sample = 1; sample <= samples; sample += 1) {
          await Promise.race([sleep(forMs / samples), running])
          const seen = contender === onRedis ? await keysIn(url) : await inDatabase(url, readRows)
          const minute = (sample * minutes) / samples
          plan.say(`${titleOf(contender)}, minute ${minute}: ${JSON.stringify(seen)}`)
          sampled.push({ of: titleOf(contender), at: { minute }, seen })
        }
        await running
        return sampled
      })
      return (await Promise.all(figures)).flat()
    }),
}

/** Enters and leaves a lock of a new name at a steady rate. */
async function cycle(session: Session, forMs: number, perSecond: number): Promise<void> {
  const startedAt = performance.now()
  try {
    for (let n = 0; performance.now() - startedAt < forMs; n += 1) {
      const leave = await session.enter(`order:${n}`)
      await leave()
      const dueInMs = startedAt + ((n + 1) * 1_000) / perSecond - performance.now()
      if (dueInMs > 0) await sleep(dueInMs)
    }
  } finally {
    await session.close()
  }
}

const readRows = `select (select count(*) from holdfast.lock)::float as entries,
  (select sum(pg_total_relation_size(relid)) from pg_stat_user_tables where schemaname = 'holdfast')::float / 1024 as "storeKiB"`

async function keysIn(url: string): Promise<Figure['seen']> {
  const entries = await withRedis(url, (redis) => redis.dbsize())
  const { used_memory: bytes } = await serverNumbers(url, 'used_memory')
  return { entries, storeKiB: bytes / 1_024 }
}
