import { freePort } from '../free-port.js'
import { findMysql, NoMysqlError } from './find-mysql.js'
import { LocalMysql } from './local-mysql.js'
import type { MysqlServer, StartMysqlOptions } from './mysql-server.js'

/** Another process may take the port that was free a moment ago. */
const portAttempts = 3

/**
 * Starts a server of its own; resolves when it replies.
 *
 * Uses `mariadbd` or `mysqld`. Throws {@link NoMysqlError} if there is neither. Ignores MYSQL_URL: tests must not crash that server.
 */
export async function startMysql({ settings = {} }: StartMysqlOptions = {}): Promise<MysqlServer> {
  const program = findMysql()
  if (program === null) throw new NoMysqlError()
  for (let attemptsLeft = portAttempts; ; attemptsLeft -= 1) {
    const server = await LocalMysql.create(program, await freePort(), settings)
    try {
      await server.init()
      await server.start()
      return server
    } catch (error) {
      const isPortTaken = (await server.log().catch(() => '')).includes('Address already in use')
      await server.stop()
      if (!isPortTaken || attemptsLeft === 1) throw error
    }
  }
}
