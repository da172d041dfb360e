import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  startCluster,
  startRedis,
  startReplica,
  uniqueName,
  withRedis,
  type RedisCluster,
  type RedisServer,
} from '@holdfast/testkit'
import calculateSlot from 'cluster-key-slot'
import { Cluster, Redis } from 'ioredis'
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis5'
import { Holdfast, RefusedError, type HoldfastOptions, type Lease, type Lock } from '../src/index.js'
import { closeAfterTest, closeAll, openClient } from './support/clients.js'
import { nextEvent } from './support/next-event.js'

type Template = Exclude<HoldfastOptions['redis'], string>

const socketPath = join(tmpdir(), `${uniqueName('redis')}.sock`)
let server: RedisServer
let cluster: RedisCluster

beforeAll(async () => {
  ;[server, cluster] = await Promise.all([
    startRedis({ args: ['--unixsocket', socketPath] }),
    startCluster({ replicas: 1 }),
  ])
})

afterAll(async () => {
  await Promise.all([server.stop(), cluster.stop()])
  // A server that is killed leaves its socket behind.
  await rm(socketPath, { force: true })
})

/** A client of the application, and what ends it. */
const owned = <C extends Template & { disconnect(): void; on(event: 'error', ignore: () => void): unknown }>(
  client: C,
): C => {
  client.on('error', () => undefined)
  closing.push(() => {
    client.disconnect()
    return Promise.resolve()
  })
  return client
}

const closing: (() => Promise<void>)[] = []

const single = (options: object = {}) => owned(new Redis(server.url, options))
const single5 = (options: object = {}) => owned(new Redis5(server.url, options))
const clustered = (options: object = {}) => owned(new Cluster([...cluster.startupNodes], options))
const clustered5 = (options: object = {}) => owned(new Cluster5([...cluster.startupNodes], options))

const everythingOdd = {
  lazyConnect: true,
  keyPrefix: 'odd:',
  stringNumbers: true,
  commandTimeout: 20,
  enableAutoPipelining: true,
  enableOfflineQueue: false,
  autoResubscribe: true,
  maxRetriesPerRequest: null,
}

interface Topology {
  readonly name: string
  readonly keyPrefix?: string
  readonly db?: number
  readonly redis: () => HoldfastOptions['redis']
}

const topologies: Topology[] = [
  { name: 'ioredis 6', redis: () => single() },
  { name: 'ioredis 6 with RESP2', redis: () => single({ protocol: 2 }) },
  { name: 'ioredis 5', redis: () => single5() },
  { name: 'a cluster with ioredis 6', redis: () => clustered() },
  { name: 'a cluster with ioredis 6 and RESP2', redis: () => clustered({ redisOptions: { protocol: 2 } }) },
  { name: 'a cluster with ioredis 5', redis: () => clustered5() },
  { name: 'auto-pipelining', redis: () => single({ enableAutoPipelining: true }) },
  { name: 'auto-pipelining of ioredis 5', redis: () => single5({ enableAutoPipelining: true }) },
  { name: 'auto-pipelining in a cluster', redis: () => clustered({ enableAutoPipelining: true }) },
  { name: 'auto-pipelining in a cluster of 5', redis: () => clustered5({ enableAutoPipelining: true }) },
  { name: 'a key prefix', keyPrefix: 'app:', redis: () => single({ keyPrefix: 'app:' }) },
  { name: 'a key prefix in a cluster', keyPrefix: 'app:', redis: () => clustered({ keyPrefix: 'app:' }) },
  {
    name: 'a key prefix for the nodes of a cluster',
    keyPrefix: 'app:',
    redis: () => clustered5({ redisOptions: { keyPrefix: 'app:' } }),
  },
  { name: 'a hash tag as key prefix', keyPrefix: '{app}:', redis: () => single({ keyPrefix: '{app}:' }) },
  {
    name: 'a hash tag as key prefix in a cluster',
    keyPrefix: '{app}:',
    redis: () => clustered({ keyPrefix: '{app}:' }),
  },
  { name: 'another database', db: 3, redis: () => single({ db: 3 }) },
  { name: 'a URL', redis: () => server.url },
  { name: 'a URL with a database', db: 4, redis: () => `${server.url}/4` },
  { name: 'a Unix socket', redis: () => owned(new Redis({ path: socketPath })) },
  { name: 'a template that never connects', redis: () => single({ lazyConnect: true }) },
  { name: 'a template that never connects to a cluster', redis: () => clustered({ lazyConnect: true }) },
  { name: 'reads from replicas', redis: () => clustered({ scaleReads: 'slave' }) },
  { name: 'reads from replicas with ioredis 5', redis: () => clustered5({ scaleReads: 'slave' }) },
  { name: 'read-only connections', redis: () => clustered({ redisOptions: { readOnly: true } }) },
  { name: 'numbers as strings', redis: () => single({ stringNumbers: true }) },
  { name: 'a short time-out of commands', redis: () => single({ commandTimeout: 20 }) },
  { name: 'every odd option', keyPrefix: 'odd:', redis: () => single(everythingOdd) },
  { name: 'every odd option of ioredis 5', keyPrefix: 'odd:', redis: () => single5(everythingOdd) },
  {
    name: 'every odd option in a cluster',
    keyPrefix: 'odd:',
    redis: () => clustered({ ...everythingOdd, redisOptions: { ...everythingOdd, keyPrefix: '' } }),
  },
]

