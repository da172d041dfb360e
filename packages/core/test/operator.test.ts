import {
  countCommands,
  startCluster,
  startSentinels,
  uniqueName,
  until,
  withRedis,
  type RedisCluster,
} from '@holdfast/testkit'
import { Cluster, Redis } from 'ioredis'
import type { ListFilter, ListPage, OperatorSession } from '../src/engine/session.js'
import { RefusedError, UnavailableError } from '../src/index.js'
import { closeAfterTest, closeAll } from './support/clients.js'
import { openShared } from './support/open-shared.js'
import { openListening, openSession } from './support/open-session.js'
import { minimumPermissions, usefulPermissions } from './support/permissions.js'
import { makeRedisUser } from './support/redis-user.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()

beforeEach(() => server.call('FLUSHALL'))
afterEach(closeAll)

/** Disconnects it after the test, which may break its connections. */
function ended<C extends Redis | Cluster>(redis: C): C {
  redis.on('error', () => undefined)
  closeAfterTest(() => {
    redis.disconnect()
    return Promise.resolve()
  })
  return redis
}

const everything: ListFilter = { pattern: '*', contended: false }

const namesOf = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}`)

/** Has locks held, with the keys that they have then. */
async function hold(redis: Redis | Cluster, names: readonly string[]): Promise<void> {
  for (let start = 0; start < names.length; start += 1_000) {
    await Promise.all(
      names.slice(start, start + 1_000).map(async (name) => {
        await redis.hset(`lock:${name}`, 'c:1', '1')
        await redis.pexpire(`lock:${name}`, 600_000)
        await redis.set(`{lock:${name}}:fence`, '1', 'PX', 600_000)
      }),
    )
  }
}

const release = (redis: Redis | Cluster, names: readonly string[]): Promise<unknown> =>
  Promise.all(names.map((name) => redis.del(`lock:${name}`)))

interface Listed {
  readonly names: Set<string>
  readonly steps: number
  readonly scanned: number
  readonly total: number
}

/** Lists to the end; a step that finds Redis unavailable is repeated. */
async function listAll(
  operator: OperatorSession,
  filter: ListFilter = everything,
  beforeStep: (step: number) => Promise<unknown> = () => Promise.resolve(),
): Promise<Listed> {
  const names = new Set<string>()
  let [cursor, steps, scanned, total]: [string | null, number, number, number] = [null, 0, 0, 0]
  do {
    await beforeStep(steps)
    const from: string | null = cursor
    const attempt = (): Promise<ListPage | null> =>
      operator.list(from, filter).catch((error: unknown) => {
        if (error instanceof UnavailableError) return null
        throw error
      })
    const page: ListPage = await until(attempt, { what: 'a step to succeed', timeoutMs: 30_000, everyMs: 50 })
    for (const { address } of page.found) names.add(address.name)
    steps += 1
    scanned += page.scanned
    total = page.total
    cursor = page.next
  } while (cursor !== null)
  return { names, steps, scanned, total }
}

const missing = (names: readonly string[], { names: listed }: Listed): string[] =>
  names.filter((name) => !listed.has(name))

describe('a listing', () => {
  it('asks for nothing but one SCAN per step, whatever else is in the database', async () => {
    const redis = ended(new Redis(server.url))
    await hold(redis, namesOf(2_000, 'held-'))
    await Promise.all(namesOf(1_000, 'other:').map((key) => redis.set(key, 'x')))
    await Promise.all(namesOf(100, 'holdfast:client:').map((key) => redis.hset(key, 'host', 'h')))
    const { operator } = await openListening('c1', { redis: server.url })
    const { value: listed, counts } = await countCommands(server.url, () => listAll(operator))
    expect(listed.names.size).toBe(2_000)
    expect(listed.total).toBe(5_101)
    expect(listed.scanned).toBe(5_101)
    expect(Object.fromEntries(counts)).toEqual({ dbsize: 1, scan: listed.steps })
    expect(listed.steps).toBeLessThanOrEqual(Math.ceil(5_101 / 500))
  })

  it('leaves to the network only what the pattern may match, and names nothing twice in one step', async () => {
    const { operator, session } = await openListening('c1', { redis: server.url })
    const address = session.names.locate('{jobs}:1', 'semaphore')
    const times = { leaseMs: 60_000, entryTtlMs: 60_000, grantLeaseMs: 60_000, proof: 'p', wantsToken: true }
    for (const owner of ['c1:1', 'c1:2'])
      await session.steps.acquire(address, { owner, count: 1, size: 1, ...times }, 5_000)
    const page = await operator.list(null, { pattern: '{jobs}:*', contended: false })
    expect(page.found).toEqual([{ address, object: 'semaphore' }])
    expect((await operator.list(null, { pattern: '{jobs}:?', contended: true })).found).toHaveLength(1)
    expect((await operator.list(null, { pattern: 'other*', contended: false })).found).toEqual([])
  })

  it('begins a server again that was restarted', async () => {
    const redis = ended(new Redis(server.url))
    const held = namesOf(3_000, 'held-')
    await hold(redis, held)
    const { operator } = openSession('c1', { redis: server.url })
    const listed = await listAll(operator, everything, async (step) => {
      if (step !== 3) return
      await server.restart()
      await hold(redis, held)
    })
    expect(missing(held, listed)).toEqual([])
  })

  it('contains none of another key prefix', async () => {
    await withRedis(server.url, (redis) => hold(redis, ['mine', 'app:theirs']))
    const { operator } = openSession('c1', {
      redis: new Redis(server.url, { lazyConnect: true, keyPrefix: 'app:' }),
    })
    expect([...(await listAll(operator)).names]).toEqual([])
    await withRedis(server.url, (redis) => redis.hset('app:lock:mine', 'c:1', '1'))
    expect([...(await listAll(operator)).names]).toEqual(['mine'])
  })
})

describe('in a Cluster', () => {
  let cluster: RedisCluster

  beforeAll(async () => {
    cluster = await startCluster({ replicas: 1 })
  })

  afterAll(() => cluster.stop())

  const template = () => new Cluster([...cluster.startupNodes], { lazyConnect: true })

  it('every one of 10,000 locks that are held throughout is listed, while others come and go', async () => {
    const redis = ended(template())
    const held = namesOf(10_000, uniqueName('held'))
    await hold(redis, held)
    const { operator } = openSession('c1', { redis: template() })
    let passing: string[] = []
    const listed = await listAll(operator, everything, async (step) => {
      await release(redis, passing)
      passing = namesOf(200, `passing-${step}-`)
      await hold(redis, passing)
    })
    expect(missing(held, listed)).toEqual([])
    expect(listed.total).toBeGreaterThanOrEqual(20_000)
    expect(listed.steps).toBeLessThan(80)
  })

  it('a master that fails over while it is listed costs a repetition and no lock', async () => {
    const redis = ended(template())
    const held = namesOf(4_000, uniqueName('held'))
    await hold(redis, held)
    const { operator } = openSession('c1', { redis: template() }, 1_000)
    let failures = 0
    const listed = await listAll(operator, everything, async (step) => {
      if (step % 4 !== 2 || failures === 3) return
      const victim = await cluster.masterOf([0, 8_000, 16_000][failures] ?? 0)
      failures += 1
      await withRedis(victim.url, (node) => until(async () => (await node.wait(1, 1_000)) === 1))
      await victim.kill()
      await until(async () => (await cluster.masterOf([0, 8_000, 16_000][failures - 1] ?? 0)) !== victim, {
        what: 'another master',
      })
      await victim.restart()
      await cluster.whenStable()
    })
    expect(failures).toBe(3)
    expect(missing(held, listed)).toEqual([])
  })

  it('lists clients that are subscribed at any master, and tells them a text', async () => {
    const clients = await Promise.all(
      Array.from({ length: 6 }, () => openListening(uniqueName('client'), { redis: template() })),
    )
    const [from] = clients
    const ids = clients.map(({ clientId }) => clientId)
    const found = await from?.operator.clients()
    expect(found?.map(({ clientId }) => clientId)).toEqual(expect.arrayContaining(ids))
    // The node that publishes does not know who listens at others.
    expect(await from?.operator.send([...ids, 'nobody'], 'hello')).toEqual(Array(7).fill(true))
    await until(() => clients.every(({ texts }) => texts.join() === 'hello'), { what: 'all to be told' })
  })
})

it('a listing goes on with the new master that Sentinels agree on', async () => {
  const group = await startSentinels()
  closeAfterTest(() => group.stop())
  const reach = { sentinels: [...group.sentinels], name: group.name }
  const held = namesOf(3_000, 'held-')
  const redis = ended(new Redis(reach))
  await hold(redis, held)
  const { operator } = openSession('c1', { redis: new Redis({ ...reach, lazyConnect: true }) })
  const listed = await listAll(operator, everything, async (step) => {
    if (step !== 3) return
    const master = await group.master()
    await until(async () => (await redis.wait(1, 1_000)) === 1)
    await master.kill()
    await until(async () => (await group.master()) !== master, { what: 'another master' })
  })
  expect(missing(held, listed)).toEqual([])
})

describe('clients', () => {
  it('of another key prefix, or that do not listen, are not listed', async () => {
    const own = await openListening('own', { redis: server.url })
    await openListening('other', { redis: new Redis(server.url, { lazyConnect: true, keyPrefix: 'app:' }) })
    const mute = openSession('mute', { redis: server.url })
    await mute.session.registry.register()
    expect(await own.operator.clients()).toEqual([
      { clientId: 'own', client: { host: 'here', pid: 1, label: 'own', startedAt: new Date(0) } },
    ])
  })

  it('get a text 500 per command, and the sender knows which of them are gone', async () => {
    const from = await openListening('from', { redis: server.url })
    const ids = [...namesOf(999, 'gone-'), 'from']
    const { value: reached, counts } = await countCommands(server.url, () => from.operator.send(ids, 'hello'))
    expect(reached).toEqual([...Array<boolean>(999).fill(false), true])
    const commands = [...counts].filter(([name]) => name.startsWith('evalsha'))
    expect(commands.map(([, count]) => count)).toEqual([2])
    await until(() => from.texts.length > 0, { what: 'the text to arrive' })
    expect(from.texts).toEqual(['hello'])
  })
})

describe('the permissions', () => {
  const operatorPermissions = ['+scan', '+dbsize', '+pubsub|channels'] as const
  const others = [...minimumPermissions, ...usefulPermissions]

  it.each([
    ['+scan', /'scan' command.*\+scan/],
    ['+dbsize', /'dbsize' command.*\+dbsize/],
    ['+pubsub|channels', /'pubsub\|?.*' command.*\+pubsub\|channels/],
  ] as const)('are named when %s is missing', async (missed, pattern) => {
    const rest = operatorPermissions.filter((each) => each !== missed)
    const { operator, session } = openSession('c1', {
      redis: await makeRedisUser(server, [...others, ...rest]),
    })
    const error = await operator
      .list(null, everything)
      .then(() => operator.clients())
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(RefusedError)
    expect(error).toHaveProperty('message', expect.stringMatching(pattern))
    // Locks need none of them.
    await session.prepare(session.names.locate('any', 'lock'))
  })

  it('are no others than those of every client and three more', async () => {
    const redis = await makeRedisUser(server, [...others, ...operatorPermissions])
    const { operator, problems, clientId } = await openListening('c1', { redis })
    await listAll(operator)
    expect(await operator.clients()).toHaveLength(1)
    expect(await operator.send([clientId], 'hello')).toEqual([true])
    expect(problems).toEqual([])
  })

  it('to publish to a client are missed by a warning', async () => {
    const rules = others.map((rule) => (rule === '&holdfast:inbox:*' ? '&holdfast:inbox:c1' : rule))
    const { operator, problems } = await openListening('c1', {
      redis: await makeRedisUser(server, ['resetchannels', ...rules]),
    })
    expect(await operator.send(['c1', 'c2'], 'hello')).toEqual([true, false])
    expect(problems).toEqual(['NOTICE_REFUSED'])
  })
})

it('what is shared with Redisson has no steps for operators', async () => {
  const holdfast = openShared(server.url)
  expect(holdfast.traits.operator).toBeUndefined()
  await expect(holdfast.clients()).rejects.toThrow(/can list neither locks nor clients/)
})
