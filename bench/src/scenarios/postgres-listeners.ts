import { Client } from 'pg'
import { unlogged } from '../adapters/holdfast.js'
import { compare } from '../compare.js'
import { handOffsOf, warmUpRivals, withRivals } from '../contention.js'
import type { Figure, Scenario } from '../scenario.js'
import { onPostgres } from '../servers.js'

/** Every notification wakes every connection that listens in its database, whatever it listens on. */
export const postgresListeners: Scenario = {
  name: 'postgres-listeners',
  title: 'On PostgreSQL: a hand-off beside other connections that listen',
  compares: { what: 'usPerHandOff', lessIsBetter: true },
  onlyByName: true,
  run: (plan) => {
    const size = { waiters: 50, processes: plan.isTrial ? 1 : 4 }
    const processesOf = (): number => size.processes
    return onPostgres([unlogged], ({ postgres, urlOf }) =>
      withRivals([unlogged], urlOf, processesOf, async (started) => {
        await warmUpRivals(started, processesOf, plan)
        const count = plan.isTrial ? 3 : 100
        const places: [string, string[]][] = [
          ['none', []],
          [`${count}, same database`, Array<string>(count).fill(urlOf(unlogged))],
          [`${count}, another database`, Array<string>(count).fill(postgres.url)],
        ]
        const figures: Figure[] = []
        for (const [listeners, urls] of places) {
          const clients = await Promise.all(urls.map(listen))
          const subjects = [...started].map(([rival, rivals]) =>
            handOffsOf(rival, rivals, size, plan.isTrial ? 20 : 300, { listeners }),
          )
          figures.push(...(await compare(plan.rounds, subjects)))
          await Promise.all(clients.map((client) => client.end()))
        }
        return figures
      }),
    )
  },
}

async function listen(url: string, n: number): Promise<Client> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`listen "other_${n}"`)
  return client
}
