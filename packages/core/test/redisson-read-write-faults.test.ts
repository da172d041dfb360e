import { join } from 'node:path'
import { forkWorker, uniqueName, until } from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import { type Holdfast, LockLostError, NotALockError } from '../src/index.js'
import { closeAfterTest, closeAll, openProxy, openRedisClient } from './support/clients.js'
import { openShared, type SharedOptions } from './support/open-shared.js'
import { minimumPermissions, usefulPermissions } from './support/permissions.js'
import { holdKey, OtherOwner } from './support/other-owner.js'
import { listen, readWriteChannel } from './support/redisson-channels.js'
import { loadScripts, runs, scripts, type ScriptName } from './support/scripts.js'
import { untilLength } from './support/until-length.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()
let redis: Redis
let name: string
let java: OtherOwner

beforeEach(async () => {
  name = uniqueName('shared')
  redis = openRedisClient(server.url)
  java = new OtherOwner(server, 'PUBLISH')
  await loadScripts(redis)
})
afterEach(closeAll)

const sides = ['read', 'write'] as const
type Side = (typeof sides)[number]

const open = (options: SharedOptions = {}, url = server.url): Holdfast => openShared(url, options)

const untilWaiting = (holdfast: Holdfast, count = 1) =>
  until(() => holdfast.stats().waiters === count, { what: `${count} waiters` })

const leftovers = () => redis.keys(`*${name}*`)

/** Runs scripts by hand, as a packet that was under way for long would. */
const byHand = {
  acquire: (owner: string, side: Side, leaseMs = 20_000) =>
    run('redissonReadWriteAcquire', owner, [side, leaseMs, 0]),
  release: (owner: string, left: 0 | 1 = 0, ...tombstoneMs: number[]) =>
    run('redissonReadWriteRelease', owner, [
      left,
      `{${name}}`,
      'PUBLISH',
      readWriteChannel(name),
      ...tombstoneMs,
    ]),
  renew: (owner: string, leaseMs: number) => run('redissonReadWriteRenew', owner, [leaseMs]),
  force: (owner: string) =>
    run('redissonReadWriteForce', owner, ['nobody', `{${name}}`, 'PUBLISH', readWriteChannel(name)]),
}

/** How many of the keys of `run` a script has, if not all. */
const countOf: Partial<Record<ScriptName, number>> = { redissonReadWriteRenew: 2, redissonReadWriteForce: 1 }

function run(script: ScriptName, owner: string, args: (string | number)[]): Promise<unknown> {
  const keys = [name, holdKey(name, owner), `{${name}}:rw:gone:${owner}`]
  const count = countOf[script] ?? 3
  return redis.eval(scripts[script].lua, count, ...keys.slice(0, count), owner, ...args)
}

/** Everything of the lock, without its TTLs. */
async function state(): Promise<unknown> {
  const keys = (await leftovers()).sort()
  return Promise.all(keys.map(async (key) => [key, (await redis.dumpBuffer(key)).toString('hex')]))
}

