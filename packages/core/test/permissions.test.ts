import { inspect } from 'node:util'
import {
  killClients,
  startCluster,
  startRedis,
  uniqueName,
  until,
  withRedis,
  type RedisCluster,
  type RedisServer,
  soon,
} from '@holdfast/testkit'
import { Cluster, Redis } from 'ioredis'
import { type Holdfast, RefusedError, type HoldfastOptions, type Lock } from '../src/index.js'
import { closeAll, openClient, type ClientOptions } from './support/clients.js'
import { LockInRedis } from './support/lock-in-redis.js'
import { nextEvent } from './support/next-event.js'
import { makeRedisUser } from './support/redis-user.js'
import { askByHand } from './support/scripts.js'
import { clusterPermissions, minimumPermissions, usefulPermissions } from './support/permissions.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()

beforeEach(async () => {
  // ioredis says on the console when it may not ask INFO at the start of a connection.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined)
  // So that EVAL is needed, too.
  await server.call('SCRIPT', 'FLUSH')
})

afterEach(async () => {
  jest.restoreAllMocks()
  await closeAll()
})

interface Watched {
  readonly holdfast: Holdfast
  /** Codes of warnings and messages of errors, in the order in which they came. */
  readonly problems: string[]
}

function open(redis: HoldfastOptions['redis'], options: ClientOptions = {}): Watched {
  const holdfast = openClient(redis, { watchdogTimeoutMs: 3_000, ...options })
  const problems: string[] = []
  holdfast.on('warning', ({ code }) => problems.push(code))
  holdfast.on('error', ({ message }) => problems.push(message))
  return { holdfast, problems }
}

const waitMs = 1_500

/** For a promise that is awaited later, and perhaps never: when what comes before has failed. */
function later<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined)
  return work
}

/** Uses all that Holdfast offers, over some renewals and refreshes; answers with what went wrong. */
async function useEverything(redis: HoldfastOptions['redis']): Promise<readonly string[]> {
  const { holdfast, problems } = open(redis)
  const other = open(redis)
  const lock = holdfast.getLock(uniqueName('permissions'))
  const otherLock = other.holdfast.getLock(lock.name)
  try {
    const held = await lock.lock({ waitMs })
    const queued = later(otherLock.withLock({ waitMs }, () => undefined))
    const inTime = later(otherLock.tryLock({ waitMs: 1_000 }))
    await held.run(() => lock.withLock({ waitMs }, () => lock.inspect()))
    await expect(inTime).resolves.toBeNull()
    await Promise.all([held.unlock(), queued])
    const changedMind = new AbortController()
    const dropped = later(lock.lock({ signal: changedMind.signal }))
    for (let turns = 0; turns < 20; turns++) await Promise.resolve()
    changedMind.abort(new Error('changed my mind'))
    await expect(dropped).rejects.toThrow('changed my mind')
    // A cluster does not skip waiters.
    if (typeof redis === 'string') await skipWaiterWithoutInbox(lock, redis)
    const lease = await lock.lock({ waitMs, leaseMs: 3_000 })
    await lease.extend(6_000)
    const lost = nextEvent(holdfast, 'lost')
    await otherLock.forceUnlock()
    await lost
    await otherLock.withLock({ waitMs }, () => nextEvent(other.holdfast, 'renewed'))
  } catch (error) {
    problems.push(String(error))
  }
  await Promise.all([holdfast.close(), other.holdfast.close()])
  return [...problems, ...other.problems]
}

/** Releases a lock whose only waiter, which requested it twice, has an inbox without subscribers. */
async function skipWaiterWithoutInbox(lock: Lock, url: string): Promise<void> {
  const held = await lock.lock({ waitMs })
  await withRedis(url, async (redis) => {
    const inRedis = new LockInRedis(redis, lock.name)
    await askByHand(redis, inRedis, 'nobody:1')
    await askByHand(redis, inRedis, 'nobody:1')
    await held.unlock()
    await expect(inRedis.queue()).resolves.toEqual(['nobody:1'])
    await redis.del(inRedis.queueKey)
  })
}

describe('a user with the minimum permissions and the useful ones', () => {
  it('can do everything, without a warning or an error', async () => {
    const url = await makeRedisUser(server, [...minimumPermissions, ...usefulPermissions])
    await expect(useEverything(url)).resolves.toEqual([])
  })
})

