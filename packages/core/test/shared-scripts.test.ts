import { startRedis, uniqueName, until, type RedisServer } from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import { closeAll, deleteAfterTest, openRedisClient } from './support/clients.js'
import { plainKeySpace } from './support/key-space.js'
import { SharedScripts } from './support/shared-scripts.js'

/** What a writer wants, and the size of a read/write lock. */
const all = 1_000_000_000

let server: RedisServer
let redis: Redis
let object: SharedScripts

beforeAll(async () => {
  server = await startRedis()
})

beforeEach(() => {
  redis = openRedisClient(server.url)
  object = new SharedScripts(redis, server.url, plainKeySpace.keysOf(uniqueName('shared'), 'semaphore'))
})

afterEach(closeAll)

afterAll(() => server.stop())

const anyToken = expect.stringMatching(/^\d{16}$/) as unknown
/** The reply to an owner that does not enter. */
const busy = (holder: string, position: number): RegExp => new RegExp(`^\\d+ \\d{16} ${position} ${holder}$`)
const ttlOf = (reply: unknown): number => Number(String(reply).split(' ')[0])

const read = (owner: string, more = {}) => object.acquire(owner, { want: 1, size: all, ...more })
const write = (owner: string, more = {}) => object.acquire(owner, { want: all, size: all, ...more })

/** Milliseconds from now on. */
const ttls = () => Promise.all([object.keys.main, object.keys.ends].map((key) => redis.pttl(key)))

