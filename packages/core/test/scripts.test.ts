import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { fillMemory, startRedis, uniqueName, until, type RedisServer } from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import { RedissonLockCalls } from '../src/redis/redisson/lock-calls.js'
import { redissonLatchCalls } from '../src/redis/redisson/latch-calls.js'
import { Publishing } from '../src/redis/redisson/publishing.js'
import { PermitExpirableCalls, RSemaphoreCalls } from '../src/redis/redisson/semaphore-calls.js'
import { RedissonReadWriteCalls } from '../src/redis/redisson/read-write-calls.js'
import type { Keys } from '../src/redis/keys.js'
import { ScriptConnection } from '../src/redis/connection/script-connection.js'
import { RedisCommands } from '../src/redis/commands.js'
import { RedisLatches } from '../src/redis/latches.js'
import { openConnections } from '../src/redis/connection/connections.js'
import { nativeLatchCalls } from '../src/redis/kinds/latch.js'
import { NativeCalls } from '../src/redis/kinds/lock.js'
import { SharedCalls } from '../src/redis/kinds/shared.js'
import { ServerIdentity } from '../src/redis/server-identity.js'
import { RedisOperator } from '../src/redis/operator.js'
import { Permissions } from '../src/redis/permissions.js'
import { Registry } from '../src/redis/registry.js'
import { scripts, type ScriptName } from '../src/redis/scripts/generated.js'
import { closeAfterTest, closeAll, deleteAfterTest, openRedisClient } from './support/clients.js'
import { plainKeySpace, sharedKeySpace } from './support/key-space.js'

let server: RedisServer
let redis: Redis
let keys: Keys

beforeAll(async () => {
  server = await startRedis()
})

beforeEach(() => {
  redis = openRedisClient(server.url)
  keys = plainKeySpace.keysOf(uniqueName('script'))
})

afterEach(closeAll)

afterAll(() => server.stop())