describe.each(topologies)('a lock by way of $name', ({ redis, keyPrefix = '', db = 0 }) => {
  let template: HoldfastOptions['redis']
  let left: Holdfast
  let right: Holdfast
  let lock: Lock
  let otherLock: Lock
  const sent = new Set<string>()
  const problems: string[] = []

  beforeAll(() => {
    template = redis()
    if (typeof template !== 'string' && 'sendCommand' in template) watch(template)
    const options = { redis: template, watchdogTimeoutMs: 3_000 }
    left = new Holdfast(options)
    right = new Holdfast(options)
    for (const holdfast of [left, right]) {
      closing.push(() => holdfast.close())
      holdfast.on('error', ({ message }) => problems.push(message))
      holdfast.on('warning', ({ message }) => problems.push(message))
    }
  })

  beforeEach(() => {
    lock = left.getLock(uniqueName('topology'))
    otherLock = right.getLock(lock.name)
  })

  afterAll(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })

  /** Notes what the application's own client sends, apart from what it needs for itself. */
  function watch(client: Template & { sendCommand?: unknown }): void {
    const send = client.sendCommand
    if (typeof send !== 'function') return
    client.sendCommand = (...given: unknown[]): unknown => {
      const [command] = given
      if (typeof command === 'object' && command !== null && 'name' in command) sent.add(String(command.name))
      const reply: unknown = Reflect.apply(send, client, given)
      return reply
    }
  }

  /** Asks the server that has the lock, under the name it must have there. */
  async function look<T>(use: (redis: Redis, key: string) => Promise<T>): Promise<T> {
    const key = `${keyPrefix}lock:${lock.name}`
    const isCluster = typeof template !== 'string' && 'isCluster' in template && template.isCluster
    const { url } = isCluster ? await cluster.masterOf(key) : server
    return withRedis(`${url}/${db}`, (connection) => use(connection, key))
  }

  const counts = () => look((connection, key) => connection.hgetall(key))

  it('is held under the owner of the lease and gone afterwards', async () => {
    const lease = await lock.lock()
    expect(await counts()).toEqual({ [lease.owner]: '1' })
    await lease.unlock()
    expect(await counts()).toEqual({})
  })

  it('is entered again, refused to another client, and forced open', async () => {
    const lease = await lock.lock()
    await lease.run(() => lock.withLock(async () => expect(await counts()).toEqual({ [lease.owner]: '2' })))
    expect(await otherLock.tryLock()).toBeNull()
    const lost = once(lease.signal, 'abort')
    expect(await otherLock.forceUnlock()).toBe(true)
    await lost
    expect(lease.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'revoked' })
    expect(await counts()).toEqual({})
  })

  it('gives growing fencing tokens to both clients', async () => {
    const tokens: number[] = []
    const note = ({ fencingToken }: Lease) => void tokens.push(fencingToken)
    for (const each of [lock, otherLock, otherLock, lock]) await each.withLock(note)
    const holder = await lock.lock()
    const granted = otherLock.withLock(note)
    tokens.push(holder.fencingToken)
    await holder.unlock()
    await granted
    expect(tokens).toEqual([...tokens].sort((a, b) => a - b))
    expect(new Set(tokens).size).toBe(tokens.length)
  })

  it('has all its keys in one slot, under the prefix of the application', async () => {
    const holder = await lock.lock()
    const waiting = nextEvent(right, 'waiting')
    const waiter = otherLock.withLock(() => undefined)
    await waiting
    const keys = await look((connection, key) => connection.keys(`*${key.replace(/[{}]/g, '?')}*`))
    await holder.unlock()
    await waiter
    expect(keys).toHaveLength(4)
    expect(new Set(keys.map((key) => calculateSlot(key))).size).toBe(1)
  })

  it('never uses the client of the application, and leaves it open', () => {
    const ours = ['evalsha', 'eval', 'hgetall', 'subscribe', 'publish', 'quit', 'script']
    expect(ours.filter((name) => sent.has(name))).toEqual([])
    if (typeof template !== 'string' && 'status' in template) {
      expect(template.status).toMatch(/^(wait|connecting|connect|ready|reconnecting)$/)
    }
  })

  it('reports nothing while nothing is wrong', () => expect(problems).toEqual([]))
})