describe('a user of a cluster', () => {
  let cluster: RedisCluster

  beforeAll(async () => {
    cluster = await startCluster()
  })

  afterAll(() => cluster.stop())

  const giveEverywhere = (username: string, ...permissions: readonly string[]) =>
    Promise.all(cluster.nodes.map((node) => node.call('ACL', 'SETUSER', username, ...permissions)))

  /** A client's template with a user that has these permissions, and the user's name. */
  async function makeUser(permissions: readonly string[]): Promise<{ username: string; template: Cluster }> {
    const user = { username: uniqueName('user'), password: 'secret' }
    await giveEverywhere(user.username, 'reset', 'resetchannels', 'on', `>${user.password}`, ...permissions)
    const template = new Cluster([...cluster.startupNodes], { lazyConnect: true, redisOptions: user })
    return { username: user.username, template }
  }

  /** What went wrong, apart from the inbox being first connected before the cluster is known. */
  async function problemsWith(permissions: readonly string[]): Promise<readonly string[]> {
    const { template } = await makeUser(permissions)
    const problems = await useEverything(template)
    return problems.filter((problem) => !problem.includes('no master of the cluster is known yet'))
  }

  it('can do everything with these permissions and those to find the nodes', async () => {
    await expect(
      problemsWith([...minimumPermissions, ...usefulPermissions, ...clusterPermissions]),
    ).resolves.toEqual([])
  })

  it.each(clusterPermissions)('would miss %s', async (permission) => {
    const others = clusterPermissions.filter((other) => other !== permission)
    await expect(problemsWith([...minimumPermissions, ...usefulPermissions, ...others])).resolves.not.toEqual(
      [],
    )
  })

  it('is refused at once while it may not find the nodes, and continues when it may', async () => {
    const { username, template } = await makeUser([...minimumPermissions, ...usefulPermissions])
    const { holdfast } = open(template, { commandTimeoutMs: 60_000 })
    const lock = holdfast.getLock(uniqueName('permissions'))
    const error = await lock.lock().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(RefusedError)
    expect(error).toHaveProperty('message', expect.stringMatching(/cannot be used: NOPERM/))
    await giveEverywhere(username, ...clusterPermissions)
    await until(() => lock.withLock(() => true).catch(() => false), { what: 'the client to find the way' })
  })
})

describe('a user with the minimum permissions', () => {
  /** EVAL is needed only until some user has loaded the scripts, so who may not use it is tried alone. */
  const inLanes = minimumPermissions.filter((permission) => permission !== '+eval')
  const problemsWithout = new Map<string, readonly string[]>()

  const tryWithout = async (permission: string): Promise<void> => {
    const others = minimumPermissions.filter((other) => other !== permission)
    const url = await makeRedisUser(server, [...others, ...usefulPermissions])
    problemsWithout.set(permission, await useEverything(url))
  }

  beforeAll(async () => {
    jest.spyOn(console, 'warn').mockImplementation(() => undefined)
    await server.call('SCRIPT', 'FLUSH')
    await tryWithout('+eval')
    const left = [...inLanes]
    const lane = async (): Promise<void> => {
      for (let next = left.shift(); next; next = left.shift()) await tryWithout(next)
    }
    // They mostly wait.
    await Promise.all([lane(), lane(), lane(), lane(), lane(), lane()])
  })

  it('is warned about it only once', async () => {
    const problems = await useEverything(await makeRedisUser(server, minimumPermissions))
    expect(problems).toEqual(['SERVER_UNKNOWN', 'SERVER_UNKNOWN'])
  })

  it.each(minimumPermissions)('would miss %s', (permission) =>
    expect(problemsWithout.get(permission)).toEqual(expect.arrayContaining([expect.any(String)])),
  )
})