describe('the header of a script', () => {
  const folder = `${__dirname}/../../../lua`
  const files = readdirSync(folder, { encoding: 'utf8', recursive: true }).filter(
    (file) => file.endsWith('.lua') && !/(^|\/)includes\//.test(file),
  )

  /** `redisson/lock/acquire.lua` becomes `redissonLockAcquire`. */
  const scriptNameOf = (file: string): string =>
    file.replace(/\.lua$/, '').replace(/[-/](\w)/g, (_, letter: string) => letter.toUpperCase())

  const isPerItem = (index: string): boolean => /\bi\b|\di\b/.test(index)

  /** What a header says of `KEYS` or `ARGV`: by index, or per item when the index is a formula in `i`. */
  function documented(header: string, list: 'KEYS' | 'ARGV') {
    const lines = [...header.matchAll(new RegExp(`^ *${list}\\[(.+?)\\] +(\\w+)?`, 'gm'))]
    const indices = lines.map(([, index = '']) => index)
    return {
      names: new Map(lines.map(([, index = '', name = '']) => [index, name])),
      count: lines.length,
      isPerItem: indices.some(isPerItem),
      /** How many are sent for so many items. */
      countFor: (items: number) =>
        indices.reduce((count, index) => count + (isPerItem(index) ? items : 1), 0),
      /** As many as there happen to be. */
      isOpen: indices.some((index) => index === 'i' || index.endsWith('…')),
    }
  }

  function read(file: string) {
    const text = readFileSync(`${folder}/${file}`, 'utf8')
    const [, header = '', body = ''] = /^--\[\[\n(.*?)\]\]\n(.*)$/s.exec(text) ?? []
    return { header, body, keys: documented(header, 'KEYS'), args: documented(header, 'ARGV') }
  }

  it.each(files)('of %s comes first and says what it takes, returns and publishes', (file) => {
    const { header, keys } = read(file)
    expect(header).toMatch(/^ {2}\S.*\.$/m)
    expect(keys.count).toBeGreaterThan(0)
    expect(header).toMatch(/^ {2}Returns /m)
    expect(header).toMatch(/^ {2}Publishes |^ {2}Changes and publishes nothing/m)
    expect(header).toMatch(/Safe to run twice|Changes and publishes nothing/)
  })

  it.each(files)('of %s gives each argument the name that the script gives it', (file) => {
    const { body, args, keys } = read(file)
    for (const [, name, index = ''] of body.matchAll(/local (\w+) = (?:tonumber\()?ARGV\[(.+?)\]/g)) {
      expect(args.names.get(index.replaceAll(/(\d) \* i/g, '$1i'))).toBe(name)
    }
    const [, names = ''] = /^local ([\w, ]+) = KEYS\[1\]/m.exec(body) ?? []
    const given = names.split(', ').filter((name) => name !== '')
    given.forEach((name, n) => expect(`${keys.names.get(String(n + 1)) ?? ''}Key`).toBe(name))
  })

  it('counts the keys and arguments that are sent', async () => {
    const connections = openConnections(server.url, 'c1', 1_000)
    const quiet = { timeoutMs: 5_000, onBreak() {}, onReconnect() {}, onError() {} }
    const connection = new ScriptConnection(connections, quiet)
    closeAfterTest(() => connection.close())
    const sent = jest.spyOn(connection, 'run')
    const parts = { connection, inbox: 'c1', onNoticeError() {} }
    const native = { lock: new NativeCalls(true), shared: new SharedCalls(true) }
    const commands = new RedisCommands({ ...parts, calls: native })
    const publishing = new Publishing()
    const redisson = new RedisCommands({
      ...parts,
      calls: {
        lock: new RedissonLockCalls(true, publishing),
        semaphore: new RSemaphoreCalls(publishing),
        permits: new PermitExpirableCalls(publishing),
        'read-write-lock': new RedissonReadWriteCalls(publishing),
      },
    })
    const [other, third] = [
      plainKeySpace.keysOf(uniqueName('script')),
      plainKeySpace.keysOf(uniqueName('script')),
    ]
    const times = { leaseMs: 100, entryTtlMs: 100, grantLeaseMs: 100, proof: 'p' }
    const request = { owner: 'c1:1', count: 1, ...times, wantsToken: true }
    for (const each of [commands, redisson]) {
      await each.acquire(keys, request)
      await each.release(keys, { owner: 'c1:1', count: 0, tombstoneMs: 100 })
      await each.force(keys, 'c1:1')
    }
    await commands.acquire(keys, { ...request, count: 2 })
    await connection.run({ script: scripts.redissonIdentifySharding, keys: [keys.main], args: [] }, String)
    const readWrites = [1, 2, 3].map(() => sharedKeySpace.keysOf(uniqueName('script'), 'read-write-lock'))
    const [readWrite = keys] = readWrites
    await redisson.acquire(readWrite, request)
    await redisson.release(readWrite, { owner: 'c1:1', count: 0, tombstoneMs: 100 })
    await redisson.force(readWrite, 'c1:1')
    await redisson.inspect(readWrite, 10)
    await redisson.renew(
      readWrites.map((each) => ({ address: each, owner: 'c1:1', leaseMs: 100 })),
      1_000,
    )
    await redisson.refresh(readWrites.map((each) => ({ address: each, owner: 'c1:1', entryTtlMs: 100 })))
    await commands.inspect(keys, 10)
    const all = [keys, other, third]
    await commands.renew(
      all.map((each) => ({ address: each, owner: 'c1:1', leaseMs: 100 })),
      1_000,
    )
    await commands.refresh(all.map((each) => ({ address: each, owner: 'c1:1', entryTtlMs: 100 })))
    for (const kind of ['shared', 'semaphore', 'permits'] as const) {
      const semaphores = all.map(({ name }) => ({ ...plainKeySpace.keysOf(name, 'semaphore'), kind }))
      const [semaphore = keys] = semaphores
      const each = kind === 'shared' ? commands : redisson
      await each.acquire(semaphore, { ...request, count: 2, size: 5 })
      await each.release(semaphore, { owner: 'c1:1', count: 0, tombstoneMs: 100 })
      await each.force(semaphore, 'c1:1')
      if (kind !== 'semaphore') {
        await each.resize(semaphore, { size: 3, keepMs: 100, version: 0, id: 'a' }, 1_000)
      }
      await each.inspect(semaphore, 10)
      await each.renew(
        semaphores.map((address) => ({ address, owner: 'c1:1', leaseMs: 100 })),
        1_000,
      )
      await each.refresh(semaphores.map((address) => ({ address, owner: 'c1:1', entryTtlMs: 100 })))
      await redis.del(semaphore.main, semaphore.id, semaphore.ends)
    }
    const locks = all.map((address, n) => ({ address, owner: `c1:${n}` }))
    await commands.acquireMany({ locks, mode: 'all', leaseMs: 100 })
    await commands.raiseToken(keys, 1, 1_000)
    const servers = new ServerIdentity(connection)
    await servers.read(keys.main)
    const nativeLatches = new RedisLatches({ ...parts, calls: nativeLatchCalls, servers })
    const redissonLatches = new RedisLatches({ ...parts, calls: redissonLatchCalls(publishing), servers })
    const ofLatches = [1, 2, 3].map(() => plainKeySpace.keysOf(uniqueName('script'), 'latch'))
    const [latch = keys] = ofLatches
    const step = { named: 1, setter: 'c1:1', count: 1, keepMs: 1_000, party: 'c1:1', tombstoneMs: 1_000 }
    for (const latches of [nativeLatches, redissonLatches]) {
      await latches.set(latch, step, 1_000)
      await latches.countDown(latch, step, 1_000)
      await latches.delete(latch, step, 1_000)
      await latches.inspect(latch, 10)
      await latches.wait(
        ofLatches.map((address) => ({ address, awaited: undefined, aliveMs: 1_000 })),
        1_000,
      )
      await redis.del(latch.main, latch.counted)
    }
    const me = { host: 'h', pid: 1, label: 'label', startedAt: new Date() }
    const registry = new Registry(connection, plainKeySpace)
    await registry.register('c1', me, 'c1', 1_000)
    await new Permissions(connection, keys.main).lookAtLocks()
    const operator = new RedisOperator({
      ...{ connection, registry, keySpace: plainKeySpace, clientId: 'c1', countsReceivers: true },
      onNoticeError: () => undefined,
    })
    await operator.tell(['c1', 'c2'], 'text')

    const calls = sent.mock.calls.map(([call]) => call)
    expect(calls.map(({ script }) => script.name).sort()).toEqual(files.map(scriptNameOf).sort())
    for (const { script, keys: sentKeys, args: sentArgs } of calls) {
      const header = read(files.find((file) => scriptNameOf(file) === script.name) ?? '')
      const items = header.keys.isPerItem ? all.length : 1
      expect([script.name, sentKeys.length]).toEqual([script.name, header.keys.countFor(items)])
      if (header.args.isOpen) expect(sentArgs.length).toBeGreaterThanOrEqual(header.args.count)
      else expect([script.name, sentArgs.length]).toEqual([script.name, header.args.countFor(items)])
    }
  })
})

/** Runs a script as it is, on a connection that belongs to no client of ours. */
const runScript = (name: ScriptName, scriptKeys: readonly string[], args: readonly (string | number)[]) =>
  redis.eval(scripts[name].lua, scriptKeys.length, ...scriptKeys, ...args)

const allKeys = () => [keys.main, keys.queue, keys.waiters, keys.fence]

interface AskArguments {
  leaseMs?: number
  placeMs?: number
  grantLeaseMs?: number
  tokenFloor?: number
  checkInbox?: number
}

const ask = (owner: string, options: AskArguments = {}): Promise<unknown> => {
  const { leaseMs = 30_000, placeMs = 30_000, grantLeaseMs = 20_000 } = options
  const { tokenFloor = 0, checkInbox = 0 } = options
  const waiting = placeMs > 0 ? `${placeMs} ${grantLeaseMs} ${checkInbox} p ${inboxOf(owner)}` : ''
  return runScript('lockAcquire', allKeys(), [owner, leaseMs, tokenFloor, waiting])
}

const setCount = (owner: string, count: number, leaseMs = 0): Promise<unknown> =>
  runScript('lockSetCount', [keys.main], [owner, count, leaseMs])

interface ReleaseArguments {
  goneMs?: number
  tokenFloor?: number
}

const release = (owner: string, options: ReleaseArguments = {}): Promise<unknown> => {
  const { goneMs, tokenFloor = 0 } = options
  return runScript('lockRelease', allKeys(), [owner, tokenFloor, ...(goneMs === undefined ? [] : [goneMs])])
}

const force = (owner: string): Promise<unknown> =>
  runScript('lockForce', allKeys(), [owner, inboxOf(owner), 0])

/** Channels know no databases, and other tests' owners have the same names. */
const inboxOf = (owner: string): string => `${keys.main}/${owner}`

/** Everything that the lock keeps in Redis. */
const content = async () => ({
  hold: await redis.hgetall(keys.main).catch((error: unknown) => String(error)),
  queue: await redis.lrange(keys.queue, 0, -1),
  waiters: await redis.hgetall(keys.waiters),
  token: Number(await redis.get(keys.fence)),
})

/** All of it byte for byte. */
const dumps = async () => (await Promise.all(allKeys().map((key) => redis.dumpBuffer(key)))).map(String)

/** Of one instant: two that are the same would differ if they were read one after the other. */
const ttls = async () => {
  const replies = (await redis.multi(allKeys().map((key) => ['pttl', key])).exec()) ?? []
  const [lock = 0, queue = 0, waiters = 0, fence = 0] = replies.map(([, ttl]) => Number(ttl))
  return { lock, queue, waiters, fence }
}

const serverUs = async (): Promise<number> => {
  const [s = 0, us = 0] = (await redis.time()).map(Number)
  return s * 1_000_000 + us
}

/** Hears the inboxes of these owners, as their clients would. */
async function hear(...owners: string[]): Promise<string[]> {
  const ear = openRedisClient(server.url)
  const heard: string[] = []
  ear.on('message', (_: string, message: string) => heard.push(message))
  await ear.subscribe(...owners.map(inboxOf))
  return heard
}

/** A place whose owner has not refreshed it in time, as it is before a script finds it. */
async function makeStale(owner: string): Promise<void> {
  const place = await redis.hget(keys.waiters, owner)
  await redis.hset(keys.waiters, owner, `1${place?.slice(place.indexOf(' ')) ?? ''}`)
}

const anyTime = expect.any(Number) as unknown
const anyToken = expect.stringMatching(/^\d{16}$/) as unknown
/** The reply while another owner has the lock. */
const heldBy = (holder: string, position: number): RegExp =>
  new RegExp(`^-?\\d+ \\d{16} ${position} ${holder}$`)

describe('multi/acquire', () => {
  const acquireMany = (mode: 'all' | 'first', ...owners: readonly string[]): Promise<unknown> => {
    const each = owners.map((_, n) => plainKeySpace.keysOf(`${keys.name}${n}`))
    const scriptKeys = each.flatMap(({ main, queue, waiters, fence }) => [main, queue, waiters, fence])
    return runScript('multiAcquire', scriptKeys, [mode, 30_000, ...owners.flatMap((owner) => [owner, 0])])
  }
  const mainOf = (n: number): string => plainKeySpace.keysOf(`${keys.name}${n}`).main

  it('returns the same tokens when it runs twice', async () => {
    const tokens = await acquireMany('all', 'A', 'B')
    expect(tokens).toEqual([expect.stringMatching(/^\d+$/), expect.stringMatching(/^\d+$/)])
    expect(await acquireMany('all', 'A', 'B')).toEqual(tokens)
    expect(await redis.hgetall(mainOf(1))).toEqual({ B: '1' })
  })

  it('keeps what its first run entered when the second finds one busy', async () => {
    const [first] = asReplies(await acquireMany('first', 'A', 'B'))
    await redis.del(mainOf(1))
    await redis.hset(mainOf(1), 'C', 1)
    await redis.pexpire(mainOf(1), 30_000)
    expect(await acquireMany('first', 'A', 'B')).toEqual([expect.stringMatching(/^2 \d+ \d+ 0 C$/), first])
  })

  it('refuses a key that is not a lock, says which one, and enters none', async () => {
    await redis.set(mainOf(1), 'text', 'PX', 30_000)
    expect(await acquireMany('first', 'A', 'B')).toEqual([-3, 'string', 2])
    expect(await redis.exists(mainOf(0))).toBe(0)
  })
})

const asReplies = (reply: unknown): readonly unknown[] => (Array.isArray(reply) ? reply : [])

describe('acquire', () => {
  it('enters a free lock with a token', async () => {
    const before = await serverUs()
    const reply = await ask('a')
    const { hold, queue, waiters, token } = await content()
    expect({ hold, queue, waiters }).toEqual({ hold: { a: '1' }, queue: [], waiters: {} })
    expect(reply).toBe(String(token))
    expect(token).toBeGreaterThanOrEqual(before)
    const { lock, fence } = await ttls()
    expect(lock).toBeGreaterThan(25_000)
    expect(lock).toBeLessThanOrEqual(30_000)
    expect(fence).toBeGreaterThan(55_000)
  })

  it('run twice enters once and keeps the token', async () => {
    const first = await ask('a')
    const before = await dumps()
    expect(await ask('a')).toBe(first)
    expect(await dumps()).toEqual(before)
  })

  it('keeps the token for twice the lease when that is longer than a minute', async () => {
    await ask('a', { leaseMs: 100_000 })
    expect((await ttls()).fence).toBeGreaterThan(195_000)
  })

  it('run again extends the lease of a hold, never shortens it', async () => {
    await ask('a', { leaseMs: 30_000 })
    await ask('a', { leaseMs: 1_000 })
    expect((await ttls()).lock).toBeGreaterThan(25_000)
    await ask('a', { leaseMs: 60_000 })
    expect((await ttls()).lock).toBeGreaterThan(55_000)
  })

  it('draws a new token when a repeated request finds the fence key gone', async () => {
    const first = await ask('a').then(content)
    await redis.del(keys.fence)
    const reply = await ask('a')
    const { token } = await content()
    expect(token).toBeGreaterThan(first.token)
    expect(reply).toBe(String(token))
    expect(await ask('a')).toBe(String(token))
  })

  it('keeps the token for as long as a longer lease that is requested later needs it', async () => {
    await ask('a')
    await ask('a', { leaseMs: 100_000 })
    expect((await ttls()).fence).toBeGreaterThan(195_000)
  })

  it.each(['the last one', 'the time of the server', 'the largest that the client has seen'])(
    'gives a token larger than %s',
    async (than) => {
      const future = (await serverUs()) + 1e10
      if (than === 'the last one') await redis.set(keys.fence, future, 'PX', 10_000)
      const tokenFloor = than === 'the largest that the client has seen' ? future : 0
      const before = await serverUs()
      await ask('a', { tokenFloor })
      const { token } = await content()
      if (than === 'the time of the server') expect(token).toBeGreaterThanOrEqual(before)
      else expect(token).toBe(future + 1)
    },
  )

  it('leaves a lock of another owner alone when it may not queue', async () => {
    await ask('a')
    const before = await dumps()
    expect(await ask('b', { placeMs: 0 })).toMatch(heldBy('a', 0))
    expect(await dumps()).toEqual(before)
  })

  it('queues behind a holder and those before, once', async () => {
    await ask('a')
    expect(await ask('b')).toMatch(heldBy('a', 1))
    expect(await ask('c')).toMatch(heldBy('a', 2))
    const before = await content()
    expect(before.queue).toEqual(['b', 'c'])
    expect(before.waiters['b']).toMatch(new RegExp(`^\\d{16} 30000 20000 0 p ${inboxOf('b')}$`))
    expect(await ask('b')).toMatch(heldBy('a', 1))
    const { hold, queue, token } = await content()
    expect({ hold, queue, token }).toEqual({ hold: before.hold, queue: before.queue, token: before.token })
  })

  it.each(['', ' that has gone stale'])(
    'keeps the position of a queue entry%s when it is requested again',
    async (stale) => {
      for (const owner of ['a', 'b', 'c']) await ask(owner)
      if (stale) await makeStale('b')
      expect(await ask('b')).toMatch(heldBy('a', 1))
      expect((await content()).queue).toEqual(['b', 'c'])
      await release('a')
      expect((await content()).hold).toEqual({ b: '1' })
    },
  )

  it('queues again when the queue was deleted', async () => {
    await ask('a')
    await ask('b')
    await redis.del(keys.queue)
    expect(await ask('b')).toMatch(heldBy('a', 1))
    expect((await content()).queue).toEqual(['b'])
    expect((await ttls()).queue).toBeGreaterThan(0)
  })

  it('keeps queue and waiters for as long as the longest queue entry, and never shortens that', async () => {
    await ask('a')
    await ask('b', { placeMs: 60_000 })
    await ask('c', { placeMs: 1_000 })
    let { queue, waiters } = await ttls()
    expect(Math.min(queue, waiters)).toBeGreaterThan(55_000)
    await ask('b', { placeMs: 90_000 })
    ;({ queue, waiters } = await ttls())
    expect(Math.min(queue, waiters)).toBeGreaterThan(85_000)
  })

  it('grants to the live waiter ahead even when the server is out of memory', async () => {
    await hear('b')
    await ask('a', { leaseMs: 150 })
    await ask('b')
    await until(async () => (await redis.exists(keys.main)) === 0)
    await using _full = await fillMemory(server)
    expect(await ask('c')).toMatch(heldBy('b', 1))
  })

  it('grants to the live waiter ahead even when Redis refuses the notice, and returns the reason and the holder', async () => {
    await redis.call('ACL', 'SETUSER', 'mute', 'on', '>secret', '~*', '+@all', 'resetchannels')
    const connections = openConnections(server.url.replace('redis://', 'redis://mute:secret@'), 'c1', 1_000)
    const connection = new ScriptConnection(connections, {
      timeoutMs: 5_000,
      onBreak() {},
      onReconnect() {},
      onError() {},
    })
    closeAfterTest(() => connection.close())
    const faults: string[] = []
    const commands = new RedisCommands({
      connection,
      calls: { lock: new NativeCalls(false) },
      inbox: inboxOf('c'),
      onNoticeError: (error) => faults.push(error),
    })
    await ask('a')
    await ask('b')
    await redis.del(keys.main)
    const times = { leaseMs: 30_000, entryTtlMs: 30_000, grantLeaseMs: 20_000, proof: 'p' }
    const request = { owner: 'c', count: 1, ...times, wantsToken: true }
    expect(await commands.acquire(keys, request)).toMatchObject({ kind: 'busy', holder: 'b', position: 1 })
    expect(faults).toEqual([expect.stringMatching(/NOPERM|channel/)])
    expect((await content()).hold).toEqual({ b: '1' })
  })

  it('grants a free lock to the live waiter ahead and queues behind it', async () => {
    const heard = await hear('b')
    await ask('a')
    await ask('b')
    await redis.del(keys.main)
    expect(await ask('c')).toMatch(heldBy('b', 1))
    const { hold, queue, token } = await content()
    expect({ hold, queue }).toEqual({ hold: { b: '1' }, queue: ['c'] })
    await until(() => heard.length > 0)
    expect(heard).toEqual([expect.stringMatching(`^granted b p ${token} \\d{16} 20000 ${keys.main}$`)])
  })

  it('enters a free lock from its own queue entry at the head', async () => {
    await ask('a')
    await ask('b')
    await ask('c')
    await redis.del(keys.main)
    expect(await ask('b')).toEqual(anyToken)
    const { hold, queue, waiters } = await content()
    expect({ hold, queue }).toEqual({ hold: { b: '1' }, queue: ['c'] })
    expect(Object.keys(waiters)).toEqual(['c'])
  })

  it('drops a stale queue entry ahead and enters', async () => {
    await ask('a')
    await ask('b')
    await makeStale('b')
    await redis.del(keys.main)
    expect(await ask('c')).toEqual(anyToken)
    expect(await content()).toMatchObject({ hold: { c: '1' }, queue: [], waiters: {} })
  })

  it('skips an unsubscribed waiter ahead, which keeps its position', async () => {
    await ask('a')
    await ask('b', { checkInbox: 1 })
    const before = await content()
    await redis.del(keys.main)
    expect(await ask('c')).toEqual(anyToken)
    const { hold, queue, waiters } = await content()
    expect({ hold, queue, waiters }).toEqual({ hold: { c: '1' }, queue: ['b'], waiters: before.waiters })
  })

  it('refuses an abandoned owner, until nothing of it can be alive', async () => {
    await ask('b')
    await release('a', { goneMs: 60_000 })
    const before = await dumps()
    expect(await ask('a')).toEqual([-2])
    await release('b')
    expect(await ask('a')).toEqual([-2])
    expect(await ask('a', { placeMs: 0 })).toEqual([-2])
    expect((await dumps())[2]).toBe(before[2])
    await redis.hset(keys.waiters, 'a', 'gone 1')
    expect(await ask('a')).toEqual(anyToken)
  })

  it.each(['string', 'hash'])('leaves foreign data alone: a %s', async (type) => {
    deleteAfterTest(redis, keys.main)
    await (type === 'hash' ? redis.hset(keys.main, 'a', '1') : redis.set(keys.main, 'theirs'))
    const before = await dumps()
    expect(await ask('a')).toEqual([-3, type])
    expect(await dumps()).toEqual(before)
  })
})

describe('set-count', () => {
  it('sets the count of a hold to the one wanted, however often it runs', async () => {
    await ask('a')
    for (const count of [2, 2, 3, 3, 1, 1]) {
      expect(await setCount('a', count)).toBe(1)
      expect((await content()).hold).toEqual({ a: String(count) })
    }
  })

  it('extends the lease, never shortens it', async () => {
    await ask('a', { leaseMs: 30_000 })
    await setCount('a', 2, 1_000)
    expect((await ttls()).lock).toBeGreaterThan(25_000)
    await setCount('a', 2, 60_000)
    expect((await ttls()).lock).toBeGreaterThan(55_000)
  })

  it.each(['free', 'held by another owner'])('does nothing to a lock that is %s', async (how) => {
    if (how !== 'free') await ask('b')
    const before = await dumps()
    expect(await setCount('a', 2, 30_000)).toBe(0)
    expect(await dumps()).toEqual(before)
  })

  it.each(['string', 'hash'])('leaves foreign data alone: a %s', async (type) => {
    deleteAfterTest(redis, keys.main)
    await (type === 'hash' ? redis.hset(keys.main, 'a', '1') : redis.set(keys.main, 'theirs'))
    const before = await dumps()
    expect(await setCount('a', 2)).toEqual([-3, type])
    expect(await dumps()).toEqual(before)
  })
})

describe('release', () => {
  it('frees a lock without waiters, and run again changes nothing and says so', async () => {
    await ask('a')
    expect(await release('a')).toBe(1)
    const before = await dumps()
    expect(await content()).toMatchObject({ hold: {}, queue: [], waiters: {} })
    expect(await release('a')).toBe(0)
    expect(await dumps()).toEqual(before)
  })

  it('hands the lock to the first waiter, with a new token, and run again does not take it away', async () => {
    const heard = await hear('b', 'c')
    const first = await ask('a').then(content)
    await ask('b', { checkInbox: 1 })
    await ask('c', { checkInbox: 1 })
    expect(await release('a')).toBe(1)
    const { hold, queue, waiters, token } = await content()
    expect({ hold, queue, left: Object.keys(waiters) }).toEqual({
      hold: { b: '1' },
      queue: ['c'],
      left: ['c'],
    })
    expect(token).toBeGreaterThan(first.token)
    const { lock } = await ttls()
    expect(lock).toBeGreaterThan(15_000)
    expect(lock).toBeLessThanOrEqual(20_000)
    const before = await dumps()
    expect(await release('a')).toBe(0)
    expect(await dumps()).toEqual(before)
    await until(() => heard.length > 0)
    expect(heard).toEqual([expect.stringMatching(`^granted b p ${token} \\d{16} 20000 ${keys.main}$`)])
  })

  it('names the lock in the notice by its whole name', async () => {
    const name = `${keys.main}\0and more`
    const odd = [name, `{${name}}:fifo`, `{${name}}:waiters`, `{${name}}:fence`]
    const heard = await hear('b')
    await runScript('lockAcquire', odd, ['a', 30_000, 0, ''])
    await runScript('lockAcquire', odd, ['b', 30_000, 0, `30000 20000 0 p ${inboxOf('b')}`])
    expect(await runScript('lockRelease', odd, ['a', 0])).toBe(1)
    await until(() => heard.length > 0)
    expect(heard[0]?.endsWith(` 20000 ${name}`)).toBe(true)
  })

  it('grants with a token larger than any the client has seen', async () => {
    await ask('a')
    await ask('b')
    const future = (await serverUs()) + 1e10
    await release('a', { tokenFloor: future })
    expect((await content()).token).toBe(future + 1)
  })

  it('skips stale queue entries and drops them', async () => {
    await ask('a')
    await ask('b')
    await ask('c')
    await makeStale('b')
    await release('a')
    expect(await content()).toMatchObject({ hold: { c: '1' }, queue: [], waiters: {} })
  })

  it('drops an owner from the queue that has no entry', async () => {
    await ask('a')
    await ask('b')
    await redis.hdel(keys.waiters, 'b')
    await release('a')
    expect(await content()).toMatchObject({ hold: {}, queue: [], waiters: {} })
  })

  it('skips unsubscribed waiters, which keep their positions', async () => {
    await hear('d')
    await ask('a')
    for (const owner of ['b', 'c', 'd', 'e']) await ask(owner, { checkInbox: 1 })
    await release('a')
    expect(await content()).toMatchObject({ hold: { d: '1' }, queue: ['b', 'c', 'e'] })
    const { queue, waiters } = await ttls()
    expect(queue).toBeGreaterThan(30_000)
    expect(waiters).toBeGreaterThanOrEqual(queue)
  })

  it('frees the lock when no waiter is subscribed, and the queue still expires', async () => {
    await ask('a')
    await ask('b', { checkInbox: 1 })
    await ask('c', { checkInbox: 1 })
    const { token } = await content()
    expect(await release('a')).toBe(1)
    expect(await content()).toMatchObject({ hold: {}, queue: ['b', 'c'] })
    expect((await ttls()).queue).toBeGreaterThan(30_000)
    await ask('d')
    expect((await content()).token).toBeGreaterThan(token)
  })

  it('tries only one waiter of a client that is not subscribed', async () => {
    await ask('a')
    const waiting = `30000 20000 1 p ${inboxOf('b')}`
    for (const owner of ['b:1', 'b:2', 'b:3']) {
      await runScript('lockAcquire', allKeys(), [owner, 30_000, 0, waiting])
    }
    await redis.config('RESETSTAT')
    await release('a')
    expect(await redis.info('commandstats')).toMatch(/^cmdstat_publish:calls=1,/m)
    expect((await content()).queue).toEqual(['b:1', 'b:2', 'b:3'])
  })

  describe('while somebody subscribes to a pattern', () => {
    beforeEach(() => openRedisClient(server.url).psubscribe('*'))

    it('does not take it for a subscriber of an inbox', async () => {
      await ask('a')
      await ask('b', { checkInbox: 1 })
      await release('a')
      expect((await content()).hold).toEqual({})
    })

    it('grants to a waiter that is subscribed', async () => {
      await hear('b')
      await ask('a')
      await ask('b', { checkInbox: 1 })
      await release('a')
      expect((await content()).hold).toEqual({ b: '1' })
    })
  })

  it('removes a queue entry and nothing else', async () => {
    for (const owner of ['a', 'b', 'c']) await ask(owner)
    const before = await content()
    for (const _ of ['once', 'twice']) {
      expect(await release('b')).toBe(0)
      const { hold, queue, waiters, token } = await content()
      expect({ hold, queue, token }).toEqual({ hold: before.hold, queue: ['c'], token: before.token })
      expect(waiters).toEqual({ c: before.waiters['c'] })
    }
  })

  it('grants a lock that it finds free', async () => {
    for (const owner of ['a', 'b', 'c']) await ask(owner)
    await redis.del(keys.main)
    expect(await release('b')).toBe(0)
    expect(await content()).toMatchObject({ hold: { c: '1' }, queue: [], waiters: {} })
  })

  it('leaves a tombstone for as long as requested, besides what it releases', async () => {
    await ask('a')
    const before = Math.floor((await serverUs()) / 1_000)
    expect(await release('a', { goneMs: 60_000 })).toBe(1)
    expect(await release('a', { goneMs: 60_000 })).toBe(0)
    const mark = /^gone (\d+)$/.exec((await content()).waiters['a'] ?? '')
    expect(Number(mark?.[1])).toBeGreaterThanOrEqual(before + 60_000)
    expect((await ttls()).waiters).toBeGreaterThan(55_000)
  })

  it('purges tombstones that no longer matter, and never a queue entry', async () => {
    await ask('holder')
    await ask('b')
    await redis.hset(keys.waiters, 'old', 'gone 1')
    await release('a', { goneMs: 60_000 })
    expect(Object.keys((await content()).waiters).sort()).toEqual(['a', 'b'])
  })

  it('does not remove the tombstone of an abandoned owner', async () => {
    await release('a', { goneMs: 60_000 })
    expect(await release('a')).toBe(0)
    expect(await ask('a')).toEqual([-2])
  })

  it('grants nothing to an abandoned owner', async () => {
    await ask('a')
    await ask('b')
    await release('b', { goneMs: 60_000 })
    await release('a')
    expect((await content()).hold).toEqual({})
  })

  it('leaves a hold of another owner alone', async () => {
    await ask('b')
    const before = await dumps()
    expect(await release('a')).toBe(0)
    expect(await dumps()).toEqual(before)
  })

  it('removes its queue entry also when it finds foreign data, which it leaves alone', async () => {
    await ask('a')
    await ask('b')
    deleteAfterTest(redis, keys.main)
    await redis.set(keys.main, 'theirs')
    const [lock] = await dumps()
    expect(await release('b')).toEqual([-3, 'string'])
    expect((await dumps())[0]).toBe(lock)
    expect((await content()).queue).toEqual([])
  })

  it('grants also when Redis refuses the notice, and says why', async () => {
    await redis.call('ACL', 'SETUSER', 'mute', 'on', '>secret', '~*', '+@all', 'resetchannels')
    const mute = openRedisClient(server.url.replace('redis://', 'redis://mute:secret@'))
    await ask('a')
    await ask('b')
    const reply = await mute.eval(scripts.lockRelease.lua, 4, ...allKeys(), 'a', 0)
    expect(reply).toEqual([1, expect.stringMatching(/NOPERM|channel/)])
    expect((await content()).hold).toEqual({ b: '1' })
  })
})

describe('force', () => {
  it('evicts the named owner, notifies it, grants the next, and run again does nothing', async () => {
    const heard = await hear('a', 'b')
    await ask('a')
    await ask('b')
    expect(await force('a')).toBe(1)
    expect(await content()).toMatchObject({ hold: { b: '1' }, queue: [], waiters: {} })
    const before = await dumps()
    expect(await force('a')).toBe(0)
    expect(await dumps()).toEqual(before)
    await until(() => heard.length === 2)
    expect(heard).toEqual([`revoked a ${keys.main}`, expect.stringMatching(/^granted b /)])
  })

  it.each(['free', 'held by another owner'])('does nothing to a lock that is %s', async (how) => {
    if (how !== 'free') await ask('b')
    const before = await dumps()
    expect(await force('a')).toBe(0)
    expect(await dumps()).toEqual(before)
  })

  it('leaves foreign data alone', async () => {
    deleteAfterTest(redis, keys.main)
    await redis.hset(keys.main, 'a', '1')
    expect(await force('a')).toEqual([-3, 'hash'])
    expect((await content()).hold).toEqual({ a: '1' })
  })
})

describe('renew', () => {
  it('returns a result for each lock of a batch, and run again does the same', async () => {
    const [free, theirs, foreign] = ['free', 'theirs', 'foreign'].map((name) =>
      plainKeySpace.keysOf(uniqueName(name)),
    ) as [Keys, Keys, Keys]
    await ask('a', { leaseMs: 1_000 })
    await redis.hset(theirs.main, 'b', '1')
    await redis.pexpire(theirs.main, 1_000)
    deleteAfterTest(redis, foreign.main)
    await redis.set(foreign.main, 'theirs')
    const names = [keys.main, free.main, theirs.main, foreign.main]
    for (const _ of ['once', 'twice']) {
      const reply = await runScript('lockRenew', names, ['a', 60_000, 'a', 60_000, 'a', 60_000, 'a', 60_000])
      expect(reply).toEqual([1, 0, 0, -3])
      const [mine, none, other, data] = await Promise.all(names.map((name) => redis.pttl(name)))
      expect(mine).toBeGreaterThan(55_000)
      expect([none, data]).toEqual([-2, -1])
      expect(other).toBeLessThanOrEqual(1_000)
    }
    expect((await content()).hold).toEqual({ a: '1' })
  })

  it('never shortens a lease', async () => {
    await ask('a', { leaseMs: 60_000 })
    expect(await runScript('lockRenew', [keys.main], ['a', 1])).toEqual([1])
    expect((await ttls()).lock).toBeGreaterThan(55_000)
  })

  it('leaves a hash without a TTL alone', async () => {
    deleteAfterTest(redis, keys.main)
    await redis.hset(keys.main, 'a', '1')
    expect(await runScript('lockRenew', [keys.main], ['a', 60_000])).toEqual([-3])
    expect((await ttls()).lock).toBe(-1)
  })
})

/** What a refresh replies of an entry that waits. */
const standing = (position: number, holder: string) =>
  expect.stringMatching(new RegExp(`^\\d+ \\d+ ${position} ${holder}$`)) as unknown

describe('refresh', () => {
  const three = () => [keys.main, keys.queue, keys.waiters]
  const refresh = (...args: (string | number)[]) =>
    runScript('lockRefresh', Array.from({ length: args.length / 2 }, three).flat(), args)

  it('distinguishes waiters, holders and unknown owners, and run again returns the same', async () => {
    await ask('a', { leaseMs: 10_000 })
    await ask('b')
    const before = await content()
    for (const _ of ['once', 'twice']) {
      const reply = await refresh('b', 60_000, 'a', 60_000, 'x', 60_000)
      expect(reply).toEqual([1, standing(1, 'a'), 2, anyTime, 0, anyTime])
      const { hold, queue, token } = await content()
      expect({ hold, queue, token }).toEqual({ hold: before.hold, queue: before.queue, token: before.token })
    }
    expect((await ttls()).lock).toBeLessThanOrEqual(10_000)
  })

  it('keeps a queue entry alive from now on, with its lease and inbox', async () => {
    await ask('a')
    await ask('b', { placeMs: 1_000 })
    const [since, , ...before] = (await content()).waiters['b']?.split(' ') ?? []
    await refresh('b', 60_000)
    const [refreshedAt, forMs, ...after] = (await content()).waiters['b']?.split(' ') ?? []
    expect(after).toEqual(before)
    expect(Number(refreshedAt)).toBeGreaterThan(Number(since))
    expect(forMs).toBe('60000')
    let { queue, waiters } = await ttls()
    expect(Math.min(queue, waiters)).toBeGreaterThan(55_000)
    await refresh('b', 1)
    ;({ queue, waiters } = await ttls())
    expect(Math.min(queue, waiters)).toBeGreaterThan(55_000)
  })

  it('names the present holder and the present position, which it looks for among the first 100 only', async () => {
    await ask('a')
    for (let n = 1; n <= 102; n++) await ask(`w${n}`)
    await release('a')
    expect(await refresh('w2', 60_000, 'w101', 60_000, 'w102', 60_000)).toEqual([
      ...[1, standing(1, 'w1')],
      ...[1, standing(100, 'w1')],
      ...[1, standing(0, 'w1')],
    ])
  })

  it('says -2 for the TTL of a lock that is free', async () => {
    await ask('a')
    await ask('b')
    await redis.del(keys.main)
    expect(await refresh('b', 60_000, 'x', 60_000)).toEqual([1, -2, 0, -2])
  })

  it.each([
    ['that has gone stale', () => makeStale('b')],
    ['whose queue was deleted', () => redis.del(keys.queue)],
  ])('treats a queue entry %s as missing', async (_, change) => {
    await ask('a')
    await ask('b')
    await change()
    const before = await dumps()
    expect(await refresh('b', 60_000)).toEqual([0, anyTime])
    expect(await dumps()).toEqual(before)
  })

  it('treats queue entries as missing whose queue was deleted before others queued', async () => {
    for (const owner of ['a', 'b', 'c']) await ask(owner)
    await release('gone', { goneMs: 60_000 })
    await redis.del(keys.queue)
    await ask('d')
    await ask('c')
    const reply = await refresh('b', 60_000, 'c', 60_000, 'd', 60_000)
    expect(reply).toEqual([0, anyTime, 1, standing(2, 'a'), 1, standing(1, 'a')])
    const { queue, waiters } = await content()
    expect({ queue, fields: Object.keys(waiters).sort() }).toEqual({
      queue: ['d', 'c'],
      fields: ['c', 'd', 'gone'],
    })
  })

  it('does not bring back a queue entry that was dropped', async () => {
    await ask('a')
    await ask('b')
    await release('b', { goneMs: 60_000 })
    const before = await dumps()
    expect(await refresh('b', 60_000)).toEqual([0, anyTime])
    expect(await dumps()).toEqual(before)
  })

  it('does not take foreign data for a hold', async () => {
    deleteAfterTest(redis, keys.main)
    await redis.set(keys.main, 'theirs')
    expect(await refresh('a', 60_000)).toEqual([0, -1])
  })
})

describe('inspect', () => {
  const inspect = (most: number) => runScript('lockInspect', allKeys(), [most])

  it('returns holder, count, TTL, token and queue entries, and changes nothing', async () => {
    await ask('a')
    await setCount('a', 2)
    await ask('b')
    await ask('c')
    const { token } = await content()
    const before = await dumps()
    expect(await inspect(1)).toEqual([anyTime, 'a', 2, token, 2, 'b', anyTime])
    expect(await inspect(0)).toEqual([anyTime, 'a', 2, token, 2])
    expect(await dumps()).toEqual(before)
  })

  it('reports that a free lock is free', async () => {
    expect(await inspect(10)).toEqual([-2, '', 0, 0, 0])
  })

  it('returns 0 for the remaining time of a stale queue entry', async () => {
    await ask('a')
    await ask('b')
    await makeStale('b')
    expect(await inspect(10)).toEqual([anyTime, 'a', 1, anyTime, 1, 'b', 0])
  })

  it('distinguishes foreign data from a lock', async () => {
    deleteAfterTest(redis, keys.main)
    await redis.rpush(keys.main, 'theirs')
    expect(await inspect(10)).toEqual([-3, 'list'])
  })
})

describe('raise-fence', () => {
  const raise = (token: string, keepMs = 1_000) =>
    redis.eval(scripts.clientRaiseFence.lua, 1, keys.fence, token, keepMs)

  it('never lowers a token, however long the numbers are', async () => {
    for (const token of ['99', '100', '20', '1790000000000001', '1790000000000000'])
      expect(await raise(token)).toBe(1)
    expect(await redis.get(keys.fence)).toBe('1790000000000001')
  })

  it('has the token live for the time given, and never shorter than before', async () => {
    await raise('5', 60_000)
    expect(await redis.pttl(keys.fence)).toBeGreaterThan(55_000)
    await raise('5', 200_000)
    await raise('6')
    expect(await redis.pttl(keys.fence)).toBeGreaterThan(190_000)
  })

  it('changes nothing if the token, or the last one, is more than a day ahead of the clock', async () => {
    const beyond = String(Date.now() * 1_000 + 90_000_000_000)
    expect(await raise(beyond)).toEqual([-4, beyond])
    expect(await redis.exists(keys.fence)).toBe(0)
    await redis.set(keys.fence, beyond, 'PX', 60_000)
    expect(await raise('5')).toEqual([-4, beyond])
    expect(await redis.get(keys.fence)).toBe(beyond)
  })

  it('has later tokens of the lock be larger', async () => {
    const future = String(Date.now() * 1_000 + 3_600_000_000)
    await raise(future)
    const args = ['c1:1', 1_000, 0, '']
    const list = [keys.main, keys.queue, keys.waiters, keys.fence]
    const token = await redis.eval(scripts.lockAcquire.lua, list.length, ...list, ...args)
    expect(Number(token)).toBe(Number(future) + 1)
  })
})

describe('identify', () => {
  it('returns process, version, role and eviction policy, and changes nothing', async () => {
    const size = await redis.dbsize()
    const text = String(await runScript('clientIdentify', [keys.main], []))
    expect(text).toContain(`run_id:${await server.runId()}`)
    expect(text).toMatch(/^redis_version:\d/m)
    expect(text).toMatch(/^role:master/m)
    expect(text).toMatch(/^maxmemory_policy:noeviction/m)
    expect(await redis.dbsize()).toBe(size)
  })
})

describe('register', () => {
  it('registers a client for a while, and run again does the same', async () => {
    const ear = openRedisClient(server.url)
    await ear.subscribe('inbox')
    const heard = once(ear, 'message')
    for (const _ of ['once', 'twice']) {
      expect(
        await runScript('clientRegister', [keys.main], [60_000, 'inbox', 'host', 'h', 'pid', 7]),
      ).toEqual([''])
      expect(await redis.hgetall(keys.main)).toEqual({ host: 'h', pid: '7' })
      expect((await ttls()).lock).toBeGreaterThan(55_000)
    }
    expect(await heard).toEqual(['inbox', 'hello'])
  })

  it('publishes nothing without an inbox to try', async () => {
    const ear = openRedisClient(server.url)
    const heard: string[] = []
    ear.on('pmessage', (_pattern: string, _channel: string, message: string) => heard.push(message))
    await ear.psubscribe('*')
    expect(await runScript('clientRegister', [keys.main], [60_000, '', 'host', 'h'])).toEqual([''])
    await redis.publish('inbox', 'end')
    await until(() => heard.includes('end'))
    expect(heard).toEqual(['end'])
  })

  it('leaves nothing that would stay forever when it may not set a TTL', async () => {
    await redis.call('ACL', 'SETUSER', 'timeless', 'on', '>secret', '~*', '&*', '+@all', '-pexpire')
    const timeless = openRedisClient(server.url.replace('redis://', 'redis://timeless:secret@'))
    const sent = timeless.eval(scripts.clientRegister.lua, 1, keys.main, 60_000, 'inbox', 'host', 'h')
    await expect(sent).rejects.toThrow()
    expect(await redis.exists(keys.main)).toBe(0)
  })

  it('returns the reason when it may not publish, and registers the client all the same', async () => {
    await redis.call('ACL', 'SETUSER', 'mute', 'on', '>secret', '~*', '+@all', 'resetchannels')
    const mute = openRedisClient(server.url.replace('redis://', 'redis://mute:secret@'))
    const reply = await mute.eval(scripts.clientRegister.lua, 1, keys.main, 60_000, 'inbox', 'host', 'h')
    expect(reply).toEqual([expect.stringMatching(/NOPERM|channel/)])
    expect(await redis.hgetall(keys.main)).toEqual({ host: 'h' })
  })
})
