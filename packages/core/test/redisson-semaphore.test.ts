import { startRedis, uniqueName, until, soon } from '@holdfast/testkit'
import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'
import { LockTimeoutError, type Holdfast } from '../src/index.js'
import { scripts, type ScriptName } from '../src/redis/redisson/generated.js'
import type { RedissonSemaphore } from '../src/redis/redisson/index.js'
import { closeAfterTest, closeAll, deleteAfterTest, openProxy, openRedisClient } from './support/clients.js'
import { openShared, type SharedOptions } from './support/open-shared.js'
import { listen } from './support/redisson-channels.js'
import { untilLength } from './support/until-length.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()
let redis: Redis
let name: string

beforeEach(() => {
  redis = openRedisClient(server.url)
  name = uniqueName('semaphore')
  deleteAfterTest(redis, name, idsKey())
})
afterEach(closeAll)

const neverEnds = '922337203685477'

const idsKey = () => `{${name}}:timeout`
const holdsKey = () => `{${name}}:semaphore`
const endsKey = () => `{${name}}:semaphore:ends`
const waitersKey = () => `{${name}}:semaphore:waiters`
const channel = () => `redisson_sc:{${name}}`

const untilWaiting = (holdfast: Holdfast, count = 1) =>
  until(() => holdfast.stats().waiters === count, { what: `${count} waiters` })

const forms: readonly { semaphores: RedissonSemaphore; prefix: 'redissonSemaphore' | 'redissonPermits' }[] = [
  { semaphores: 'RSemaphore', prefix: 'redissonSemaphore' },
  { semaphores: 'RPermitExpirableSemaphore', prefix: 'redissonPermits' },
]

