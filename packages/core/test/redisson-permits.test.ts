import { uniqueName, until } from '@holdfast/testkit'
import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'
import { type Holdfast } from '../src/index.js'
import { scripts } from '../src/redis/redisson/generated.js'
import { closeAll, deleteAfterTest, openProxy, openRedisClient, useOnce } from './support/clients.js'
import { openShared, type SharedOptions } from './support/open-shared.js'
import { loadScripts } from './support/scripts.js'
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
const channel = () => `redisson_sc:{${name}}`

const untilWaiting = (holdfast: Holdfast, count = 1) =>
  until(() => holdfast.stats().waiters === count, { what: `${count} waiters` })

describe('an RPermitExpirableSemaphore', () => {
  const open = (options: SharedOptions = {}, url = server.url): Holdfast =>
    openShared(url, { ...options, semaphores: 'RPermitExpirableSemaphore' })
  const semaphoreOf = (holdfast: Holdfast, permits = 3) => holdfast.getSemaphore(name, { permits })

  it('has an id of 16 bytes for each permit, in the form of Redisson', async () => {
    const lease = await semaphoreOf(open()).acquire({ permits: 2, leaseMs: 20_000 })
    const entries = await redis.zrangeBuffer(idsKey(), 0, '-1', 'WITHSCORES')
    const ids = entries.filter((_, n) => n % 2 === 0)
    const digest = (n: number) => createHash('sha1').update(`${lease.owner} ${n}`).digest().subarray(0, 16)
    expect(ids.map((id) => id.toString('hex')).sort()).toEqual(
      [digest(1), digest(2)].map((id) => id.toString('hex')).sort(),
    )
    await lease.release(1)
    expect(await redis.zrangeBuffer(idsKey(), 0, '-1')).toEqual([digest(1)])
    await lease.release()
    expect(await redis.exists(idsKey())).toBe(0)
  })

  it('is lost when Java ends one of its permits, and the others return', async () => {
    const lease = await semaphoreOf(open({ watchdogTimeoutMs: 3_000 })).acquire({ permits: 3 })
    const [id = Buffer.alloc(0)] = await redis.zrangeBuffer(idsKey(), 0, '0')
    await redis.zrem(idsKey(), id)
    await redis.incr(name)
    await until(() => lease.signal.aborted, { what: 'the loss' })
    expect(await redis.get(name)).toBe('3')
    await expect(lease.release()).rejects.toMatchObject({ code: 'LOCK_LOST' })
    expect(await redis.get(name)).toBe('3')
  })

  it("shows Java's permits by their ids, and ends them by these", async () => {
    await redis.set(name, 1)
    const [id, other] = [Buffer.alloc(16, 0xab), Buffer.alloc(16, 0xcd)]
    await redis.zadd(idsKey(), Date.now() + 60_000, id, neverEnds, other)
    const semaphore = semaphoreOf(open())
    const { permits, available, holders, holderCount } = await semaphore.inspect()
    expect([permits, available, holderCount]).toEqual([3, 1, 2])
    expect(holders).toMatchObject([
      { owner: id.toString('hex'), permits: 1 },
      { owner: other.toString('hex'), permits: 1, remainingMs: Infinity },
    ])
    expect(await semaphore.forceRelease(id.toString('hex'))).toBe(true)
    expect(await semaphore.forceRelease(id.toString('hex'))).toBe(false)
    expect(await semaphore.available()).toBe(2)
  })

  it('keeps the TTL that Java gave the semaphore', async () => {
    await redis.set(name, 3, 'PX', 50_000)
    const lease = await semaphoreOf(open()).acquire({ permits: 2 })
    expect(await redis.pttl(name)).toBeGreaterThan(40_000)
    expect(await redis.pttl(idsKey())).toBeGreaterThan(40_000)
    await lease.release()
  })

  it('is resized once when the reply is lost, evicts nobody, and lets in waiters', async () => {
    await loadScripts(redis)
    const proxy = await openProxy(server)
    const holdfast = open({}, proxy.url)
    await useOnce(holdfast)
    const lease = await semaphoreOf(holdfast).acquire({ permits: 3 })
    await semaphoreOf(holdfast).resize(1)
    expect(await redis.get(name)).toBe('-2')
    expect(await semaphoreOf(holdfast).available()).toBe(0)
    const waiting = semaphoreOf(holdfast).acquire()
    await untilWaiting(holdfast)
    await semaphoreOf(holdfast).resize(4)
    const next = await waiting
    expect(await redis.get(name)).toBe('0')
    await Promise.all([lease.release(), next.release()])
    const resize = (...args: (string | number)[]) => {
      const keys = [name, holdsKey(), endsKey(), idsKey(), `{${name}}:semaphore:size`]
      return redis.eval(
        scripts.redissonPermitsResize.lua,
        keys.length,
        ...keys,
        ...args,
        'PUBLISH',
        channel(),
      )
    }
    expect(await resize(9, 1_000, 2, 'a')).toEqual([1, 3, 9])
    await redis.decrby(name, 1)
    expect(await resize(9, 1_000, 2, 'a')).toEqual([1, 3, 9])
    expect(await resize(5, 1_000, 2, 'late')).toEqual([0, 3, 5])
    expect(await redis.get(name)).toBe('8')
  })
})
