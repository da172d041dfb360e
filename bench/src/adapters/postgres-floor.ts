import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Contender } from '../contender.js'
import { pollMs } from './common.js'

/** The floor: session advisory locks by hand, one connection for each task that waits or holds. No lease, no token. */
export const advisoryLocks: Contender = {
  library: 'advisory locks',
  configuration: 'floor',
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

const connections = 10

const take = `update row_lock set locked_by = $2, locked_at = now() where name = (
  select name from row_lock where name = $1 and (locked_at is null or locked_at < now() - interval '30 seconds')
  for update skip locked)`

const giveBack = 'update row_lock set locked_by = null, locked_at = null where name = $1 and locked_by = $2'

/** Rows that say who has locked them and since when, as job queues such as graphile/worker have them. Waiters poll. */
export const rowLocks: Contender = {
  library: 'row locks',
  configuration: 'floor',
  settings: `locked_by and locked_at in a row, FOR UPDATE SKIP LOCKED, a pool of ${connections}; polled every ${pollMs} ms`,
  waits: 'polling',
  async open(url) {
    const { Pool } = await import('pg')
    const pool = new Pool({ connectionString: url, max: connections })
    // Statements that are sent together are one transaction.
    await pool.query(`select pg_advisory_xact_lock(1); create table if not exists row_lock (
      name text primary key, locked_by text, locked_at timestamptz)`)
    const known = new Set<string>()
    let owners = 0
    return {
      async enter(name) {
        const owner = `${process.pid}:${++owners}`
        if (!known.has(name)) {
          await pool.query('insert into row_lock (name) values ($1) on conflict do nothing', [name])
          known.add(name)
        }
        while ((await pool.query(take, [name, owner])).rowCount !== 1) await sleep(pollMs)
        return async () => {
          await pool.query(giveBack, [name, owner])
        }
      },
      close: () => pool.end(),
    }
  },
}
