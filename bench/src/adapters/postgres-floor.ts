import type { Client } from 'pg'
import type { Contender } from '../contender.js'

/** The floor: session advisory locks by hand, one connection for each task that waits or holds. No lease, no token. */
export const advisoryLocks: Contender = {
  library: 'advisory locks',
  isFloor: true,
  settings: 'pg_advisory_lock and pg_advisory_unlock on bare pg; a connection for each waiter, no lease',
  waits: 'queueing',
  async open(url) {
    const { Client } = await import('pg')
    const all: Client[] = []
    const idle: Client[] = []
    const connect = async (): Promise<Client> => {
      const client = new Client({ connectionString: url })
      all.push(client)
      await client.connect()
      return client
    }
    return {
      async enter(name) {
        const client = idle.pop() ?? (await connect())
        await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name])
        return async () => {
          await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [name])
          idle.push(client)
        }
      },
      async close() {
        await Promise.all(all.map((client) => client.end()))
      },
    }
  },
}