describe('acquire', () => {
  it('lets owners in while their permits fit, with growing tokens, and queues the others', async () => {
    const first = await object.acquire('a')
    const second = await object.acquire('b')
    expect([first, second]).toEqual([anyToken, anyToken])
    expect(Number(second)).toBeGreaterThan(Number(first))
    expect(await object.acquire('c')).toMatch(busy('a', 1))
    expect(await object.acquire('d')).toMatch(busy('a', 2))
    expect(await object.holders()).toEqual({ a: 1, b: 1 })
    expect(await object.queue()).toEqual(['c', 'd'])
  })

  it('run twice enters once, keeps the token, and the position of an entry', async () => {
    for (const owner of ['a', 'b', 'c', 'd']) await object.acquire(owner)
    const before = await object.dumps()
    expect(await object.acquire('b', { leaseMs: 1_000 })).toBe(await object.tokenOf('b'))
    expect(await object.dumps()).toEqual(before)
    expect(await object.acquire('c')).toMatch(busy('a', 1))
    expect(await object.queue()).toEqual(['c', 'd'])
  })

  it('run again writes, so that replicas can confirm it', async () => {
    await object.acquire('a', { leaseMs: 30_000 })
    const changes = async () => /rdb_changes_since_last_save:(\d+)/.exec(await redis.info('persistence'))?.[1]
    const before = await changes()
    await object.acquire('a', { leaseMs: 1_000 })
    expect(await changes()).not.toBe(before)
  })

  it('run again extends the lease of a hold, never shortens it', async () => {
    await object.acquire('a', { leaseMs: 30_000 })
    const end = Number(await redis.zscore(object.keys.ends, 'a'))
    await object.acquire('a', { leaseMs: 1_000 })
    expect(Number(await redis.zscore(object.keys.ends, 'a'))).toBe(end)
    await object.acquire('a', { leaseMs: 90_000 })
    expect(Number(await redis.zscore(object.keys.ends, 'a'))).toBeGreaterThanOrEqual(end + 60_000)
    expect(Math.min(...(await ttls()))).toBeGreaterThan(85_000)
  })

  it('does not queue an owner that may not wait', async () => {
    await write('a')
    const before = await object.dumps()
    expect(await write('b', { entryTtlMs: 0 })).toMatch(busy('a', 0))
    expect(await object.dumps()).toEqual(before)
  })

  it('names the owner whose hold ends first, and when', async () => {
    await object.acquire('a', { leaseMs: 50_000 })
    await object.acquire('b', { leaseMs: 10_000 })
    const reply = await object.acquire('c')
    expect(reply).toMatch(busy('b', 1))
    expect(ttlOf(reply)).toBeGreaterThan(5_000)
    expect(ttlOf(reply)).toBeLessThanOrEqual(10_000)
  })

  it('refuses an abandoned owner until nothing of it can be alive', async () => {
    await object.release('a', { tombstoneMs: 60_000 })
    const before = await object.dumps()
    expect(await object.acquire('a')).toEqual([-2])
    expect(await object.dumps()).toEqual(before)
    await redis.hset(object.keys.waiters, 'a', 'gone 1')
    expect(await object.acquire('a')).toEqual(anyToken)
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

  it('gives a token larger than the last one and than any that the client has seen', async () => {
    const future = Date.now() * 1_000 + 1e10
    await redis.set(object.keys.fence, future, 'PX', 60_000)
    expect(await object.acquire('a')).toBe(String(future + 1))
    expect(await object.acquire('b', { tokenFloor: future + 7 })).toBe(String(future + 8))
  })

  it('keeps the token for twice the longest lease of a step', async () => {
    await write('w')
    await read('a')
    await read('b', { grantLeaseMs: 100_000 })
    await read('c')
    await object.release('w')
    expect(await object.holders()).toEqual({ a: 1, b: 1, c: 1 })
    expect(await redis.pttl(object.keys.fence)).toBeGreaterThan(195_000)
    expect(Math.min(...(await ttls()))).toBeGreaterThan(95_000)
  })
})

describe('release', () => {
  it('of the last hold leaves nothing, and run again says so', async () => {
    await object.acquire('a')
    expect(await object.release('a')).toBe(1)
    expect(await redis.exists(object.keys.main, object.keys.ends, object.keys.queue)).toBe(0)
    const before = await object.dumps()
    expect(await object.release('a')).toBe(0)
    expect(await object.dumps()).toEqual(before)
  })

  it('lets neighbouring readers in together, with one token, and notifies each client once', async () => {
    const heard = await object.hear('one', 'two')
    await write('w')
    await read('one:1', { checkInbox: 1, inbox: object.inboxOf('one') })
    await read('two:1', { checkInbox: 1, inbox: object.inboxOf('two') })
    await read('one:2', { checkInbox: 1, inbox: object.inboxOf('one'), grantLeaseMs: 5_000 })
    await write('next', { checkInbox: 0 })
    await read('late')
    expect(await object.release('w')).toBe(1)
    expect(await object.holders()).toEqual({ 'one:1': 1, 'two:1': 1, 'one:2': 1 })
    expect(await object.queue()).toEqual(['next', 'late'])
    const token = await object.tokenOf('one:1')
    expect(await object.tokenOf('two:1')).toBe(token)
    await until(() => heard.length >= 2)
    const us = '\\d{16}'
    expect(heard.sort()).toEqual([
      expect.stringMatching(`^entered ${token} ${us} one:1:20000:p,one:2:5000:p ${object.keys.main}$`),
      expect.stringMatching(`^entered ${token} ${us} two:1:20000:p ${object.keys.main}$`),
    ])
    expect(Object.keys(await object.waiters()).sort()).toEqual(['late', 'next'])
  })

  it('removes a queue entry and nothing else', async () => {
    for (const owner of ['a', 'b', 'c', 'd']) await object.acquire(owner)
    for (const _ of ['once', 'twice']) {
      expect(await object.release('c')).toBe(0)
      expect(await object.queue()).toEqual(['d'])
      expect(await object.holders()).toEqual({ a: 1, b: 1 })
    }
  })

  it('needs no clock when it holds and nobody waits', async () => {
    await object.acquire('a')
    await object.acquire('b')
    await redis.config('RESETSTAT')
    await object.release('a')
    await object.release('b')
    expect(await redis.info('commandstats')).not.toMatch(/cmdstat_time:/)
  })

  it('leaves a tombstone for as long as requested', async () => {
    await object.acquire('a')
    expect(await object.release('a', { tombstoneMs: 60_000 })).toBe(1)
    expect(await object.release('a', { tombstoneMs: 60_000 })).toBe(0)
    expect(await object.waiters()).toEqual({ a: expect.stringMatching(/^gone \d+$/) as unknown })
    expect(await redis.pttl(object.keys.waiters)).toBeGreaterThan(55_000)
  })

  it('takes an abandoned owner out of the queue', async () => {
    await write('w')
    await read('a')
    await read('b')
    await redis.hset(object.keys.waiters, 'a', `gone ${Date.now() + 60_000}`)
    await object.release('w')
    expect(await object.holders()).toEqual({ b: 1 })
    expect(await object.queue()).toEqual([])
    expect(await object.acquire('a')).toEqual([-2])
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
  it('extends a hold, never shortens it, and lets both keys live as long', async () => {
    await object.acquire('a', { leaseMs: 30_000 })
    expect(await object.renew('a', 1_000)).toEqual([1])
    expect(Math.min(...(await ttls()))).toBeGreaterThan(25_000)
    expect(await object.renew('a', 90_000)).toEqual([1])
    expect(Number(await redis.zscore(object.keys.ends, 'a'))).toBeGreaterThan(Date.now() + 80_000)
    expect(Math.min(...(await ttls()))).toBeGreaterThan(85_000)
  })

  it('says that an owner does not hold, and changes nothing', async () => {
    await object.acquire('a')
    const before = await object.dumps()
    expect(await object.renew('b')).toEqual([0])
    expect(await object.dumps()).toEqual(before)
  })
})

describe('refresh', () => {
  it('keeps an entry with all that it says, and when the first hold ends', async () => {
    await write('w', { leaseMs: 10_000 })
    await object.acquire('a', { want: 3, size: 5, checkInbox: 1 })
    const before = await object.waiters()
    const [code, said] = (await object.refresh('a')) as unknown[]
    expect(code).toBe(1)
    expect(ttlOf(said)).toBeGreaterThan(5_000)
    expect(ttlOf(said)).toBeLessThanOrEqual(10_000)
    expect(said).toMatch(/ 1 w$/)
    const rest = (entry = '') => entry.split(' ').slice(1)
    expect(rest((await object.waiters())['a'])).toEqual(rest(before['a']))
  })

  it('knows an owner that holds from one that has no entry', async () => {
    await object.acquire('a')
    expect(await object.refresh('a', 'b')).toEqual([2, expect.any(Number), 0, expect.any(Number)])
  })

  it('does not call an ended hold one', async () => {
    await object.acquire('a')
    await object.end('a')
    expect(await object.refresh('a')).toEqual([0, -2])
  })

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

  it('has no more than one request follow from a waiter that cannot enter', async () => {
    await object.resize(0)
    await object.acquire('a')
    const [code, said] = (await object.refresh('a')) as unknown[]
    expect(code).toBe(1)
    expect(ttlOf(said)).toBeGreaterThan(50_000)
    expect(said).toMatch(/ 1 $/)
  })
})

describe('force', () => {
  it('evicts one owner, notifies it, and lets in who fits', async () => {
    const heard = await object.hear('a')
    for (const owner of ['a', 'b', 'c']) await object.acquire(owner)
    expect(await object.force('a')).toBe(1)
    expect(await object.holders()).toEqual({ b: 1, c: 1 })
    await until(() => heard.length > 0)
    expect(heard).toEqual([`revoked a ${object.keys.main}`])
    const before = await object.dumps()
    expect(await object.force('a')).toBe(0)
    expect(await object.dumps()).toEqual(before)
  })
})

describe('inspect', () => {
  it('lists holders by end and waiters by position, with their permits', async () => {
    await object.acquire('a', { want: 2, size: 5, leaseMs: 50_000 })
    await object.acquire('b', { want: 1, size: 5, leaseMs: 10_000 })
    await object.acquire('c', { want: 3, size: 5 })
    await object.acquire('d', { want: 1, size: 5 })
    await object.makeStale('d')
    const ms = expect.any(Number) as unknown
    const token = Number(await object.tokenOf('b'))
    const head = [0, 0, 3, 2, token, 2]
    expect(await object.inspect()).toEqual([...head, 2, 'b', 1, ms, 'a', 2, ms, 'c', 3, ms, 'd', 1, 0])
    expect(await object.inspect(1)).toEqual([...head, 1, 'b', 1, ms, 'c', 3, ms])
    expect(await object.inspect(0)).toEqual([...head, 0])
  })

  it('counts live holds only, and changes nothing', async () => {
    await object.acquire('a')
    await object.acquire('b')
    await object.end('a')
    const before = await object.dumps()
    expect((await object.inspect()) as unknown[]).toMatchObject({ 2: 1, 3: 1, 7: 'b' })
    await object.end('b')
    expect((await object.inspect()) as unknown[]).toMatchObject({ 2: 0, 3: 0, 6: 0 })
    await object.acquire('c')
    expect(await object.dumps()).not.toEqual(before)
  })

  it('shows the size that the object was resized to', async () => {
    await object.resize(7)
    expect(await object.inspect()).toEqual([7, 1, 0, 0, 0, 0, 0])
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

  it('that comes late does not undo a newer one, and learns of it', async () => {
    expect(await object.resize(5, { id: 'first' })).toEqual([1, 1, 5])
    expect(await object.resize(9, { id: 'second', version: 1 })).toEqual([1, 2, 9])
    expect(await object.resize(7, { id: 'late', version: 1 })).toEqual([0, 2, 9])
    expect(await object.resize(7, { id: 'unaware' })).toEqual([0, 2, 9])
  })

  it('run twice succeeds both times and changes nothing the second time', async () => {
    await object.resize(5)
    const before = await object.dumps()
    expect(await object.resize(5)).toEqual([1, 1, 5])
    expect(await object.dumps()).toEqual(before)
  })

  it('run again after another one has come in between does not undo that', async () => {
    await object.resize(5, { id: 'first' })
    await object.resize(9, { id: 'second', version: 1 })
    expect(await object.resize(5, { id: 'first' })).toEqual([0, 2, 9])
  })

  it('says that there is none in force, when the one seen has run out', async () => {
    expect(await object.resize(5, { version: 3 })).toEqual([0, 0, 0])
  })

  it('to 0 pauses: nobody enters until the size is another', async () => {
    await object.resize(0)
    const reply = await object.acquire('a')
    expect(reply).toMatch(busy('', 1))
    expect(ttlOf(reply)).toBeGreaterThan(50_000)
    expect(await object.resize(1, { version: 1 })).toEqual([1, 2, 1])
    expect(await object.holders()).toEqual({ a: 1 })
  })

  it('to 0 has nobody look at those that wait, however many', async () => {
    await object.resize(0)
    for (const owner of ['a', 'b']) await object.acquire(owner)
    await object.makeStale('a')
    await object.release('b')
    expect(await object.queue()).toEqual(['a'])
    await object.resize(1, { version: 1 })
    expect(await object.queue()).toEqual([])
  })

  it('that runs out gives waiters their own sizes back, and they learn when that will be', async () => {
    await object.acquire('a')
    await object.resize(1, { keepMs: 20_000 })
    const reply = await object.acquire('b')
    expect(ttlOf(reply)).toBeLessThanOrEqual(20_000)
    const [, said] = (await object.refresh('b')) as unknown[]
    expect(ttlOf(said)).toBeLessThanOrEqual(20_000)
    await redis.del(object.keys.size)
    expect(await object.refresh('b')).toEqual([1, -2])
    expect(await object.acquire('b')).toEqual(anyToken)
  })
})

describe('hazard of a read/write lock:', () => {
  it('counter equals the sum of holds', async () => {
    await object.acquire('a', { want: 2, size: 6 })
    await object.acquire('b', { want: 1, size: 6 })
    await object.acquire('c', { want: 3, size: 6 })
    await object.acquire('d', { want: 2, size: 6 })
    await object.acquire('e', { want: 1, size: 6 })
    for (const step of [
      () => object.release('a', { left: 1 }),
      () => object.end('b'),
      () => object.acquire('f', { want: 1, size: 6 }),
      () => object.force('c'),
      () => object.release('f'),
      () => object.resize(9),
    ]) {
      await step()
      const { used, held, ends } = await object.sums()
      expect([used, ends]).toEqual([held, 0])
    }
  })

  it.each(['main', 'ends'] as const)('counter outlives its list: %s is gone', async (which) => {
    await object.acquire('a', { want: 2 })
    await redis.del(object.keys[which])
    expect(await object.acquire('b', { want: 2 })).toEqual(anyToken)
    expect(await object.sums()).toEqual({ used: 2, held: 2, ends: 0 })
    expect(await object.release('a')).toBe(0)
  })

  it('counter outlives its list: both keys end at one instant, not before any hold', async () => {
    /** Until both keys go, read in one millisecond, and until the last hold ends. */
    const readLua = `
      local main, ends, again
      repeat
        main, ends = redis.call('PTTL', KEYS[1]), redis.call('PTTL', KEYS[2])
        again = redis.call('PTTL', KEYS[1])
      until main == again
      local time = redis.call('TIME')
      local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')[2]
      return { main, ends, last - math.floor(time[1] * 1000 + time[2] / 1000) }`
    for (const step of [
      () => object.acquire('a', { leaseMs: 1_000 }),
      () => object.acquire('b', { leaseMs: 60_000 }),
      () => object.acquire('c', { leaseMs: 5_000, grantLeaseMs: 200_000 }),
      () => object.release('a'),
      () => object.renew('b', 120_000),
      () => object.acquire('b', { leaseMs: 300_000 }),
    ]) {
      await step()
      const reply = await redis.eval(readLua, 2, object.keys.main, object.keys.ends)
      const [main = 0, ends, last = 0] = reply as number[]
      expect(main).toBe(ends)
      expect(main).toBeGreaterThanOrEqual(last)
    }
  })

  it('dead reader goes alone', async () => {
    await read('a')
    await read('b')
    expect(await write('w')).toMatch(busy('a', 1))
    await object.end('a')
    expect(await write('w')).toMatch(busy('b', 1))
    expect(await object.holders()).toEqual({ b: 1 })
    await object.end('b')
    expect(await write('w')).toEqual(anyToken)
  })

  it('writer not starved', async () => {
    await read('a')
    await write('w')
    expect(await read('b')).toMatch(busy('a', 2))
    await object.release('a')
    expect(Object.keys(await object.holders())).toEqual(['w'])
  })

  it('dead or unsubscribed writer at the head: readers pass an unsubscribed one, which keeps its position', async () => {
    await read('a')
    await write('w', { checkInbox: 1 })
    expect(await read('b')).toEqual(anyToken)
    expect(await object.queue()).toEqual(['w'])
  })

  it('dead or unsubscribed writer at the head: a stale one is dropped', async () => {
    await read('a')
    await write('w')
    await object.makeStale('w')
    expect(await read('b')).toEqual(anyToken)
    expect(await object.queue()).toEqual([])
    expect(await object.waiters()).toEqual({})
  })

  it('dead or unsubscribed writer at the head: readers learn when it will be stale, though holds are renewed', async () => {
    await read('a', { leaseMs: 300_000 })
    await write('w', { entryTtlMs: 7_000 })
    const reply = await read('b')
    expect(ttlOf(reply)).toBeLessThanOrEqual(7_000)
    const [, said] = (await object.refresh('b')) as unknown[]
    expect(ttlOf(said)).toBeLessThanOrEqual(7_000)
    expect(ttlOf(await write('w', { entryTtlMs: 7_000 }))).toBeGreaterThan(200_000)
  })

  it('writer gives up, readers enter', async () => {
    await read('a')
    await write('w')
    await read('b')
    await read('c')
    expect(await object.release('w')).toBe(0)
    expect(await object.holders()).toEqual({ a: 1, b: 1, c: 1 })
  })

  it('requester blocked by an entry behind it', async () => {
    await write('a')
    await read('b')
    await write('w')
    await object.end('a')
    expect(await read('b')).toEqual(anyToken)
    expect(await object.holders()).toEqual({ b: 1 })
    expect(await object.queue()).toEqual(['w'])
  })

  it('requester blocked by an entry behind it: its own entry counts as subscribed and as refreshed', async () => {
    await write('a')
    await read('b', { checkInbox: 1 })
    await write('w')
    await object.makeStale('b')
    await object.end('a')
    expect(await read('b', { checkInbox: 1 })).toEqual(anyToken)
    expect(await object.holders()).toEqual({ b: 1 })
    expect(Object.keys(await object.waiters())).toEqual(['w'])
  })

  it('stray request after a downgrade', async () => {
    await write('a')
    expect(await object.release('a', { left: 1 })).toBe(1)
    await read('b')
    const before = await object.dumps()
    expect(await write('a')).toEqual([-1])
    expect(await object.dumps()).toEqual(before)
    expect(await read('a')).toBe(await object.tokenOf('a'))
  })

  it('downgrade unanswered: run twice it lowers once, and waiting readers enter', async () => {
    await write('a')
    await read('b')
    for (const _ of ['once', 'twice']) {
      expect(await object.release('a', { left: 1 })).toBe(1)
      expect(await object.holders()).toEqual({ a: 1, b: 1 })
    }
    expect(await object.sums()).toMatchObject({ used: 2 })
  })

  it('downgrade unanswered: it never raises what is left', async () => {
    await read('a')
    expect(await object.release('a', { left: 5 })).toBe(1)
    expect(await object.sums()).toMatchObject({ used: 1, held: 1 })
    expect(await object.release('b', { left: 1 })).toBe(0)
  })

  it('late renewal of an ended hold', async () => {
    await write('a')
    await object.end('a')
    expect(await object.renew('a')).toEqual([0])
    expect(await write('b')).toEqual(anyToken)
    expect(await object.renew('a')).toEqual([0])
    expect(await object.holders()).toEqual({ b: all })
  })

  it('one request lets all readers in after an expiry', async () => {
    const heard = await object.hear('b', 'c', 'd')
    await write('a')
    for (const owner of ['b', 'c', 'd']) await read(owner, { checkInbox: 1 })
    await write('w')
    await object.end('a')
    expect(await read('c', { checkInbox: 1 })).toEqual(anyToken)
    expect(await object.holders()).toEqual({ b: 1, c: 1, d: 1 })
    expect(await object.tokenOf('b')).toBe(await object.tokenOf('d'))
    await until(() => heard.length >= 2)
    expect(heard.map((message) => message.split(' ')[3]).sort()).toEqual(['b:20000:p', 'd:20000:p'])
  })

  it('one request lets all readers in after an expiry, also that of the writer behind them', async () => {
    await write('a')
    for (const owner of ['b', 'c']) await read(owner)
    await write('w')
    await object.end('a')
    expect(await write('w')).toMatch(busy('(b|c)', 1))
    expect(await object.holders()).toEqual({ b: 1, c: 1 })
  })
})

describe('hazard of a semaphore:', () => {
  const of5 = (owner: string, want: number, more = {}) => object.acquire(owner, { want, size: 5, ...more })

  it('large request', async () => {
    await of5('a', 3)
    expect(await of5('b', 4)).toMatch(busy('a', 1))
    expect(await of5('c', 1)).toMatch(busy('a', 2))
    await object.release('a')
    expect(await object.holders()).toEqual({ b: 4, c: 1 })
  })

  it('request above the size holds nobody up and keeps its position', async () => {
    await of5('a', 5)
    await of5('b', 5)
    await of5('c', 1)
    await object.resize(3)
    await object.release('a')
    expect(await object.holders()).toEqual({ c: 1 })
    expect(await of5('b', 5)).toMatch(busy('c', 1))
    await object.release('c')
    await object.resize(5, { version: 1, id: 'back' })
    expect(await object.holders()).toEqual({ b: 5 })
  })

  it('shrink below used evicts nobody, and nobody enters above the size', async () => {
    for (const owner of ['a', 'b', 'c']) await of5(owner, 1)
    expect(await object.resize(1)).toEqual([1, 1, 1])
    await of5('d', 1)
    await object.release('a')
    await object.release('b')
    expect(await object.holders()).toEqual({ c: 1 })
    await object.release('c')
    expect(await object.holders()).toEqual({ d: 1 })
  })

  it('two sizes at once: each waiter is judged by the size that its own client knows', async () => {
    await object.acquire('old 1', { size: 2 })
    await object.acquire('old 2', { size: 2 })
    expect(await object.acquire('old 3', { size: 2 })).toMatch(busy('old 1', 1))
    expect(await object.acquire('new 1', { size: 4 })).toMatch(busy('old 1', 2))
    await object.release('old 1')
    // It took all that is left by the size that it knows.
    expect(await object.holders()).toEqual({ 'old 2': 1, 'old 3': 1 })
    expect(await object.acquire('new 1', { size: 4 })).toEqual(anyToken)
    expect(await object.acquire('new 2', { size: 4 })).toEqual(anyToken)
    await object.resize(3)
    expect(await object.acquire('new 3', { size: 4 })).toMatch(busy('.*', 1))
    expect(Object.keys(await object.holders()).length).toBe(4)
  })

  it('process dies: its permits come back, and its entries do not stay in the way', async () => {
    await of5('dead', 3)
    await of5('alive', 2)
    await of5('dead waiter', 5)
    await of5('b', 3)
    await object.end('dead')
    await object.makeStale('dead waiter')
    expect(await of5('c', 1)).toMatch(busy('b', 1))
    expect(await object.holders()).toEqual({ alive: 2, b: 3 })
  })

  it('partial release twice', async () => {
    await of5('a', 4)
    await of5('b', 3)
    for (const _ of ['once', 'twice']) expect(await object.release('a', { left: 3 })).toBe(1)
    expect(await object.sums()).toEqual({ used: 3, held: 3, ends: 0 })
    for (const _ of ['once', 'twice']) expect(await object.release('a', { left: 2 })).toBe(1)
    expect(await object.holders()).toEqual({ a: 2, b: 3 })
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

  it('has the last release finished without letting anybody in: the fence', async () => {
    await write('a')
    await read('b')
    await read('c')
    await redis.del(object.keys.fence)
    await put(object.keys.fence)
    expect(await object.release('a')).toEqual([1, expect.stringContaining('WRONGTYPE')])
    expect(await redis.exists(object.keys.main, object.keys.ends)).toBe(0)
    expect(await object.queue()).toEqual(['b', 'c'])
  })

  it('has an eviction and a resize finished without letting anybody in: the fence', async () => {
    await spoil('fence')
    expect(await object.force('a')).toEqual([1, expect.stringContaining('WRONGTYPE')])
    expect(await object.sums()).toEqual({ used: 1, held: 1, ends: 0 })
    expect(await object.resize(9)).toEqual([1, 1, 9, expect.stringContaining('WRONGTYPE')])
    expect(await object.sums()).toEqual({ used: 1, held: 1, ends: 0 })
    expect(await object.queue()).toEqual(['c'])
  })

  it('has a request refused, which changes nothing: the fence', async () => {
    await spoil('fence')
    await object.release('a')
    const before = await object.dumps()
    await expect(object.acquire('d', { want: 2, size: 9 })).rejects.toThrow('WRONGTYPE')
    expect(await object.dumps()).toEqual(before)
  })
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
})
