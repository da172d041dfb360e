import { RefusedError, type Holdfast } from '../src/index.js'
import { closeAll, openClient, openProxy, openReadyClient } from './support/clients.js'
import { openShared } from './support/open-shared.js'
import { openSession } from './support/open-session.js'
import { minimumPermissions, usefulPermissions } from './support/permissions.js'
import { makeRedisUser } from './support/redis-user.js'
import { scripts } from './support/scripts.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()

beforeEach(() => {
  // ioredis says on the console when it may not ask INFO at the start of a connection.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined)
  return server.call('FLUSHALL')
})

afterEach(async () => {
  jest.restoreAllMocks()
  await closeAll()
})

type Session = ReturnType<typeof openSession>['session']
type Step = (session: Session) => Promise<unknown>

const times = { leaseMs: 60_000, entryTtlMs: 60_000, grantLeaseMs: 60_000, proof: 'p', wantsToken: true }

/** All steps of a lock, or of a semaphore with one permit. Each finds what those before it have left. */
function stepsOf(object: 'lock' | 'semaphore'): Step[] {
  const of = (session: Session) => session.names.locate('x', object)
  const size = object === 'lock' ? {} : { size: 1 }
  const acquire =
    (owner: string, count = 1): Step =>
    (session) =>
      session.steps.acquire(of(session), { owner, count, ...size, ...times }, 1_000)
  const release =
    (owner: string, tombstoneMs: number): Step =>
    (session) =>
      session.steps.release(of(session), { owner, count: 0, tombstoneMs }, 1_000)
  return [
    acquire('c1:1'),
    acquire('c1:1'),
    ...(object === 'lock' ? [acquire('c1:1', 2), acquireTogether] : []),
    (session) => session.steps.renew([{ address: of(session), owner: 'c1:1', leaseMs: 90_000 }], 1_000),
    acquire('c1:2'),
    acquire('c1:2'),
    acquire('c1:3'),
    (session) => session.steps.refresh([{ address: of(session), owner: 'c1:2', entryTtlMs: 90_000 }]),
    ...(object === 'lock'
      ? []
      : [
          (session: Session) =>
            session.steps.resize?.(of(session), { size: 2, keepMs: 60_000, version: 0, id: 'a' }, 1_000) ??
            Promise.resolve(),
        ]),
    release('c1:1', 0),
    release('c1:3', 60_000),
    (session) => session.steps.force(of(session), 'c1:2'),
    release('c1:9', 60_000),
  ]
}

/** Two locks for which nobody waits. */
const acquireTogether: Step = (session) => {
  const locks = ['y', 'z'].map((name, n) => ({
    address: session.names.locate(name, 'lock'),
    owner: `c1:${n + 20}`,
  }))
  return session.steps.acquireMany?.({ locks, mode: 'all', leaseMs: 60_000 }, 1_000) ?? Promise.resolve()
}

const latchSteps: Step[] = [
  (session) => waitFor(session),
  (session) =>
    session.latches?.set(latchOf(session), { named: 0, setter: 's', count: 2, keepMs: 60_000 }, 1_000) ??
    Promise.resolve(),
  (session) => waitFor(session),
  ...['one', 'two'].map((party): Step => async (session) => {
    const latch = latchOf(session)
    const found = await session.latches?.inspect(latch, 0)
    if (found?.kind === 'latch')
      await session.latches?.countDown(latch, { named: found.state.generation, party }, 1_000)
  }),
]
const latchOf = (session: Session) => session.names.locate('x', 'latch')
const waitFor = (session: Session): Promise<unknown> =>
  session.latches?.wait([{ address: latchOf(session), awaited: undefined, aliveMs: 60_000 }], 1_000) ??
  Promise.resolve()

const works: readonly (readonly Step[])[] = [stepsOf('lock'), stepsOf('semaphore'), latchSteps]

/** Each command of any script: `pcall` too, and those that only scripts of Redisson's objects use. */
const commands = [
  ...new Set(
    Object.values(scripts).flatMap(({ lua }) =>
      [...lua.matchAll(/call\(\s*'([A-Z]+)'/g)].map(([, name]) => name),
    ),
  ),
].sort()

/** Keys that nothing will remove. */
const immortal = async (): Promise<unknown> =>
  server.call(
    'EVAL',
    "local r = {} for _, k in ipairs(redis.call('KEYS', '*')) do if redis.call('PTTL', k) == -1 then r[#r + 1] = k end end return r",
    '0',
  )

/** Has that user take each step, after others have taken those before it; what then would stay forever, by step. */
async function leftBy(url: string): Promise<unknown[]> {
  const left: unknown[] = []
  for (const [n, steps] of works.entries()) {
    const { session: others } = openSession('c1', { redis: server.url })
    const { session } = openSession('c1', { redis: url }, 1_000)
    for (let step = 0; step < steps.length; step += 1) {
      await server.call('FLUSHALL')
      for (const before of steps.slice(0, step)) await before(others)
      // A client that its first use refuses takes no step.
      const isReady = await session.prepare(session.names.locate('x', 'lock')).then(
        () => true,
        () => false,
      )
      if (isReady) await steps[step]?.(session).catch(() => undefined)
      const keys = await immortal()
      if (String(keys) !== '') left.push([n, step, keys])
    }
  }
  return left
}

it.each(commands)(
  'without %s each key that is written has a time to live all the same',
  async (command = '') => {
    const url = await makeRedisUser(server, ['+@all', '~*', '&*', `-${command.toLowerCase()}`])
    expect(await leftBy(url)).toEqual([])
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
    expect(error).toHaveProperty('message', expect.stringMatching(/\+zadd.*redis\.md/))
    expect(await server.call('EXISTS', '{lock:x}:rw')).toBe(0)
    await server.call('ACL', 'SETUSER', new URL(url).username, '+@all')
    await lock.withLock(() => undefined)
  })
})

