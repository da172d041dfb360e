import { uniqueName, until } from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import { closeAll, deleteAfterTest, openRedisClient } from './support/clients.js'
import { plainKeySpace } from './support/key-space.js'
import { SharedScripts } from './support/shared-scripts.js'
import { ownRedis } from './support/own-redis.js'

/** What a writer wants, and the size of a read/write lock. */
const all = 1_000_000_000

const server = ownRedis()
let redis: Redis
let object: SharedScripts

beforeEach(() => {
  redis = openRedisClient(server.url)
  object = new SharedScripts(redis, server.url, plainKeySpace.locate(uniqueName('shared'), 'semaphore'))
})

afterEach(closeAll)

const anyToken = expect.stringMatching(/^\d{16}$/) as unknown
/** The reply to an owner that does not enter. */
const busy = (holder: string, position: number): RegExp => new RegExp(`^\\d+ \\d{16} ${position} ${holder}$`)

const read = (owner: string, more = {}) => object.acquire(owner, { want: 1, size: all, ...more })
const write = (owner: string, more = {}) => object.acquire(owner, { want: all, size: all, ...more })

describe('acquire', () => {
  it('run again writes, so that replicas can confirm it', async () => {
    // Long, so that there is nothing to extend.
    await object.acquire('a', { leaseMs: 100_000 })
    const changes = async () => /rdb_changes_since_last_save:(\d+)/.exec(await redis.info('persistence'))?.[1]
    const before = await changes()
    await object.acquire('a', { leaseMs: 1_000 })
    expect(await changes()).not.toBe(before)
  })

  it.each(['string', 'hash'])('leaves foreign data alone: a %s', async (type) => {
    const { main } = object.keys
    deleteAfterTest(redis, main)
    await (type === 'hash' ? redis.hset(main, 'a', '1') : redis.set(main, 'theirs'))
    const before = await object.dumps()
    const refusal = [-3, expect.stringContaining(type)] as unknown
    expect(await object.acquire('a')).toEqual(refusal)
    expect(await object.release('a')).toEqual(refusal)
    expect(await object.force('a')).toEqual(refusal)
    expect(await object.inspect()).toEqual(refusal)
    expect(await object.resize(3)).toEqual(refusal)
    expect(await object.renew('a')).toEqual([expect.any(Number)])
    expect(await object.refresh('a')).toEqual([0, expect.any(Number)])
    expect(await object.dumps()).toEqual(before)
  })
})

describe('release', () => {
  it('leaves nothing but the tombstone when all other holds have ended', async () => {
    await object.acquire('a')
    await object.acquire('b')
    await object.end('b')
    expect(await object.release('a', { tombstoneMs: 10_000 })).toBe(1)
    expect(await redis.exists(object.keys.main, object.keys.ends, object.keys.queue)).toBe(0)
  })

  it('needs no clock when it holds and nobody waits', async () => {
    await object.acquire('a')
    await object.acquire('b')
    await redis.config('RESETSTAT')
    await object.release('a')
    await object.release('b')
    expect(await redis.info('commandstats')).not.toMatch(/cmdstat_time:/)
  })

  it('names the object in the notice by its whole name', async () => {
    const odd = new SharedScripts(redis, server.url, { ...object.keys, main: 'two words, a\0nd more' })
    const heard = await odd.hear('b')
    await odd.acquire('a', { size: 1 })
    await odd.acquire('b', { size: 1 })
    await odd.release('a')
    await until(() => heard.length > 0)
    expect(heard[0]?.endsWith(' b:20000:p two words, a\0nd more')).toBe(true)
    await odd.release('b')
  })

  it('lets many more in than Lua could write at once, and keeps the order of those passed over', async () => {
    await write('w')
    const expected: string[] = []
    const pipeline: Promise<unknown>[] = []
    for (let i = 0; i < 2_500; i++) {
      const isUnsubscribed = i % 2 === 0
      if (isUnsubscribed) expected.push(`r${i}`)
      pipeline.push(read(`r${i}`, { checkInbox: isUnsubscribed ? 1 : 0, inbox: object.inboxOf('nobody') }))
    }
    await Promise.all(pipeline)
    await object.release('w')
    expect(await object.sums()).toEqual({ used: 1_250, held: 1_250, ends: 0 })
    expect(await object.queue()).toEqual(expected)
    expect(await redis.pttl(object.keys.queue)).toBeGreaterThan(30_000)
    expect(await redis.hlen(object.keys.waiters)).toBe(1_250)
  })
})

describe('renew', () => {
  it('extends a hold when another one has ended', async () => {
    await object.acquire('a')
    await object.acquire('b')
    await object.end('b')
    expect(await object.renew('a', 90_000)).toEqual([1])
    expect(Number(await redis.zscore(object.keys.ends, 'a'))).toBeGreaterThan(Date.now() + 80_000)
  })
})

describe('refresh', () => {
  it.each([
    ['a hold has ended', () => object.end('w')],
    ['the holds are gone', () => redis.del(object.keys.main)],
    ['the ends are gone', () => redis.del(object.keys.ends)],
    ['the waiter ahead is stale', () => object.makeStale('a')],
  ])('has its caller request now when %s', async (_, make) => {
    await write('w')
    await write('a')
    await read('b')
    expect(await object.refresh('b')).not.toEqual([1, -2])
    await make()
    expect(await object.refresh('b')).toEqual([1, -2])
  })
})

