import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection, ResultSetHeader } from 'mysql2/promise'
import type { Contender } from '../contender.js'
import { pollMs } from './common.js'

/** The floor: GET_LOCK by hand, one connection for each task that waits or holds. No lease, no token. */
export const getLock: Contender = {
  library: 'GET_LOCK',
  configuration: 'floor',
  settings:
    'GET_LOCK and RELEASE_LOCK on bare mysql2; a connection for each waiter, no lease, nothing on disk, not on Galera',
  waits: 'queueing',
  async open(url) {
    const { createConnection } = await import('mysql2/promise')
    const all: Connection[] = []
    const idle: Connection[] = []
    const connect = async (): Promise<Connection> => {
      const connection = await createConnection(url)
      all.push(connection)
      return connection
    }
    return {
      async enter(name) {
        const connection = idle.pop() ?? (await connect())
        await connection.query('select get_lock(sha1(?), 3600)', [name])
        return async () => {
          await connection.query('select release_lock(sha1(?))', [name])
          idle.push(connection)
        }
      },
      async close() {
        await Promise.all(all.map((connection) => connection.end()))
      },
    }
  },
}

const connectionLimit = 10

/** A row that exists while the lock is held, as in knex's migrations. Waiters poll, and a holder that dies keeps the lock forever. */
export const lockTable: Contender = {
  library: 'lock table',
  configuration: 'floor',
  settings: `insert and delete of a row, a pool of ${connectionLimit}; polled every ${pollMs} ms; no lease: a holder that dies keeps it`,
  waits: 'polling',
  async open(url) {
    const { createPool } = await import('mysql2/promise')
    const pool = createPool({ uri: url, connectionLimit })
    await pool.query('create table if not exists lock_table (name varbinary(255) primary key) engine=InnoDB')
    const take = async (name: string): Promise<boolean> => {
      try {
        const insert = 'insert ignore into lock_table values (?)'
        const [{ affectedRows }] = await pool.query<ResultSetHeader>(insert, [name])
        return affectedRows === 1
      } catch (error) {
        // Inserts and deletes of one row that meet deadlock.
        if (error instanceof Error && 'errno' in error && error.errno === 1213) return false
        throw error
      }
    }
    return {
      async enter(name) {
        while (!(await take(name))) await sleep(pollMs)
        return async () => {
          const remove = (): Promise<unknown> => pool.query('delete from lock_table where name = ?', [name])
          // Once more after a deadlock.
          await remove().catch(remove)
        }
      },
      close: () => pool.end(),
    }
  },
}