it.each<[command: string, what: string, use: (client: Holdfast) => Promise<unknown>]>([
  ['hset', 'to lock', (client) => client.getLock('x').tryLock()],
  ['pexpire', 'to lock', (client) => client.getLock('x').tryLock()],
  ['llen', 'to inspect a lock', (client) => client.getLock('x').inspect()],
  ['llen', 'to ping', (client) => client.ping()],
  // Its scripts carry on with what Redis rejects, and would take a permit that is held for one that is lost.
  ['hexists', 'to acquire a permit', (client) => client.getSemaphore('x', { permits: 1 }).acquire()],
  ['hmget', 'to read a semaphore', (client) => client.getSemaphore('x', { permits: 1 }).available()],
  ['hmget', 'to read a latch', (client) => client.getCountDownLatch('x').count()],
  ['hmget', 'to set a latch', (client) => client.getCountDownLatch('x').trySetCount(1)],
  ['srandmember', 'to inspect a latch', (client) => client.getCountDownLatch('x').inspect()],
])('without %s a user is refused %s by that name, and nothing is written', async (command, _, use) => {
  const client = openClient(await makeRedisUser(server, ['+@all', '~*', '&*', `-${command}`]))
  const error = await use(client).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(RefusedError)
  expect(String(error)).toMatch(RegExp(`the Redis user lacks .*\\+${command}\\b`))
  expect(await server.call('KEYS', '*lock:*')).toEqual([])
})

describe('what a kind of object needs', () => {
  it('is what the scripts of this engine need, not those of another', async () => {
    const url = await makeRedisUser(server, ['+@all', '~*', '&*', '-lpush'])
    const shared = openShared(url)
    expect(await shared.getLock('x').withLock(() => 'in')).toBe('in')
    await expect(openClient(url).getLock('x').lock()).rejects.toThrow(/\+lpush/)
  })

  const tries = async (): Promise<unknown> => server.call('KEYS', 'holdfast:client:*:permissions')

  it('is tried again after its reply was lost, and leaves nothing', async () => {
    const proxy = await openProxy(server)
    const client = await openReadyClient(proxy.url, { commandTimeoutMs: 1_500 })
    const lost = proxy.loseReply((request) => request.includes(':permissions'))
    expect(await client.getSemaphore('x', { permits: 1 }).withPermits(() => 'in')).toBe('in')
    await lost
    expect(await tries()).toEqual([])
  })

  it('is tried once by calls that begin at the same time, and a short wait of one cuts no other short', async () => {
    const proxy = await openProxy(server)
    const client = await openReadyClient(proxy.url)
    const semaphore = client.getSemaphore('y', { permits: 3 })
    let tried = 0
    const lost = proxy.loseReply((request) => {
      if (request.includes(':permissions')) tried += 1
      return false
    })
    lost.catch(() => undefined)
    proxy.blackHole('toClient')
    const [short, ...long] = [
      semaphore.tryAcquire({ waitMs: 1_000 }),
      semaphore.tryAcquire(),
      semaphore.tryAcquire(),
    ].map((work) => work.then((lease) => lease?.name, String))
    expect(await short).toMatch(/UnavailableError.*did not reply within \d+ ms/)
    proxy.heal()
    expect(await Promise.all(long)).toEqual(['y', 'y'])
    expect(tried).toBe(1)
  })
})

it('renewals that Redis rejects are a warning of the process, and the loss says what it rejected', async () => {
  const url = await makeRedisUser(server, ['+@all', '~*', '&*'])
  const lock = openClient(url, { watchdogTimeoutMs: 3_000 }).getLock('x')
  const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  const lease = await lock.lock()
  const lost = new Promise((resolve) => lease.signal.addEventListener('abort', resolve))
  await server.call('ACL', 'SETUSER', new URL(url).username, '-evalsha', '-eval')
  await lost
  const cause: unknown = expect.any(RefusedError)
  const message: unknown = expect.stringMatching(/expired .*NOPERM.*No renewal was confirmed in time$/)
  expect(lease.signal.reason).toMatchObject({ reason: 'expired', cause, message })
  expect(emitWarning.mock.calls).toEqual([
    [expect.stringContaining('NOPERM'), { type: 'HoldfastWarning', code: 'HOLDFAST_REFUSED' }],
  ])
})
