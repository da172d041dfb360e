import { fillMemory, uniqueName, until } from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import type { Keys } from '../src/redis/keys.js'
import { ScriptConnection } from '../src/redis/connection/script-connection.js'
import { nativeCalls, RedisCommands } from '../src/redis/commands.js'
import { openConnections } from '../src/redis/connection/connections.js'
import { closeAfterTest, closeAll, deleteAfterTest, openRedisClient } from './support/clients.js'
import { plainKeySpace } from './support/key-space.js'
import { scripts, type ScriptName } from './support/scripts.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()
let redis: Redis
let keys: Keys

beforeEach(() => {
  redis = openRedisClient(server.url)
  keys = plainKeySpace.locate(uniqueName('script'))
})

afterEach(closeAll)

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

interface ReleaseArguments {
  goneMs?: number
  tokenFloor?: number
}

const release = (owner: string, options: ReleaseArguments = {}): Promise<unknown> => {
  const { goneMs, tokenFloor = 0 } = options
  return runScript('lockRelease', allKeys(), [owner, tokenFloor, ...(goneMs === undefined ? [] : [goneMs])])
}

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

/** Hears the inboxes of these owners, as their clients would. */
async function hear(...owners: string[]): Promise<string[]> {
  const ear = openRedisClient(server.url)
  const heard: string[] = []
  ear.on('message', (_: string, message: string) => heard.push(message))
  await ear.subscribe(...owners.map(inboxOf))
  return heard
}

const anyTime = expect.any(Number) as unknown
/** The reply while another owner has the lock. */
const heldBy = (holder: string, position: number): RegExp =>
  new RegExp(`^-?\\d+ \\d{16} ${position} ${holder}$`)

describe('multi/acquire', () => {
  const acquireMany = (mode: 'all' | 'first', ...owners: readonly string[]): Promise<unknown> => {
    const each = owners.map((_, n) => plainKeySpace.locate(`${keys.name}${n}`))
    const scriptKeys = each.flatMap(({ main, queue, waiters, fence }) => [main, queue, waiters, fence])
    return runScript('multiAcquire', scriptKeys, [mode, 30_000, ...owners.flatMap((owner) => [owner, 0])])
  }
  const mainOf = (n: number): string => plainKeySpace.locate(`${keys.name}${n}`).main

  it('returns the same tokens when it runs twice', async () => {
    const tokens = await acquireMany('all', 'A', 'B')
    expect(tokens).toEqual([expect.stringMatching(/^\d+$/), expect.stringMatching(/^\d+$/)])
    expect(await acquireMany('all', 'A', 'B')).toEqual(tokens)
    expect(await redis.hgetall(mainOf(1))).toEqual({ B: '1' })
  })

  it('keeps the token of a hold for as long as the lease needs it', async () => {
    const { fence } = plainKeySpace.locate(`${keys.name}0`)
    await acquireMany('all', 'A')
    await redis.pexpire(fence, 1_000)
    await acquireMany('all', 'A')
    expect(await redis.pttl(fence)).toBeGreaterThan(55_000)
  })

  it('refuses a key that is not a lock, says which one, and enters none', async () => {
    await redis.set(mainOf(1), 'text', 'PX', 30_000)
    expect(await acquireMany('first', 'A', 'B')).toEqual([-3, 'string', 2])
    expect(await redis.exists(mainOf(0))).toBe(0)
  })
})