describe('a user who may not use channels', () => {
  const noChannels = [
    ...minimumPermissions.filter((permission) => !permission.startsWith('&')),
    ...usefulPermissions,
    'resetchannels',
  ]

  it('locks what is free, with a warning', async () => {
    const { holdfast, problems } = open(await makeRedisUser(server, noChannels))
    const lock = holdfast.getLock(uniqueName('permissions'))
    await expect(lock.withLock(() => 'done')).resolves.toBe('done')
    await until(() => problems.length > 0)
    expect(problems).toContain('NOTICE_REFUSED')
  })

  it('is refused at once when it would have to wait, and leaves nothing in the queue', async () => {
    const holder = open(server.url)
    const { holdfast } = open(await makeRedisUser(server, noChannels))
    const lock = holdfast.getLock(uniqueName('permissions'))
    await holder.holdfast.getLock(lock.name).withLock(async () => {
      await expect(lock.lock()).rejects.toBeInstanceOf(RefusedError)
      await expect(lock.lock({ waitMs: 10_000 })).rejects.toBeInstanceOf(RefusedError)
      await expect(lock.tryLock()).resolves.toBeNull()
      await expect(lock.inspect()).resolves.toMatchObject({ waiterCount: 0 })
    })
  })
})

type Call = (lock: Lock) => Promise<unknown>

/** A call that waits all the same must not hold the test up. */
const patience = () => AbortSignal.timeout(2_000)

const waits: Call[] = [
  (lock) => lock.lock({ signal: patience() }),
  (lock) => lock.lock({ waitMs: 10_000, signal: patience() }),
  (lock) => lock.tryLock({ waitMs: 10_000, signal: patience() }),
  (lock) => lock.withLock({ signal: patience() }, () => 'not to be run'),
]

const singleAttempts: Call[] = [
  (lock) => lock.tryLock(),
  (lock) => lock.isLocked(),
  (lock) => lock.inspect(),
  (lock) => lock.forceUnlock(),
]

/** Each call is refused at once, whatever else it would wait for, and says why. */
async function expectRefusal(
  redis: HoldfastOptions['redis'],
  calls: readonly Call[],
  reason: RegExp,
): Promise<void> {
  const { holdfast } = open(redis)
  const lock = holdfast.getLock(uniqueName('permissions'))
  for (const call of calls) {
    const error = await soon(call(lock).catch((thrown: unknown) => thrown))
    expect(error).toBeInstanceOf(RefusedError)
    expect(error).toHaveProperty('message', expect.stringMatching(reason))
    expect(error).toHaveProperty('lockName', lock.name)
    expect(inspect(error, { depth: null })).not.toMatch(/secret|'wrong'/)
  }
  expect(holdfast.stats().waiters).toBe(0)
}

