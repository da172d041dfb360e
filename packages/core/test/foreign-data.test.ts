import { uniqueName } from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import { type Lock, NotALockError, RefusedError } from '../src/index.js'
import { closeAll, deleteAfterTest, openHoldfast } from './support/clients.js'
import { nextEvent } from './support/next-event.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()

afterEach(closeAll)

const foreign: [what: string, write: (redis: Redis, key: string) => Promise<unknown>, type: string][] = [
  ['a string', (redis, key) => redis.set(key, 'theirs'), 'string'],
  ['a string with a TTL', (redis, key) => redis.set(key, 'theirs', 'PX', 60_000), 'string'],
  ['a list', (redis, key) => redis.rpush(key, 'theirs'), 'list'],
  ['a set', (redis, key) => redis.sadd(key, 'theirs'), 'set'],
  ['a sorted set', (redis, key) => redis.zadd(key, 1, 'theirs'), 'zset'],
  ['a stream', (redis, key) => redis.xadd(key, '*', 'field', 'theirs'), 'stream'],
  ['a hash without a TTL', (redis, key) => redis.hset(key, 'field', 'theirs'), 'hash that never expires'],
]

const calls: [what: string, call: (lock: Lock) => Promise<unknown>][] = [
  ['lock', (lock) => lock.lock()],
  ['lock with a fixed lease', (lock) => lock.lock({ waitMs: 10_000, leaseMs: 1_000 })],
  ['tryLock', (lock) => lock.tryLock()],
  ['tryLock that would wait', (lock) => lock.tryLock({ waitMs: 10_000 })],
  ['withLock', (lock) => lock.withLock(() => 'not to be run')],
  ['isLocked', (lock) => lock.isLocked()],
  ['remainingMs', (lock) => lock.remainingMs()],
  ['inspect', (lock) => lock.inspect()],
  ['forceUnlock', (lock) => lock.forceUnlock()],
]

/** All keys of the server that have to do with this name, byte for byte, and how long they live. */
async function everythingOf(redis: Redis, name: string): Promise<unknown> {
  const keys = (await redis.keys(`*${name}*`)).sort()
  return Promise.all(
    keys.map(async (key) => {
      const [dump, ttlMs] = await Promise.all([redis.dumpBuffer(key), redis.pttl(key)])
      // A TTL runs on by itself; no script could shorten this one by seconds without setting it.
      return { key, dump: dump.toString('base64'), ttl: ttlMs < 0 ? ttlMs : Math.ceil(ttlMs / 30_000) }
    }),
  )
}

describe.each(foreign)('%s under the key of a lock', (_, write, type) => {
  it.each(calls)('is left alone by %s, which says what it found', async (__, call) => {
    const { holdfast, redis } = openHoldfast(server.url)
    const name = uniqueName('foreign')
    deleteAfterTest(redis, `lock:${name}`)
    await write(redis, `lock:${name}`)
    const before = await everythingOf(redis, name)
    const error = await call(holdfast.getLock(name)).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(NotALockError)
    expect(error).toHaveProperty('lockName', name)
    expect(error).toHaveProperty(
      'message',
      expect.stringContaining(`the name ${name} is already in use: the key lock:${name} holds a ${type};`),
    )
    expect(await everythingOf(redis, name)).toEqual(before)
  })
})

it('a hash with a TTL that another client wrote counts as held by the owner it names', async () => {
  const { holdfast, redis } = openHoldfast(server.url)
  const name = uniqueName('foreign')
  await redis.hset(`lock:${name}`, '8743c9c0-0795-4907-87fd-6c719a6b4586:1', 2)
  await redis.pexpire(`lock:${name}`, 60_000)
  const before = await everythingOf(redis, name)
  const lock = holdfast.getLock(name)
  await expect(lock.tryLock()).resolves.toBeNull()
  await expect(lock.isLocked()).resolves.toBe(true)
  await expect(lock.inspect()).resolves.toMatchObject({
    holder: { owner: '8743c9c0-0795-4907-87fd-6c719a6b4586:1', holdCount: 2, client: null },
  })
  expect(await everythingOf(redis, name)).toEqual(before)
})

describe('data that others put under the key while it was held', () => {
  it('is left alone by re-entry and by the release, which counts as a loss or says what it found', async () => {
    const { holdfast, redis } = openHoldfast(server.url)
    const name = uniqueName('foreign')
    const lease = await holdfast.getLock(name).lock()
    deleteAfterTest(redis, `lock:${name}`)
    await redis.set(`lock:${name}`, 'theirs')
    await expect(lease.run(() => holdfast.getLock(name).lock())).rejects.toBeInstanceOf(NotALockError)
    await expect(lease.unlock()).rejects.toBeInstanceOf(NotALockError)
    expect(await redis.get(`lock:${name}`)).toBe('theirs')
    expect(await redis.pttl(`lock:${name}`)).toBe(-1)
  })

  it('is left alone by the watchdog, which ends the hold', async () => {
    const { holdfast, redis } = openHoldfast(server.url, { watchdogTimeoutMs: 3_000 })
    const name = uniqueName('foreign')
    const lost = nextEvent(holdfast, 'lost')
    const lease = await holdfast.getLock(name).lock()
    deleteAfterTest(redis, `lock:${name}`)
    await redis.set(`lock:${name}`, 'theirs')
    await expect(lost).resolves.toMatchObject({ name, error: { reason: 'not-held' } })
    await expect(lease.unlock()).rejects.toMatchObject({ code: 'LOCK_LOST' })
    expect(await redis.get(`lock:${name}`)).toBe('theirs')
    expect(await redis.pttl(`lock:${name}`)).toBe(-1)
  })
})

it('data of something else beside a lock is left alone, and the refusal says what to do', async () => {
  const { holdfast, redis } = openHoldfast(server.url)
  const name = uniqueName('foreign')
  const key = `{lock:${name}}:waiters`
  deleteAfterTest(redis, key)
  await redis.set(key, 'theirs')
  const refusal = holdfast.getLock(name).lock()
  await expect(refusal).rejects.toBeInstanceOf(RefusedError)
  await expect(refusal).rejects.toThrow(
    /its queue, its waiters, its size or its last token\) has data of something else: delete that key/,
  )
  expect(await redis.get(key)).toBe('theirs')
})
