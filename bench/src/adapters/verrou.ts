import { Redis } from 'ioredis'
import type { Contender, Session } from '../contender.js'
import { disconnecting, pollMs } from './common.js'

interface Waiting {
  readonly retry?: { readonly delay: number }
}

interface VerrouLocks {
  createLock(name: string): {
    acquire(waiting: Waiting): Promise<boolean>
    release(): Promise<void>
  }
}

const often: Waiting = { retry: { delay: pollMs } }

const entering = (locks: VerrouLocks, waiting: Waiting): Pick<Session, 'enter'> => ({
  async enter(name) {
    const lock = locks.createLock(name)
    if (!(await lock.acquire(waiting))) throw new Error(`${name} was not acquired, without a limit`)
    return () => lock.release()
  },
})

const openWith =
  (waiting: Waiting): Contender['open'] =>
  async (url) => {
    const { Verrou } = await import('@verrou/core')
    const { redisStore } = await import('@verrou/core/drivers/redis')
    const connection = new Redis(url)
    const locks = new Verrou({ default: 'redis', stores: { redis: { driver: redisStore({ connection }) } } })
    return { ...entering(locks, waiting), close: disconnecting(connection) }
  }

const library = '@verrou/core'

export const verrou: readonly Contender[] = [
  {
    library,
    configuration: 'best',
    settings: `Redis store; retry.delay ${pollMs}`,
    waits: 'polling',
    imports: ['ioredis', library, '@verrou/core/drivers/redis'],
    open: openWith(often),
  },
  {
    library,
    configuration: 'defaults',
    settings: 'Redis store, no options',
    waits: 'polling',
    open: openWith({}),
  },
]

/** Its store for SQL databases. */
export const verrouOnPostgres: Contender = {
  library: `${library}, Knex`,
  configuration: 'best',
  settings: `store for Knex, a pool of 10; retry.delay ${pollMs}`,
  waits: 'polling',
  async open(url) {
    const { Verrou } = await import('@verrou/core')
    const { knexStore } = await import('@verrou/core/drivers/knex')
    const { default: knex } = await import('knex')
    const connection = knex({ client: 'pg', connection: url, pool: { min: 0, max: 10 } })
    const store = { driver: knexStore({ connection, tableName: 'verrou' }) }
    const locks = new Verrou({ default: 'postgres', stores: { postgres: store } })
    return { ...entering(locks, often), close: () => connection.destroy() }
  },
}
