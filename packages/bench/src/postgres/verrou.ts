import type { Contender } from '../contender.js'
import { pollMs } from '../contenders/common-settings.js'

/** Its store for SQL databases. Waiters poll. */
export const verrou: Contender = {
  library: '@verrou/core, Knex',
  configuration: 'best',
  settings: `store for Knex, a pool of 10; retry.delay ${pollMs}`,
  async open(url) {
    const [{ Verrou }, { knexStore }, { default: knex }] = await Promise.all([
      import('@verrou/core'),
      import('@verrou/core/drivers/knex'),
      import('knex'),
    ])
    const connection = knex({ client: 'pg', connection: url, pool: { min: 0, max: 10 } })
    const store = { driver: knexStore({ connection, tableName: 'verrou' }) }
    const locks = new Verrou({ default: 'postgres', stores: { postgres: store } })
    return {
      async enter(name) {
        const lock = locks.createLock(name)
        const isAcquired = await lock.acquire({ retry: { delay: pollMs } })
        if (!isAcquired) throw new Error(`${name} was not acquired, without a limit`)
        return () => lock.release()
      },
      close: () => connection.destroy(),
    }
  },
}