describe('a step that is carried out twice has the effect and the reply of one:', () => {
  it.each(sides)('a request for the %s side', async (side) => {
    expect(await byHand.acquire('a:1', side, 20_000)).toBe(0)
    const once = await state()
    expect(await byHand.acquire('a:1', side, 10_000)).toBe(0)
    expect(await state()).toEqual(once)
    expect(await redis.pttl(name)).toBeGreaterThan(15_000)
    expect(await byHand.acquire('a:1', side, 40_000)).toBe(0)
    expect(await redis.pttl(name)).toBeGreaterThan(35_000)
    if (side === 'read') expect(await redis.pttl(holdKey(name, 'a:1'))).toBeGreaterThan(35_000)
  })

  it.each(sides)('a release of the %s side, announced once', async (side) => {
    const all = await listen(server, 'PUBLISH', readWriteChannel(name))
    await byHand.acquire('a:1', side)
    expect(await byHand.release('a:1')).toBe(1)
    expect(await byHand.release('a:1')).toBe(0)
    expect(await leftovers()).toEqual([])
    await redis.publish(readWriteChannel(name), 'end')
    await untilLength(all, 2)
    expect(all).toEqual([side === 'read' ? '0' : '1', 'end'])
  })

  it('a downgrade, announced once; a stray request of before changes nothing', async () => {
    const all = await listen(server, 'PUBLISH', readWriteChannel(name))
    await byHand.acquire('a:1', 'write')
    expect(await byHand.release('a:1', 1)).toBe(1)
    const once = await state()
    expect(await byHand.release('a:1', 1)).toBe(1)
    expect(await byHand.acquire('a:1', 'write')).toEqual([-1])
    expect(await state()).toEqual(once)
    expect(await byHand.release('a:1')).toBe(1)
    expect(await byHand.release('a:1', 1)).toBe(0)
    await untilLength(all, 2)
    expect(all).toEqual(['1', '0'])
  })

  it('a renewal, which never shortens a lease', async () => {
    await byHand.acquire('a:1', 'read', 20_000)
    for (const leaseMs of [30_000, 30_000, 1]) expect(await byHand.renew('a:1', leaseMs)).toEqual([1])
    for (const key of [name, holdKey(name, 'a:1')]) expect(await redis.pttl(key)).toBeGreaterThan(25_000)
    expect(await byHand.renew('b:1', 40_000)).toEqual([0])
    expect(await redis.pttl(name)).toBeLessThan(31_000)
  })

  it.each(sides)('an eviction from the %s side', async (side) => {
    await byHand.acquire('a:1', side)
    expect(await byHand.force('b:1')).toBe(0)
    expect(await byHand.force('a:1')).toBe(1)
    expect(await byHand.force('a:1')).toBe(0)
    expect(await leftovers()).toEqual([])
  })

  it('an abandonment, after which late requests are refused until its tombstone ends', async () => {
    expect(await byHand.release('a:1', 0, 5_000)).toBe(0)
    for (const side of sides) expect(await byHand.acquire('a:1', side)).toEqual([-2])
    expect(await byHand.release('a:1', 0, 300)).toBe(0)
    expect(await redis.exists(name)).toBe(0)
    expect(await java.tryRead(name)).toBeNull()
    expect(await byHand.acquire('a:1', 'read')).toEqual([-2])
    await until(async () => (await byHand.acquire('a:1', 'read')) === 0, { what: 'the tombstone to end' })
    await byHand.release('a:1')
    await java.unlockRead(name)
  })
})

describe('a reply that is lost', () => {
  /** A client whose connections can be cut, ready for requests of one command each. */
  async function proxied() {
    const proxy = await openProxy(server)
    const holdfast = open({}, proxy.url)
    await holdfast.getReadWriteLock(uniqueName('first-use')).read.withLock(() => undefined)
    return { proxy, ...holdfast.getReadWriteLock(name) }
  }

  it('to a single attempt that fails leaves no hold, and no trace but a tombstone', async () => {
    const { proxy, read } = await proxied()
    const lost = proxy.loseReply(runs('redissonReadWriteAcquire', name))
    proxy.blackHole('toServer')
    const attempt = read.tryLock({ waitMs: 300 }).catch((error: unknown) => error)
    await attempt
    proxy.heal()
    await lost
    await until(async () => (await redis.exists(name)) === 0, { what: 'the late hold to be given up' })
    expect(await java.tryWrite(name)).toBeNull()
    await java.unlockWrite(name)
  })
})

describe('holders', () => {
  it.each(sides)('that are frozen on the %s side lose their hold to Java, and find out', async (side) => {
    const file = join(__dirname, 'workers/shared-lock-waiter.mjs')
    const args = [server.url, name, side, JSON.stringify({ watchdogTimeoutMs: 1_000 })]
    const worker = await forkWorker(file, { args })
    closeAfterTest(() => worker.kill())
    await worker.waitFor('acquired')
    await worker.freeze()
    await until(async () => (await java.tryWrite(name)) === null, { what: 'the hold to end' })
    worker.thaw()
    await worker.waitFor('lost')
    expect(await redis.hgetall(name)).toEqual({ mode: 'write', [`${java.owner}:write`]: '1' })
    await java.unlockWrite(name)
  })

  it('whose process died are gone when the last reader leaves', async () => {
    const { read } = open().getReadWriteLock(name)
    const lease = await read.lock()
    await java.tryRead(name, 1_000)
    await until(async () => (await redis.exists(holdKey(name, java.owner))) === 0, { what: 'its end' })
    expect(await redis.hlen(name)).toBe(3)
    expect(await read.inspect()).toMatchObject({ holderCount: 2 })
    await lease.unlock()
    expect(await java.tryWrite(name)).toBeNull()
    await java.unlockWrite(name)
  })

  it('leave the lock the TTL of those that stay', async () => {
    const { read } = open().getReadWriteLock(name)
    const lease = await read.lock()
    await java.tryRead(name, 10_000)
    expect(await redis.pttl(name)).toBeGreaterThan(25_000)
    await lease.unlock()
    expect(await redis.pttl(name)).toBeLessThanOrEqual(10_000)
    await java.unlockRead(name)
  })

  it('are not renewed once their hold has ended, though their field is still there', async () => {
    await byHand.acquire('b:1', 'read')
    await byHand.acquire('a:1', 'read', 100)
    await until(async () => (await redis.exists(holdKey(name, 'a:1'))) === 0, { what: 'its end' })
    expect(await byHand.renew('a:1', 30_000)).toEqual([0])
    expect(await redis.exists(holdKey(name, 'a:1'))).toBe(0)
    await byHand.release('b:1')
    expect(await redis.exists(name)).toBe(0)
  })

  it.each(sides)(
    'may not have a lease on the %s side that outlasts those of readers in Java',
    async (side) => {
      const holdfast = open({ watchdogTimeoutMs: 5_000 })
      const { [side]: lock } = holdfast.getReadWriteLock(name)
      const refused = /at most watchdogTimeoutMs \(5000\), got 5001/
      await expect(lock.lock({ leaseMs: 5_001 })).rejects.toThrow(refused)
      const lease = await lock.lock({ leaseMs: 5_000 })
      await expect(lease.extend(5_001)).rejects.toThrow(refused)
      expect(lease.isHeld).toBe(true)
      await lease.unlock()
      await holdfast.getLock(`${name}-other`).withLock({ leaseMs: 6_000 }, () => undefined)
      expect(await leftovers()).toEqual([])
    },
  )

  it('have no fencing tokens, and their leases say so', async () => {
    const { read, write } = open().getReadWriteLock(name)
    for (const lock of [read, write]) {
      await lock.withLock((lease) => expect(() => lease.fencingToken).toThrow(/read\/write lock/))
    }
  })
})

