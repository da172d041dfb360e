import {
  Holdfast,
  type EngineHoldfastOptions,
  type HoldfastOptions,
  type Lease,
  type PermitLease,
} from '@holdfast/core'
import { redisson } from '@holdfast/core/redisson'
import type { Contender, Session } from '../contender.js'

type Options = HoldfastOptions | EngineHoldfastOptions

/** A client that may have any number of waiters. */
function openClient(options: Options): Holdfast {
  const client = new Holdfast({ maxWaiters: 1_000_000, ...options })
  client.on('error', (error) => console.error(error))
  return client
}

type Enter = (client: Holdfast, name: string) => Promise<Lease | PermitLease>

const enterLock: Enter = (client, name) => client.getLock(name).lock()

function openSession(options: Options, enter = enterLock): Session {
  const client = openClient(options)
  return {
    async enter(name) {
      const lease = await enter(client, name)
      return () => ('unlock' in lease ? lease.unlock() : lease.release())
    },
    close: () => client.close(),
  }
}

/** Holdfast in some way. */
const variant = (own: Pick<Contender, 'library'> & Partial<Contender>): Contender => ({
  settings: 'none: these are the defaults',
  waits: 'queueing',
  open: (url) => Promise.resolve(openSession({ redis: url })),
  ...own,
})

export const holdfast = variant({
  library: 'Holdfast',
  imports: ['ioredis', '@holdfast/core'],
  hold(url, leaseMs) {
    const client = openClient({ redis: url, watchdogTimeoutMs: leaseMs })
    return Promise.resolve({
      async hold(name) {
        await client.getLock(name).lock()
      },
      lost: () => client.stats().lost,
    })
  },
})

export const sharedWithRedisson = variant({
  library: 'Holdfast, shared with Redisson',
  open: (url) => Promise.resolve(openSession({ engine: redisson({ redis: url }) })),
})

/** Sessions that take another object than a lock. */
const taking = (library: string, enter: Enter): Contender =>
  variant({ library, open: (url) => Promise.resolve(openSession({ redis: url }, enter)) })

export const readLock = taking('read lock', (client, name) => client.getReadWriteLock(name).read.lock())
export const writeLock = taking('write lock', (client, name) => client.getReadWriteLock(name).write.lock())
export const semaphoreOf = (permits: number): Contender =>
  taking(`semaphore of ${permits}`, (client, name) => client.getSemaphore(name, { permits }).acquire())

const onPostgres = (tables: 'unlogged' | 'logged'): Contender =>
  variant({
    library: `Holdfast, ${tables}`,
    settings: `tables: '${tables}'; otherwise the defaults`,
    async open(url) {
      const { postgres } = await import('@holdfast/stores/postgres')
      return openSession({ engine: postgres({ url, tables }) })
    },
  })

export const unlogged = onPostgres('unlogged')
export const logged = onPostgres('logged')

/** Of the servers that the benchmark starts. */
const tickMs = 100

export const onZooKeeper = variant({
  library: 'Holdfast on ZooKeeper',
  settings: 'tickMs of the server; otherwise the defaults',
  async open(url) {
    const { zookeeper } = await import('@holdfast/stores/zookeeper')
    return openSession({ engine: zookeeper({ connect: url, tickMs }) })
  },
})

export const onEtcd = variant({
  library: 'Holdfast on etcd',
  async open(url) {
    const { etcd } = await import('@holdfast/stores/etcd')
    return openSession({ engine: etcd({ hosts: [url] }) })
  },
})

export const onMysql = variant({
  library: 'Holdfast on MySQL',
  async open(url) {
    const { mysql } = await import('@holdfast/stores/mysql')
    return openSession({ engine: mysql({ url }) })
  },
})

export const onMemcached = variant({
  library: 'Holdfast on memcached',
  async open(url) {
    const { memcached } = await import('@holdfast/stores/memcached')
    return openSession({ engine: memcached({ url }) })
  },
})