describe('acquire', () => {
  it('draws a new token when a repeated request finds the fence key gone', async () => {
    const first = await ask('a').then(content)
    await redis.del(keys.fence)
    const reply = await ask('a')
    const { token } = await content()
    expect(token).toBeGreaterThan(first.token)
    expect(reply).toBe(String(token))
    expect(await ask('a')).toBe(String(token))
  })

  it('gives a token larger than the last one, when the client has seen the one before', async () => {
    const [s = 0] = (await redis.time()).map(Number)
    const future = s * 1_000_000 + 1e10
    await redis.set(keys.fence, future, 'PX', 10_000)
    await ask('a', { tokenFloor: future - 1 })
    expect((await content()).token).toBe(future + 1)
  })

  it('leaves a lock of another owner alone when it may not queue', async () => {
    await ask('a')
    const before = await dumps()
    expect(await ask('b', { placeMs: 0 })).toMatch(heldBy('a', 0))
    expect(await dumps()).toEqual(before)
  })

  it('keeps the position of a queue entry when it is requested again', async () => {
    for (const owner of ['a', 'b', 'c']) await ask(owner)
    expect(await ask('b')).toMatch(heldBy('a', 1))
    expect((await content()).queue).toEqual(['b', 'c'])
    await release('a')
    expect((await content()).hold).toEqual({ b: '1' })
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
      patternsFor: String,
      onBreak() {},
      onReconnect() {},
      onError() {},
    })
    closeAfterTest(() => connection.close())
    const faults: string[] = []
    const commands = new RedisCommands({
      connection,
      calls: { lock: nativeCalls(false) },
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

  it('tells the next holder its proof, token, time and lease, and the lock by its whole name', async () => {
    const name = `${keys.main}\0and more`
    const odd = [name, `{${name}}:fifo`, `{${name}}:waiters`, `{${name}}:fence`]
    const heard = await hear('b')
    await runScript('lockAcquire', odd, ['a', 30_000, 0, ''])
    await runScript('lockAcquire', odd, ['b', 30_000, 0, `30000 20000 0 p ${inboxOf('b')}`])
    expect(await runScript('lockRelease', odd, ['a', 0])).toBe(1)
    await until(() => heard.length > 0)
    expect(heard[0]).toMatch(/^granted b p \d{16} \d{16} 20000 /)
    expect(heard[0]?.endsWith(` 20000 ${name}`)).toBe(true)
  })

  it('looks only once for a client that is not subscribed, and announces nothing to it', async () => {
    await ask('a')
    const waiting = `30000 20000 1 p ${inboxOf('b')}`
    for (const owner of ['b:1', 'b:2', 'b:3']) {
      await runScript('lockAcquire', allKeys(), [owner, 30_000, 0, waiting])
    }
    await redis.config('RESETSTAT')
    await release('a')
    const stats = await redis.info('commandstats')
    expect(stats).toMatch(/^cmdstat_pubsub(\|numsub)?:calls=1,/m)
    expect(stats).not.toMatch(/^cmdstat_publish/m)
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
  })

  it('purges tombstones that no longer matter, and never a queue entry', async () => {
    await ask('holder')
    await ask('b')
    await redis.hset(keys.waiters, 'old', 'gone 1')
    await release('a', { goneMs: 60_000 })
    expect(Object.keys((await content()).waiters).sort()).toEqual(['a', 'b'])
  })
})

describe('force', () => {
  it('evicts also when Redis refuses the notice, and says why', async () => {
    await redis.call('ACL', 'SETUSER', 'mute', 'on', '>secret', '~*', '+@all', 'resetchannels')
    const mute = openRedisClient(server.url.replace('redis://', 'redis://mute:secret@'))
    await ask('a')
    const reply = await mute.eval(scripts.lockForce.lua, 4, ...allKeys(), 'a', 'inbox', 0)
    expect(reply).toEqual([1, expect.stringMatching(/NOPERM|channel/)])
    expect((await content()).hold).toEqual({})
  })
})

describe('renew', () => {
  it('returns a result for each lock of a batch, and run again does the same', async () => {
    const [free, theirs, foreign] = ['free', 'theirs', 'foreign'].map((name) =>
      plainKeySpace.locate(uniqueName(name)),
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
})

/** What a refresh replies of an entry that waits. */
const standing = (position: number, holder: string) =>
  expect.stringMatching(new RegExp(`^\\d+ \\d+ ${position} ${holder}$`)) as unknown

describe('refresh', () => {
  const three = () => [keys.main, keys.queue, keys.waiters]
  const refresh = (...args: (string | number)[]) =>
    runScript('lockRefresh', Array.from({ length: args.length / 2 }, three).flat(), args)

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
})