describe('a client that Redis refuses altogether fails at once', () => {
  let guarded: RedisServer
  const urlWith = (credentials: string) => guarded.url.replace('redis://', `redis://${credentials}`)

  beforeAll(async () => {
    guarded = await startRedis()
    await withRedis(guarded.url, (redis) => redis.acl('SETUSER', 'default', 'resetpass', '>secret'))
  })

  afterAll(() => guarded.stop())

  const cases: [how: string, credentials: string, reason: RegExp][] = [
    ['without a password', '', /NOAUTH/],
    ['with a wrong password', 'default:wrong@', /WRONGPASS/],
    ['with an unknown user', 'nobody:secret@', /WRONGPASS/],
  ]

  it.each(cases)('%s, instead of waiting', (_, credentials, reason) =>
    expectRefusal(urlWith(credentials), waits, reason),
  )

  it.each(cases)('%s, in a single attempt', (_, credentials, reason) =>
    expectRefusal(urlWith(credentials), [...singleAttempts, ...singleAttempts], reason),
  )

  it('with the right password it is not', async () => {
    const { holdfast, problems } = open(urlWith('default:secret@'))
    await expect(holdfast.getLock('a').withLock(() => 'done')).resolves.toBe('done')
    expect(problems).toEqual([])
  })

  it('without permissions on keys', async () => {
    await expectRefusal(await makeRedisUser(server, ['+@all', '&*']), [...waits, ...singleAttempts], /NOPERM/)
  })

  it('without permissions on these keys', async () => {
    await expectRefusal(
      await makeRedisUser(server, ['+@all', '&*', '~other:*']),
      [...waits, ...singleAttempts],
      /may not use \S+ or a key beside it: grant ~lock:\* ~\{lock:\* ~holdfast:client:\* \(NOPERM /,
    )
  })

  it('when it may not go to its database, and nothing is locked in another one', async () => {
    await server.call('FLUSHALL')
    const mayNot = await makeRedisUser(server, ['+@all', '-select', '~*', '&*'])
    await expectRefusal(`${mayNot}/3`, [...waits, ...singleAttempts], /NOPERM/)
    const hasty = new Redis(`${mayNot}/3`, { lazyConnect: true, enableReadyCheck: false })
    await expectRefusal(hasty, [...waits, ...singleAttempts], /NOPERM/)
    await expectRefusal(`${server.url}/99`, [...waits, ...singleAttempts], /DB index is out of range/)
    expect(await server.call('KEYS', '*')).toEqual([])
  })

  it('when it may no longer go to its database once its connection broke', async () => {
    const url = `${await makeRedisUser(server, ['+@all', '~*', '&*'])}/3`
    const { holdfast } = open(url)
    const lock = holdfast.getLock(uniqueName('permissions'))
    await lock.withLock(() => undefined)
    await server.call('ACL', 'SETUSER', new URL(url).username, '-select')
    await killClients(server, ['normal'])
    // Until the broken connection has been noticed, calls fail for that reason.
    await until(() =>
      lock.tryLock().then(
        (lease) => {
          throw new Error(`got in as ${String(lease?.owner)}`)
        },
        (error: unknown) => error instanceof RefusedError && error.message.includes('NOPERM'),
      ),
    )
    await server.call('ACL', 'SETUSER', new URL(url).username, '+select')
    const works = () => lock.withLock(() => true).catch(() => false)
    await until(works, { what: 'the client to be connected again' })
    expect(await server.call('EXISTS', `{lock:${lock.name}}:fence`)).toBe(0)
  })

  it('without the permission to run scripts', async () => {
    await expectRefusal(
      await makeRedisUser(server, ['+@all', '-@scripting', '&*', '~*']),
      [...waits, ...singleAttempts],
      /NOPERM/,
    )
  })
})

describe('the server that a client begins to use', () => {
  afterEach(() => server.call('CONFIG', 'SET', 'maxmemory-policy', 'noeviction'))

  it.each(['allkeys-lru', 'volatile-ttl'])('causes a warning when it may evict locks: %s', async (policy) => {
    await server.call('CONFIG', 'SET', 'maxmemory-policy', policy)
    const { holdfast, problems } = open(server.url)
    const messages: string[] = []
    holdfast.on('warning', ({ message }) => messages.push(message))
    const lock = holdfast.getLock(uniqueName('permissions'))
    await lock.withLock(() => undefined)
    await lock.withLock(() => undefined)
    expect(problems).toEqual(['EVICTION_POLICY'])
    expect(messages).toEqual([expect.stringContaining(policy)])
  })

  it('causes a warning of the process when it may evict locks and nothing listens', async () => {
    await server.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
    const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation()
    const holdfast = openClient(server.url)
    for (const name of ['a', 'b']) await holdfast.getLock(uniqueName(name)).withLock(() => undefined)
    const calls = emitWarning.mock.calls
    emitWarning.mockRestore()
    expect(calls).toEqual([
      [
        expect.stringMatching(
          /^Redis at \S+ may evict locks: its maxmemory-policy is allkeys-lru; set it to noeviction\. /,
        ),
        { type: 'HoldfastWarning', code: 'HOLDFAST_EVICTION_POLICY' },
      ],
    ])
  })
})

it('a wait is refused, and not taken for one in an outage, once notifications need a password', async () => {
  const name = uniqueName('password')
  const { holdfast, problems } = open(server.url)
  const holder = openClient(server.url)
  const isWaiting = nextEvent(holdfast, 'waiting')
  const first = await holder.getLock(name).lock()
  const waiting = holdfast.getLock(name).withLock(() => undefined)
  await isWaiting
  await first.unlock()
  await waiting
  const held = await holder.getLock(name).lock()
  await withRedis(server.url, async (redis) => {
    await redis.config('SET', 'requirepass', 'secret')
    await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    try {
      await until(() => problems.some((problem) => problem.includes('NOAUTH')))
      await expect(holdfast.getLock(name).lock()).rejects.toThrow(RefusedError)
    } finally {
      await redis.config('SET', 'requirepass', '')
    }
  })
  await held.unlock()
})