/** At once for all, since each takes as long as a lease. */
it('the watchdog keeps a hold past its lease by way of every one of these', async () => {
  const results = topologies.map(async ({ name, redis }) => {
    const holdfast = new Holdfast({ redis: redis(), watchdogTimeoutMs: 3_000 })
    closing.push(() => holdfast.close())
    const lease = await holdfast.getLock(uniqueName('watched')).lock()
    const deadlineAt = performance.now() + lease.remainingMs()
    const end = await new Promise<string>((resolve) => {
      holdfast.on('lost', ({ error }) => resolve(error.message))
      holdfast.on('renewed', () => {
        if (performance.now() > deadlineAt) resolve('renewed')
      })
    })
    return { name, end, isHeld: lease.isHeld }
  })
  const ends = await Promise.all(results)
  for (const close of closing.splice(0).reverse()) await close()
  expect(ends).toEqual(topologies.map(({ name }) => ({ name, end: 'renewed', isHeld: true })))
})

describe('a client of a single server', () => {
  afterEach(closeAll)

  it('that is a node of a cluster learns so, and what to pass', async () => {
    const [node] = cluster.nodes
    const holdfast = openClient(node?.url ?? '')
    const warnings: string[] = []
    holdfast.on('warning', ({ message }) => warnings.push(message))
    const names = Array.from({ length: 20 }, () => uniqueName('elsewhere'))
    const outcomes = await Promise.allSettled(names.map((name) => holdfast.getLock(name).tryLock()))
    const reasons = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
    )
    expect(reasons.length).toBeGreaterThan(0)
    for (const reason of reasons) {
      expect(reason).toMatchObject({
        code: 'REFUSED',
        message: expect.stringContaining('new Cluster([') as string,
      })
    }
    expect(warnings).toEqual([])
  })

  it('is not held to the time-out that the application set for its own commands', async () => {
    const template = new Redis(server.url, { commandTimeout: 20, lazyConnect: true })
    const holdfast = openClient(template)
    const problems: unknown[] = []
    holdfast.on('error', (error) => problems.push(error))
    const lock = holdfast.getLock(uniqueName('topology'))
    await lock.withLock(() => undefined)
    await server.call('CLIENT', 'PAUSE', 150, 'ALL')
    await expect(lock.withLock(() => 'done')).resolves.toBe('done')
    expect(problems).toEqual([])
  })

  it('is refused at once by a replica, with the reason and the lock', async () => {
    const replica = await startReplica(server)
    closeAfterTest(() => replica.stop())
    const lock = openClient(replica.url).getLock(uniqueName('topology'))
    for (const call of [
      () => lock.lock(),
      () => lock.tryLock(),
      () => lock.withLock(() => 'not to be run'),
    ]) {
      const error: unknown = await call().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(RefusedError)
      expect(error).toHaveProperty('message', expect.stringMatching(/is a replica; locks need the master/))
      expect(error).toHaveProperty('lockName', lock.name)
    }
  })
})
