import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender } from '../contender.js'
import { pollMs } from '../contenders/common-settings.js'

const connections = 10

/** Rows that say who has locked them and since when, as job queues such as graphile/worker have them. Waiters poll. */
export const rowLocks: Contender = {
  library: 'row locks',
  configuration: 'floor',
  settings: `locked_by and locked_at in a row, FOR UPDATE SKIP LOCKED, a pool of ${connections}; polled every ${pollMs} ms`,
  async open(url) {
    const { Pool } = await import('pg')
    const pool = new Pool({ connectionString: url, max: connections })
    await pool.query(`select pg_advisory_lock(1); create table if not exists row_lock (
      name text primary key, locked_by text, locked_at timestamptz); select pg_advisory_unlock(1)`)
    const known = new Set<string>()
    let owners = 0
    return {
      async enter(name) {
        const owner = `${process.pid}:${++owners}`
        if (!known.has(name)) {
          await pool.query('insert into row_lock (name) values ($1) on conflict do nothing', [name])
          known.add(name)
        }
        for (;;) {
          const { rowCount } = await pool.query(take, [name, owner])
          if (rowCount === 1) break
          await sleep(pollMs)
        }
        return async () => {
          await pool.query(release, [name, owner])
        }
      },
      close: () => pool.end(),
    }
  },
}

const take = `update row_lock set locked_by = $2, locked_at = now() where name = (
  select name from row_lock where name = $1 and (locked_at is null or locked_at < now() - interval '30 seconds')
  for update skip locked)`

const release = 'update row_lock set locked_by = null, locked_at = null where name = $1 and locked_by = $2'