describe('resize', () => {
  it('beats the sizes of all waiters, and lets in those that fit', async () => {
    await object.acquire('a', { size: 1 })
    for (const owner of ['b', 'c', 'd']) await object.acquire(owner, { size: 1 })
    expect(await object.resize(3)).toEqual([1, 1, 3])
    expect(await object.holders()).toEqual({ a: 1, b: 1, c: 1 })
    expect(await object.queue()).toEqual(['d'])
  })
})

describe('a key of another type', () => {
  /** No key of ours is a stream. */
  const put = async (key: string): Promise<void> => {
    deleteAfterTest(redis, key)
    await redis.xadd(key, '*', 'field', 'theirs')
  }

  /** `a` and `b` hold all permits, `c` waits for those of `a`; then one key becomes something else. */
  const spoil = async (which: 'ends' | 'queue' | 'waiters' | 'fence' | 'size'): Promise<string> => {
    await object.acquire('a', { want: 2, size: 3 })
    await object.acquire('b', { want: 1, size: 3 })
    await object.acquire('c', { want: 2, size: 3 })
    const key = object.keys[which]
    await redis.del(key)
    await put(key)
    return key
  }

  it.each(['ends', 'queue', 'waiters', 'size'] as const)(
    'has a release refused, which keeps the counter the sum of holds, until it is gone: %s',
    async (which) => {
      const key = await spoil(which)
      await expect(object.release('a')).rejects.toThrow('WRONGTYPE')
      expect(await object.holders()).toEqual({ a: 2, b: 1 })
      expect(await redis.hget(object.keys.main, 'used')).toBe('3')
      await redis.del(key)
      expect(await object.release('a')).toBe(1)
      const { used, held } = await object.sums()
      expect(used).toBe(held)
    },
  )

  it('has a release finished without letting anybody in: the fence', async () => {
    const key = await spoil('fence')
    expect(await object.release('a')).toEqual([1, expect.stringMatching(/no token from .*WRONGTYPE/)])
    expect(await object.holders()).toEqual({ b: 1 })
    expect(await object.sums()).toEqual({ used: 1, held: 1, ends: 0 })
    expect(await object.queue()).toEqual(['c'])
    await redis.del(key)
    expect(await object.acquire('c', { want: 2, size: 3 })).toEqual(anyToken)
    expect(await object.sums()).toEqual({ used: 3, held: 3, ends: 0 })
  })

  it('has an eviction and a resize finished without letting anybody in: the fence', async () => {
    await spoil('fence')
    expect(await object.force('a')).toEqual([1, expect.stringContaining('WRONGTYPE')])
    expect(await object.sums()).toEqual({ used: 1, held: 1, ends: 0 })
    expect(await object.resize(9)).toEqual([1, 1, 9, expect.stringContaining('WRONGTYPE')])
    expect(await object.sums()).toEqual({ used: 1, held: 1, ends: 0 })
    expect(await object.queue()).toEqual(['c'])
  })

  it('has a resize refused, which changes nothing: a size that is none', async () => {
    await object.acquire('a', { want: 2, size: 3 })
    deleteAfterTest(redis, object.keys.size)
    await redis.set(object.keys.size, 'theirs')
    const before = await object.dumps()
    await expect(object.resize(9)).rejects.toThrow(`WRONGTYPE ${object.keys.size} has no size`)
    expect(await object.dumps()).toEqual(before)
  })
})

it('a release lets nobody in when no token can follow the last one, and requests are refused', async () => {
  await object.acquire('a', { want: 2, size: 3 })
  await object.acquire('b', { want: 1, size: 3 })
  await object.acquire('c', { want: 2, size: 3 })
  const last = '9007199254740991'
  await redis.set(object.keys.fence, last, 'PX', 60_000)
  expect(await object.release('a')).toEqual([1, expect.stringContaining(`no token can follow ${last}`)])
  expect(await object.sums()).toEqual({ used: 1, held: 1, ends: 0 })
  expect(await object.queue()).toEqual(['c'])
  expect(await object.acquire('c', { want: 2, size: 3 })).toEqual([-4, object.keys.fence, last])
})

it('grants stand although Redis refuses the notice, and the reply has the reason', async () => {
  await redis.call('ACL', 'SETUSER', 'mute', 'on', '>secret', '~*', '+@all', 'resetchannels')
  const mute = openRedisClient(server.url.replace('redis://', 'redis://mute:secret@'))
  const muted = new SharedScripts(mute, server.url, object.keys)
  await write('a')
  await read('b')
  const refusal = expect.stringMatching(/NOPERM|channel/) as unknown
  expect(await muted.release('a')).toEqual([1, refusal])
  await write('c')
  await write('d')
  await object.end('b')
  expect(await muted.acquire('d', { want: all, size: all })).toEqual([
    0,
    expect.stringMatching(busy('c', 1)),
    refusal,
  ])
  await object.resize(0)
  expect(await muted.resize(all, { version: 1, id: 'again' })).toEqual([1, 2, all])
  expect(await muted.force('c')).toEqual([1, refusal])
  await read('e')
  await redis.del(object.keys.size)
  await object.resize(0)
  await object.release('d')
  expect(await muted.resize(all, { version: 1, id: 'again' })).toEqual([1, 2, all, refusal])
  expect(await object.holders()).toEqual({ e: 1 })
  expect(await muted.force('e')).toEqual([1, refusal])
  await write('f')
  await read('g')
  await read('h')
  expect(await muted.release('f')).toEqual([1, refusal])
  expect(await object.holders()).toEqual({ g: 1, h: 1 })
})
