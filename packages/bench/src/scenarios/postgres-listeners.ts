import { Client } from 'pg'
import { contentionMeter, type ContentionSetup } from '../contention.js'
import { titleOf } from '../contender.js'
import type { Figure } from '../figure.js'
import { unlogged } from '../postgres/contenders.js'
import { warmUpOn, withRivalsOn } from '../postgres/rivals.js'
import { onServers } from '../postgres/servers.js'
import { mediansOf } from '../rounds.js'
import type { Scenario } from '../scenario.js'

const name = 'postgres-listeners'
const waiters = 50

/** Every notification wakes every connection that listens in its database, whatever it listens on. */
export const postgresListeners: Scenario = {
  name,
  title: 'On PostgreSQL: a hand-off beside other connections that listen',
  compares: { what: 'usPerHandOff', lessIsBetter: true },
  onlyByName: true,
  run: (plan) => {
    const processes = plan.isTrial ? 1 : 4
    return onServers([unlogged], (servers) =>
      withRivalsOn(servers, [unlogged], processes, async (rivalsOf) => {
        await warmUpOn(rivalsOf, processes, plan)
        const count = plan.isTrial ? 3 : 100
        const places = [
          { listeners: 'none', urls: [] },
          { listeners: `${count}, same database`, urls: Array<string>(count).fill(servers.urlOf(unlogged)) },
          { listeners: `${count}, another database`, urls: Array<string>(count).fill(servers.postgres.url) },
        ]
        const figures: Figure[] = []
        for (const { listeners, urls } of places) {
          const clients = await Promise.all(urls.map(listen))
          const measure = contentionMeter(plan.isTrial ? 20 : 300)
          const setups = [...rivalsOf.values()].map((rivals): ContentionSetup => ({
            rivals,
            waiters,
            processes,
          }))
          for (const setup of setups) {
            const rounds = []
            for (let round = 0; round < plan.rounds; round += 1) rounds.push(await measure(setup))
            figures.push({
              scenario: name,
              of: titleOf(unlogged),
              at: { listeners },
              seen: mediansOf(rounds),
            })
          }
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
