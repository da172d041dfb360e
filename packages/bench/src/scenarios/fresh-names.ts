import { setTimeout as sleep } from 'node:timers/promises'
import { withRedis } from '@holdfast/testkit'
import { titleOf, type Contender } from '../contender.js'
import type { Figure } from '../figure.js'
import { logged, onRedis, unlogged } from '../postgres/contenders.js'
import { inDatabase } from '../postgres/in-database.js'
import { onServers } from '../postgres/servers.js'
import type { Scenario } from '../scenario.js'
import { serverNumbers } from '../server-info.js'

const name = 'fresh-names'
const defaultRate = 100

/** One lock per order, say: what a name leaves behind has to go as fast as names come. */
export const freshNames: Scenario = {
  name,
  title:
    'What is left in the store while each cycle is on a lock of a new name (--minutes, --rate, 100 per second by default)',
  compares: { what: 'entries', lessIsBetter: true },
  onlyByName: true,
  run: ({ minutes, isTrial, cyclesPerSecond, ...plan }) =>
    onServers([unlogged, logged], async ({ urlOf }) => {
      const forMs = isTrial ? 400 : minutes * 60_000
      const samples = Math.max(2, isTrial ? 2 : 4 * minutes)
      const figures = [onRedis, unlogged, logged].map(async (contender) => {
        const running = cycle(contender, urlOf(contender), forMs, cyclesPerSecond ?? defaultRate)
        const seen: Figure[] = []
        for (let sample = 1; sample <= samples; sample += 1) {
          await Promise.race([sleep(forMs / samples), running])
          const left = contender === onRedis ? await keysIn(urlOf(contender)) : await rowsIn(urlOf(contender))
          const minute = (sample * minutes) / samples
          plan.say(`${titleOf(contender)}, minute ${minute}: ${JSON.stringify(left)}`)
          seen.push({ scenario: name, of: titleOf(contender), at: { minute }, seen: left })
        }
        await running
        return seen
      })
      return (await Promise.all(figures)).flat()
    }),
}

/** Enters and leaves a lock of a new name at a steady rate. */
async function cycle(contender: Contender, url: string, forMs: number, perSecond: number): Promise<void> {
  const session = await contender.open(url)
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

async function rowsIn(url: string): Promise<Record<string, number>> {
  const [row = {}] = await inDatabase(
    url,
    `select (select count(*) from holdfast.lock)::float as entries,
      (select sum(pg_total_relation_size(relid)) from pg_stat_user_tables where schemaname = 'holdfast')::float / 1024 as "storeKiB"`,
  )
  return row
}

async function keysIn(url: string): Promise<Record<string, number>> {
  const entries = await withRedis(url, (redis) => redis.dbsize())
  const { used_memory: bytes } = await serverNumbers(url, 'used_memory')
  return { entries, storeKiB: bytes / 1_024 }
}