describe('a key of another form', () => {
  const foreign: [what: string, write: () => Promise<unknown>, found: string][] = [
    ['a string', () => redis.set(name, 'theirs', 'PX', 60_000), 'string'],
    [
      'a lock',
      () =>
        redis.eval("redis.call('HSET', KEYS[1], 'a:1', 1) redis.call('PEXPIRE', KEYS[1], 60000)", 1, name),
      'hash of another object',
    ],
    ['a hash without a TTL', () => redis.hset(name, 'mode', 'read', 'a:1', '1'), 'hash that never expires'],
  ]

  it.each(foreign)('%s is left alone, and named', async (_, write, found) => {
    await write()
    closeAfterTest(() => redis.del(name))
    const before = await state()
    const { read, write: writing } = open().getReadWriteLock(name)
    for (const lock of [read, writing]) {
      const calls = [lock.lock(), lock.tryLock(), lock.isLocked(), lock.inspect(), lock.forceUnlock()]
      for (const each of await Promise.allSettled<unknown>(calls)) {
        expect(each).toMatchObject({ status: 'rejected', reason: expect.any(NotALockError) as unknown })
        expect(String(each.status === 'rejected' && each.reason)).toContain(
          `the key ${name} holds a ${found}`,
        )
      }
    }
    expect(await byHand.release('a:1')).toMatchObject({ 0: -3 })
    expect(await byHand.renew('a:2', 1_000)).toEqual([found === 'string' ? -3 : 0])
    expect(await state()).toEqual(before)
  })
})

describe('a user with only the permissions it needs', () => {
  const permissions = [
    ...minimumPermissions.filter((permission) => !/^[~&]/.test(permission)),
    ...usefulPermissions,
    '~shared-*',
    '~{shared-*',
    '~holdfast:client:*',
    '&holdfast:inbox:*',
    '&redisson_rwlock:{shared-*',
    '+unsubscribe',
  ]

  it('can share a read/write lock', async () => {
    await server.call('ACL', 'SETUSER', 'sharer', 'reset', 'on', '>secret', 'resetchannels', ...permissions)
    const problems: unknown[] = []
    const holdfast = open({ watchdogTimeoutMs: 3_000 }, server.url.replace('//', '//sharer:secret@'))
    holdfast.on('warning', (warning) => problems.push(warning))
    holdfast.on('error', (error) => problems.push(error))
    const { read, write } = holdfast.getReadWriteLock(name)
    await java.tryWrite(name)
    const waiting = [read.lock(), write.lock()]
    await untilWaiting(holdfast, 2)
    await java.unlockWrite(name)
    await Promise.all(
      waiting.map(async (each) => {
        const lease = await each
        await read.inspect()
        await lease.unlock()
      }),
    )
    await read
      .withLock(() => read.forceUnlock())
      .catch((error: unknown) => expect(error).toBeInstanceOf(LockLostError))
    const listeners = async () => (await redis.pubsub('NUMSUB', readWriteChannel(name)))[1]
    await until(async () => (await listeners()) === 0, { what: 'the subscription to end' })
    expect(problems).toEqual([])
  })
})
