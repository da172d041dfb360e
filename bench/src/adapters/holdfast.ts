import { subscribe } from 'node:diagnostics_channel'
import {
  Holdfast,
  HoldfastQuorum,
  type EngineHoldfastOptions,
  type HoldfastOptions,
  type Lease,
} from '@holdfast/core'
import { redisson } from '@holdfast/core/redisson'
import type { Contender, Leave, Session } from '../contender.js'

type Options = HoldfastOptions | EngineHoldfastOptions
type Variant = Pick<Contender, 'library'> & Partial<Contender>

/** A client that may have any number of waiters. */
export function openClient(options: Options): Holdfast {
  const client = new Holdfast({ maxWaiters: 1_000_000, ...options })
  client.on('error', (error) => console.error(error))
  return client
}

const releasing = async (entered: Promise<Lease>): Promise<Leave> => {
  const lease = await entered
  return () => lease.unlock()
}

/** A session on a client with these options. */
export function openSession(options: Options): Promise<Session> {
  const client = openClient(options)
  return Promise.resolve({
    enter: (name) => releasing(client.getLock(name).lock()),
    nest: (name) => {
      const lock = client.getLock(name)
      return lock.withLock(() => lock.withLock(() => undefined))
    },
    together: (names) => client.getMultiLock(names).withLock(() => undefined),
    close: () => client.close(),
  })
}

/** Holdfast in some other way. */
export const variant = (own: Variant): Contender => ({
  configuration: 'best',
  settings: 'none: these are the defaults',
  waits: 'queueing',
  open: (url) => openSession({ redis: url }),
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
  openQuorum(urls) {
    const quorum = new HoldfastQuorum({ masters: urls, restartQuarantineMs: 0 })
    return Promise.resolve({
      enter: (name) => releasing(quorum.getLock(name).lock()),
      close: () => quorum.close(),
    })
  },
})

/** How long a period is with which several can be observed: a second. */
export const quickWatchdogMs = 3_000

export const quickHoldfast = variant({
  library: 'Holdfast, with short periods',
  open: (url) => openSession({ redis: url, watchdogTimeoutMs: quickWatchdogMs }),
})

export const sharedWithRedisson = variant({
  library: 'Holdfast, shared with Redisson',
  open: (url) => openSession({ engine: redisson({ redis: url }) }),
})

/** In a process that listens to all that Holdfast publishes about locks, and does nothing with it. */
export const observedHoldfast = variant({
  library: 'Holdfast, with subscribers',
  settings: 'a subscriber on every tracing channel',
  open(url) {
    for (const operation of ['acquire', 'hold', 'renew', 'release'])
      for (const phase of ['start', 'end', 'asyncStart', 'asyncEnd', 'error'])
        subscribe(`tracing:holdfast:${operation}:${phase}`, () => undefined)
    return openSession({ redis: url })
  },
})

/** The lock, under the names that it has beside other objects and other stores. */
export const lock = variant({ library: 'lock' })
export const onRedis = variant({ library: 'Holdfast on Redis' })

const onPostgres = (tables: 'unlogged' | 'logged'): Contender =>
  variant({
    library: `Holdfast, ${tables}`,
    settings: `tables: '${tables}'; otherwise the defaults`,
    async open(url) {
      const { postgres } = await import('@holdfast/postgres')
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
    const { zookeeper } = await import('@holdfast/zookeeper')
    return openSession({ engine: zookeeper({ connect: url, tickMs }) })
  },
})

export const onEtcd = variant({
  library: 'Holdfast on etcd',
  async open(url) {
    const { etcd } = await import('@holdfast/etcd')
    return openSession({ engine: etcd({ hosts: [url] }) })
  },
})

export const onMysql = variant({
  library: 'Holdfast on MySQL',
  async open(url) {
    const { mysql } = await import('@holdfast/mysql')
    return openSession({ engine: mysql({ url }) })
  },
})

export const onMemcached = variant({
  library: 'Holdfast on memcached',
  async open(url) {
    const { memcached } = await import('@holdfast/memcached')
    return openSession({ engine: memcached({ url }) })
  },
})

export const competingOnMemcached = variant({
  library: 'Holdfast on memcached, queue: false',
  settings: 'queue: false; otherwise the defaults',
  waits: 'polling',
  async open(url) {
    const { memcached } = await import('@holdfast/memcached')
    return openSession({ engine: memcached({ url, queue: false }) })
  },
})

/** Several clients in one process, which take turns. */
export const inClients = (contender: Contender, count: number): Contender => ({
  ...contender,
  library: `${contender.library}, ${count} clients`,
  async open(url) {
    const sessions = await Promise.all(Array.from({ length: count }, () => contender.open(url)))
    let turns = 0
    return {
      enter(name) {
        const session = sessions[turns++ % count]
        if (!session) throw new Error('no client')
        return session.enter(name)
      },
      async close() {
        await Promise.all(sessions.map((session) => session.close()))
      },
    }
  },
})

type Enter = (client: Holdfast, name: string) => Promise<Lease>

/** Sessions that take another object than a lock. */
const taking = (library: string, enter: Enter, enterAlone?: Enter): Contender =>
  variant({
    library,
    open(url) {
      const client = openClient({ redis: url })
      return Promise.resolve({
        enter: (name) => releasing(enter(client, name)),
        ...(enterAlone && { enterAlone: (name: string) => releasing(enterAlone(client, name)) }),
        close: () => client.close(),
      })
    },
  })

const enterRead: Enter = (client, name) => client.getReadWriteLock(name).read.lock()
export const enterWrite: Enter = (client, name) => client.getReadWriteLock(name).write.lock()

export const readLock = taking('read lock', enterRead, enterWrite)
export const writeLock = taking('write lock', enterWrite)

/** Sessions that take one permit. */
export const semaphoreOf = (permits: number): Contender => ({
  ...variant({ library: `semaphore of ${permits}` }),
  open(url) {
    const client = openClient({ redis: url })
    return Promise.resolve({
      async enter(name) {
        const lease = await client.getSemaphore(name, { permits }).acquire()
        return () => lease.release()
      },
      close: () => client.close(),
    })
  },
})