describe.each(forms)('a semaphore shared as $semaphores', ({ semaphores, prefix }) => {
  const open = (options: SharedOptions = {}, url = server.url): Holdfast =>
    openShared(url, { ...options, semaphores })
  const hasIds = semaphores === 'RPermitExpirableSemaphore'
  const semaphoreOf = (holdfast: Holdfast, permits = 3) => holdfast.getSemaphore(name, { permits })

  /** Takes permits as Java does. */
  async function take(permits: number): Promise<void> {
    await redis.decrby(name, permits)
    const ids = Array.from({ length: permits }, (_, n) => createHash('md5').update(`${n}`).digest())
    if (hasIds) for (const id of ids) await redis.zadd(idsKey(), neverEnds, id)
  }

  /** Gives back what `take` took. */
  async function giveBack(permits: number): Promise<void> {
    if (hasIds) await redis.zremrangebyscore(idsKey(), neverEnds, neverEnds)
    await redis.publish(channel(), String(await redis.incrby(name, permits)))
  }

  const freeOf = async () => Number(await redis.get(name))
  /** All that is kept, byte for byte, but for when it ends. */
  const content = async () => ({
    free: await redis.get(name),
    holds: await redis.hgetall(holdsKey()),
    ends: (await redis.zrange(endsKey(), 0, '-1')).sort(),
    ids: (await redis.zrangeBuffer(idsKey(), 0, '-1')).map((id) => id.toString('hex')).sort(),
    gone: await redis.hkeys(waitersKey()),
  })

  const script = (step: string, ...args: (string | number)[]): Promise<unknown> => {
    const scriptName = Object.keys(scripts).find((each): each is ScriptName => each === prefix + step)
    if (!scriptName) throw new Error(`no script ${prefix}${step}`)
    const keys = [name, holdsKey(), endsKey()]
    if (hasIds) keys.push(idsKey())
    if (step === 'Acquire' || step === 'Release') keys.push(waitersKey())
    if (step === 'Resize') keys.push(`{${name}}:semaphore:size`)
    return redis.eval(scripts[scriptName].lua, keys.length, ...keys, ...args)
  }
  const publishing = () => ['PUBLISH', channel()] as const
  const acquire = (owner: string, want: number, leaseMs = 30_000) =>
    script('Acquire', owner, want, leaseMs, 1, 3, ...publishing())
  const release = (owner: string, left = 0, ...tombstone: number[]) =>
    script('Release', owner, left, ...publishing(), ...tombstone)

  describe('each step, carried out twice,', () => {
    async function twice(step: () => Promise<unknown>): Promise<unknown[]> {
      const first = await step()
      const before = await content()
      const second = await step()
      expect(await content()).toEqual(before)
      return [first, second]
    }

    it('acquires once', async () => {
      expect(await twice(() => acquire('c:1', 2))).toEqual([
        [1, 1, ''],
        [1, 1, ''],
      ])
      expect(await acquire('c:2', 2)).toMatch(/^\d+ \d{16} 1 c:1$/)
      expect(await freeOf()).toBe(1)
      await release('c:1')
    })

    it('gives back once, all or some', async () => {
      await acquire('c:1', 3)
      expect(await twice(() => release('c:1', 1))).toEqual([1, 1])
      expect(await freeOf()).toBe(2)
      expect(await acquire('c:1', 3)).toEqual([-1])
      expect(await twice(() => release('c:1'))).toEqual([1, 0])
      expect(await freeOf()).toBe(3)
    })

    it('leaves a tombstone once, which refuses late requests', async () => {
      await acquire('c:1', 1)
      expect(await twice(() => release('c:1', 0, 1_000))).toEqual([1, 0])
      expect(await acquire('c:1', 1)).toEqual([-2])
      expect(await freeOf()).toBe(3)
      expect(await redis.pttl(waitersKey())).toBeGreaterThan(0)
    })

    it('evicts once', async () => {
      await acquire('c:1', 2)
      expect(await twice(() => script('Force', 'c:1', 'inbox', ...publishing()))).toEqual([1, 0])
      expect(await freeOf()).toBe(3)
      expect(await release('c:1')).toBe(0)
    })

    it('renews, and never shortens', async () => {
      await acquire('c:1', 2, 30_000)
      const renew = (leaseMs: number) => script('Renew', ...publishing(), 'c:1', leaseMs)
      expect(await twice(() => renew(60_000))).toEqual([[1], [1]])
      const ends = await redis.zrange(endsKey(), 0, '-1', 'WITHSCORES')
      const ids = await redis.zrange(idsKey(), 0, '-1', 'WITHSCORES')
      await renew(1_000)
      expect(await redis.zrange(endsKey(), 0, '-1', 'WITHSCORES')).toEqual(ends)
      expect(await redis.zrange(idsKey(), 0, '-1', 'WITHSCORES')).toEqual(ids)
      expect(await script('Renew', ...publishing(), 'c:2', 1_000)).toEqual([0])
      await release('c:1')
    })

    it('returns what has ended once, with one message', async () => {
      const messages = await listen(server, 'PUBLISH', channel())
      await acquire('c:1', 2, 20)
      await untilLength(messages, 1)
      await until(async () => (await redis.zrangebyscore(endsKey(), 0, Date.now() - 5)).length === 1, {
        what: 'the end of the hold',
      })
      const refresh = () => script('Refresh', ...publishing(), 'c:2')
      expect(await twice(refresh)).toEqual([
        [1, -2],
        [1, -2],
      ])
      expect(await freeOf()).toBe(3)
      await redis.publish(channel(), 'end')
      await untilLength(messages, 3)
      // The first one is of the semaphore that was made.
      expect(messages).toEqual(['1', '3', 'end'])
      expect(await script('Renew', ...publishing(), 'c:1', 1_000)).toEqual([0])
    })
  })

  it('makes the semaphore with the permits of the first that asks, and says so', async () => {
    const messages = await listen(server, 'PUBLISH', channel())
    const lease = await semaphoreOf(open()).acquire({ permits: 2 })
    await untilLength(messages, 1)
    expect(messages).toEqual(['1'])
    expect(await freeOf()).toBe(1)
    expect(await redis.pttl(name)).toBe(-1)
    expect((await semaphoreOf(open(), 9).inspect()).available).toBe(1)
    await lease.release()
    await untilLength(messages, 2)
    expect(messages).toEqual(['1', '3'])
    expect((await content()).holds).toEqual({})
  })

  it('is not left taken by a request that was abandoned in flight', async () => {
    const proxy = await openProxy(server)
    const holdfast = open({ commandTimeoutMs: 1_000 }, proxy.url)
    await holdfast.getSemaphore(uniqueName('first-use'), { permits: 1 }).withPermits(() => undefined)
    const abort = new AbortController()
    const reason = new Error('changed my mind')
    proxy.blackHole('toClient')
    const waiting = semaphoreOf(holdfast).acquire({ permits: 2, signal: abort.signal })
    await until(async () => (await redis.get(name)) === '1', { what: 'the permits to be taken' })
    abort.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    proxy.heal()
    await until(async () => (await freeOf()) === 3, { what: 'the permits to be given back' })
  })

  it('lets in by one message as many of those that wait here as fit, in their order', async () => {
    const holdfast = open()
    await semaphoreOf(holdfast)
      .acquire({ permits: 3 })
      .then((lease) => lease.release())
    await take(3)
    // From now on it is subscribed: each of the following sends one request, and then nothing until a message comes.
    expect(await semaphoreOf(holdfast).tryAcquire({ waitMs: 1_500 })).toBeNull()
    let refused = 0
    holdfast.on('waiting', () => refused++)
    const entered: number[] = []
    const waits = [1, 1, 2, 1].map(async (permits, n) => {
      const lease = await semaphoreOf(holdfast).acquire({ permits })
      entered.push(n)
      return lease
    })
    await until(() => refused === 4, { what: 'four refusals' })
    await giveBack(3)
    const leases = await soon(Promise.all(waits.slice(0, 2)))
    await untilWaiting(holdfast, 2)
    expect(entered).toEqual([0, 1])
    expect(await freeOf()).toBe(1)
    await leases[0]?.release()
    const third = await waits[2]
    await leases[1]?.release()
    await third?.release()
    await (await waits[3])?.release()
    expect(entered).toEqual([0, 1, 2, 3])
    expect(await freeOf()).toBe(3)
  })

  it('is not kept from those behind a large request that gives up', async () => {
    const holdfast = open()
    const first = await semaphoreOf(holdfast).acquire({ permits: 1 })
    const large = semaphoreOf(holdfast).acquire({ permits: 3, waitMs: 3_000 })
    await untilWaiting(holdfast)
    await take(2)
    const small = semaphoreOf(holdfast).acquire()
    await untilWaiting(holdfast, 2)
    await giveBack(2)
    await expect(large).rejects.toThrow(LockTimeoutError)
    const lease = await soon(small)
    await Promise.all([lease.release(), first.release()])
    expect(await freeOf()).toBe(3)
  })

  it('is waited for through an outage that loses everything', async () => {
    const other = await startRedis()
    closeAfterTest(() => other.stop())
    const holdfast = open({ watchdogTimeoutMs: 1_500 }, other.url)
    const held = await semaphoreOf(holdfast, 1).acquire()
    const waiting = semaphoreOf(holdfast, 1).acquire()
    await untilWaiting(holdfast)
    await other.restart()
    const lease = await waiting
    await until(() => held.signal.aborted, { what: 'the loss' })
    await lease.release()
    const look = openRedisClient(other.url)
    expect(await look.get(name)).toBe('1')
  })

  it('that was deleted stays so when our permits return, and is made with those left', async () => {
    const holdfast = open()
    const [kept, given] = [
      await semaphoreOf(holdfast).acquire({ permits: 2 }),
      await semaphoreOf(holdfast).acquire(),
    ]
    await redis.del(name)
    await given.release()
    expect(await redis.exists(name)).toBe(0)
    const lease = await semaphoreOf(holdfast).tryAcquire({ permits: 1 })
    expect(await semaphoreOf(holdfast).tryAcquire()).toBeNull()
    await Promise.all([lease?.release(), kept.release()])
    expect(await freeOf()).toBe(3)
  })

  it('is evicted by its owner, whose signal aborts', async () => {
    const lease = await semaphoreOf(open()).acquire({ permits: 2 })
    const semaphore = semaphoreOf(open())
    const { holders, holderCount, available } = await semaphore.inspect()
    expect(holders.map(({ owner, permits }) => [owner, permits])).toEqual([[lease.owner, 2]])
    expect([holderCount, available]).toEqual([1, 1])
    expect(await semaphore.forceRelease(lease.owner)).toBe(true)
    expect(await semaphore.forceRelease(lease.owner)).toBe(false)
    await until(() => lease.signal.aborted, { what: 'the eviction' })
    expect(await semaphore.available()).toBe(3)
  })

  it('names the holder of ours whose hold ends first when a wait times out', async () => {
    const lease = await semaphoreOf(open()).acquire({ permits: 3, leaseMs: 10_000 })
    await expect(semaphoreOf(open()).acquire({ waitMs: 1_500 })).rejects.toMatchObject({
      holder: lease.owner,
    })
    await lease.release()
  })

  it.each([
    ['a list', () => redis.rpush(name, 'x'), 'holds a value of type list'],
    ['a hash, as a lock is', () => redis.hset(name, 'a', 1), 'holds a value of type hash'],
    ['a text', () => redis.set(name, 'text'), 'holds a string that is not a number'],
  ])('is refused where the key holds %s, which stays', async (_, write, why) => {
    await write()
    const before = await redis.dumpBuffer(name)
    const semaphore = semaphoreOf(open())
    for (const call of [
      () => semaphore.acquire(),
      () => semaphore.available(),
      () => semaphore.forceRelease('c:1'),
    ]) {
      const error: unknown = await call().catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'NOT_A_LOCK' })
      expect(String(error)).toContain(why)
    }
    expect(await redis.dumpBuffer(name)).toEqual(before)
  })

  it('has no fencing token, and ignores messages that are no number of permits', async () => {
    const holdfast = open()
    const held = await semaphoreOf(holdfast, 1).acquire()
    const waiting = semaphoreOf(holdfast, 1).acquire()
    await untilWaiting(holdfast)
    for (const message of ['-1', '0', 'x', '']) await redis.publish(channel(), message)
    await held.release()
    await (await waiting).release()
    expect(await freeOf()).toBe(1)
  })
})
