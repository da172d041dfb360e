import { startRedis, withRedis, type RedisServer } from '@holdfast/testkit'
import { type Holdfast, RefusedError } from '../src/index.js'
import { scripts } from '../src/redis/scripts/generated.js'
import { closeAll, openClient, type ClientOptions } from './support/clients.js'
import { minimumPermissions, usefulPermissions } from './support/permissions.js'
import { makeRedisUser } from './support/redis-user.js'

jest.setTimeout(60_000)

let server: RedisServer

beforeAll(async () => {
  server = await startRedis()
})

beforeEach(() => {
  // ioredis says on the console when it may not ask INFO at the start of a connection.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined)
  return server.call('FLUSHALL')
})

afterEach(async () => {
  jest.restoreAllMocks()
  await closeAll()
})

afterAll(() => server.stop())

type Work = (client: Holdfast, other: Holdfast) => Promise<unknown>

const waitMs = 40
const quick = { watchdogTimeoutMs: 300, commandTimeoutMs: 1_000 }

/** A client that has what the other one wants, and then wants what that one has. */
const takingTurns =
  (take: (client: Holdfast, waitMs: number) => Promise<{ unlock(): Promise<void> }>): Work =>
  async (client, other) => {
    const held = await take(other, 0)
    await take(client, waitMs).catch(() => undefined)
    const queued = take(client, 1_000)
    queued.catch(() => undefined)
    await take(other, waitMs).catch(() => undefined)
    await held.unlock()
    const mine = await queued
    const waiting = take(other, 1_000)
    waiting.catch(() => undefined)
    await take(client, waitMs).catch(() => undefined)
    await mine.unlock()
    await (await waiting).unlock()
  }

/** All that makes scripts write, by family of scripts. */
const works: readonly (readonly [what: string, work: Work, options?: ClientOptions])[] = [
  ['a lock', takingTurns((client, ms) => client.getLock('a').lock({ waitMs: ms }))],
  [
    'a lock that is entered again, extended and evicted',
    async (client, other) => {
      const lease = await client.getLock('b').lock({ leaseMs: 5_000 })
      await lease.run(() => client.getLock('b').withLock(() => undefined))
      await lease.extend(9_000)
      await other.getLock('b').forceUnlock()
      const held = await other.getLock('b').lock()
      await client.getLock('b').forceUnlock()
      await held.unlock().catch(() => undefined)
    },
  ],
  ['a multi lock', takingTurns((client, ms) => client.getMultiLock(['{m}:1', '{m}:2']).lock({ waitMs: ms }))],
  ['a writer', takingTurns((client, ms) => client.getReadWriteLock('c').write.lock({ waitMs: ms }))],
  [
    'readers',
    async (client, other) => {
      const { read, write } = client.getReadWriteLock('d')
      const first = await read.lock()
      await other.getReadWriteLock('d').read.lock()
      await write.tryLock({ waitMs }).catch(() => undefined)
      await first.unlock()
    },
  ],
  [
    'a semaphore',
    async (client, other) => {
      const [mine, others] = [client, other].map((each) => each.getSemaphore('e', { permits: 3 }))
      const lease = await mine?.acquire({ permits: 2 })
      const waiting = others?.acquire({ permits: 2, waitMs: 1_000 })
      waiting?.catch(() => undefined)
      await mine?.resize(4)
      await (await waiting)?.release()
      await lease?.release()
    },
  ],
  [
    'a latch',
    async (client, other) => {
      const latch = client.getCountDownLatch('f')
      await latch.trySetCount(2)
      const waiting = client.getCountDownLatch('f').tryWait({ waitMs })
      waiting.catch(() => undefined)
      await latch.countDown({ as: 'one' })
      await waiting
      await other.getCountDownLatch('f').countDown({ as: 'two' })
      await latch.trySetCount(1)
      await latch.delete()
    },
  ],
  [
    'a lock that is shared with Redisson',
    takingTurns((client, ms) => client.getLock('g').lock({ waitMs: ms })),
    { interop: 'redisson' },
  ],
  [
    'a read/write lock that is shared with Redisson',
    takingTurns((client, ms) => client.getReadWriteLock('h').write.lock({ waitMs: ms })),
    { interop: 'redisson' },
  ],
]

/** Each command of any script: `pcall` too, and those that only scripts for Java use. */
const commands = [
  ...new Set(
    Object.values(scripts).flatMap(({ lua }) =>
      [...lua.matchAll(/call\(\s*'([A-Z]+)'/g)].map(([, name]) => name),
    ),
  ),
].sort()

/** Keys that nothing will remove. */
const immortal = (): Promise<string[]> =>
  withRedis(server.url, async (redis) => {
    const keys = await redis.keys('*')
    const ttls = await Promise.all(keys.map((key) => redis.pttl(key)))
    return keys.filter((_, n) => ttls[n] === -1)
  })

/** Has two clients do all of it, one of them as that user. */
const doAll = (url: string, onError: (what: string, error: unknown) => void): Promise<unknown> =>
  Promise.all(
    works.map(async ([what, work, options]) => {
      const [client, other] = [url, server.url].map((each) => openClient(each, { ...quick, ...options }))
      if (!client || !other) return
      await work(client, other).catch((error: unknown) => {
        onError(what, error)
      })
      await Promise.all([client, other].map((each) => each.close({ drainMs: 0 })))
    }),
  )

it('a user who lacks nothing can do all of it, and each key has a time to live', async () => {
  const errors: unknown[] = []
  await doAll(server.url, (what, error) => errors.push([what, error]))
  expect(errors).toEqual([])
  expect(await immortal()).toEqual([])
})

it.each(commands)(
  'without %s each key that is written has a time to live all the same',
  async (command = '') => {
    const url = await makeRedisUser(server, ['+@all', '~*', '&*', `-${command.toLowerCase()}`])
    await doAll(url, () => undefined)
    expect(await immortal()).toEqual([])
  },
)

describe('a user with the documented minimum for locks', () => {
  it('is refused a read/write lock, by the names of what is missing, and uses it once that is granted', async () => {
    const url = await makeRedisUser(server, [...minimumPermissions, ...usefulPermissions])
    const client = openClient(url)
    await client.getLock('x').withLock(() => undefined)
    const lock = client.getReadWriteLock('x').read
    const error = await lock.lock().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(RefusedError)
    expect(error).toHaveProperty('message', expect.stringMatching(/\+zadd.*operations\.md/))
    expect(await server.call('EXISTS', '{lock:x}:rw')).toBe(0)
    await server.call('ACL', 'SETUSER', new URL(url).username, '+@all')
    await lock.withLock(() => undefined)
  })
})
