import type { Connection } from 'mysql2/promise'
import type { Contender } from '../contender.js'

/** The floor: GET_LOCK by hand, one connection for each task that waits or holds. No lease, no token. */
export const getLock: Contender = {
  library: 'GET_LOCK',
  isFloor: true,
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
