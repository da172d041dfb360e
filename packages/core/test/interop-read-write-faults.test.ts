import { join } from 'node:path'
import {
  countCommands,
  forkWorker,
  killClients,
  startRedis,
  uniqueName,
  until,
  type RedisServer,
} from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import {
  type Holdfast,
  InvalidArgumentError,
  LockLostError,
  LockTimeoutError,
  NotALockError,
  UpgradeError,
} from '../src/index.js'
import { scripts, type ScriptName } from '../src/redis/scripts/generated.js'
import {
  closeAfterTest,
  closeAll,
  openHoldfast,
  openProxy,
  openRedisClient,
  useOnce,
  type ClientOptions,
} from './support/clients.js'
import { minimumPermissions, usefulPermissions } from './support/permissions.js'
import { listen } from './support/redisson-client.js'
import {
  holdKey,
  readWriteChannel,
  RedissonReadWriteThread,
  type Side,
} from './support/redisson-read-write.js'
import { loadScripts, runs, runsOf } from './support/scripts.js'
import { timed } from './support/timed.js'
import { openTwoWays } from './support/two-ways.js'
import { untilLength } from './support/until-length.js'

let server: RedisServer
let redis: Redis
let name: string
let java: RedissonReadWriteThread

beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())

beforeEach(async () => {
  name = uniqueName('shared')
  redis = openRedisClient(server.url)
  java = new RedissonReadWriteThread(server, 'PUBLISH')
  await loadScripts(redis)
})
afterEach(closeAll)

/** Well below the lease of 30 s that no waiter may have to wait for, and generous to a slow machine. */
const promptlyMs = 3_000

const sides = ['read', 'write'] as const satisfies readonly Side[]

const open = (options: ClientOptions = {}, url = server.url): Holdfast =>
  openHoldfast(url, { ...options, interop: 'redisson' }).holdfast

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
    const { all } = await listen(server, 'PUBLISH', name, readWriteChannel(name))
    await byHand.acquire('a:1', side)
    expect(await byHand.release('a:1')).toBe(1)
    expect(await byHand.release('a:1')).toBe(0)
    expect(await leftovers()).toEqual([])
    await redis.publish(readWriteChannel(name), 'end')
    await untilLength(all, 2)
    expect(all).toEqual([side === 'read' ? '0' : '1', 'end'])
  })

  it('a downgrade, announced once; a stray request of before changes nothing', async () => {
    const { all } = await listen(server, 'PUBLISH', name, readWriteChannel(name))
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
    expect(await java.tryLock('read', name)).toBeNull()
    expect(await byHand.acquire('a:1', 'read')).toEqual([-2])
    await until(async () => (await byHand.acquire('a:1', 'read')) === 0, { what: 'the tombstone to end' })
    await byHand.release('a:1')
    await java.unlock('read', name)
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

  it.each(sides)('to a request for the %s side costs nothing', async (side) => {
    const { proxy, [side]: lock } = await proxied()
    const lost = proxy.loseReply(runs('redissonReadWriteAcquire', name))
    const lease = await lock.lock()
    await lost
    const field = side === 'read' ? lease.owner : `${lease.owner}:write`
    expect(await redis.hgetall(name)).toEqual({ mode: side, [field]: '1' })
    await lease.unlock()
    expect(await redis.exists(name)).toBe(0)
  })

  it.each(sides)('to a release of the %s side loses nothing', async (side) => {
    const { proxy, [side]: lock } = await proxied()
    const lease = await lock.lock()
    const lost = proxy.loseReply(runs('redissonReadWriteRelease', name))
    await lease.unlock()
    await lost
    expect(await redis.exists(name)).toBe(0)
  })

  it('to a downgrade leaves the read side held', async () => {
    const { proxy, read, write } = await proxied()
    const written = await write.lock()
    const nested = await written.run(() => read.lock())
    const lost = proxy.loseReply(runs('redissonReadWriteRelease', name))
    await written.unlock()
    await lost
    expect(await redis.hgetall(name)).toEqual({ mode: 'read', [nested.owner]: '1' })
    expect(nested.isHeld).toBe(true)
    await nested.unlock()
    expect(await redis.exists(name)).toBe(0)
  })

  it('to a single attempt that fails leaves no hold, and no trace but a tombstone', async () => {
    const { proxy, read } = await proxied()
    const lost = proxy.loseReply(runs('redissonReadWriteAcquire', name))
    proxy.blackHole('toServer')
    const attempt = read.tryLock({ waitMs: 300 }).catch((error: unknown) => error)
    await attempt
    proxy.heal()
    await lost
    await until(async () => (await redis.exists(name)) === 0, { what: 'the late hold to be given up' })
    expect(await java.tryLock('write', name)).toBeNull()
    await java.unlock('write', name)
  })
})

describe('waiters here', () => {
  it.each(['0', '1'])(
    'look after the message %s: each reader, and one writer of a client',
    async (message) => {
      await java.tryLock('write', name)
      const holdfast = open()
      const { read, write } = holdfast.getReadWriteLock(name)
      const waiting = [write, write, read, write, read].map((lock) => lock.lock())
      await untilWaiting(holdfast, 5)
      await useOnce(holdfast)
      const { counts } = await countCommands(server.url, async () => {
        await redis.publish(readWriteChannel(name), message)
        // Behind the replies to those requests.
        await until(async () => (await redis.pubsub('NUMSUB', readWriteChannel(name)))[1] === 1)
        for (let n = 0; n < 3; n++) await useOnce(holdfast)
      })
      expect(runsOf(counts, 'redissonReadWriteAcquire')).toBe(3)
      await java.unlock('write', name)
      await Promise.all(waiting.map(async (each) => (await each).unlock()))
    },
  )

  it('ignore messages that do not announce a release', async () => {
    await java.tryLock('write', name)
    const holdfast = open()
    const waiting = holdfast.getReadWriteLock(name).write.lock()
    await untilWaiting(holdfast)
    const { counts } = await countCommands(server.url, async () => {
      for (const message of ['2', '-1', 'x', '']) await redis.publish(readWriteChannel(name), message)
      for (let n = 0; n < 3; n++) await useOnce(holdfast)
    })
    expect(runsOf(counts, 'redissonReadWriteAcquire')).toBe(0)
    await java.unlock('write', name)
    await (await waiting).unlock()
  })

  it('pass a wake-up on that the woken one does not use', async () => {
    const { holdfast, replies, heard } = await openTwoWays(server, {
      interop: 'redisson',
      watchdogTimeoutMs: 600_000,
    })
    await useOnce(holdfast)
    const { write } = holdfast.getReadWriteLock(name)
    await java.tryLock('write', name, 600_000)
    const controller = new AbortController()
    const first = write.lock({ signal: controller.signal }).catch((error: unknown) => error)
    await untilWaiting(holdfast)
    const second = write.lock()
    await untilWaiting(holdfast, 2)
    // The first one looks while Java still has the lock, and gives up before it learns that.
    replies.blackHole('toClient')
    await redis.publish(readWriteChannel(name), '1')
    await until(() => heard.length === 1, { what: 'the first one to look' })
    await java.unlock('write', name)
    await until(() => heard.length === 2, { what: 'the release to arrive' })
    controller.abort(new Error('given up'))
    expect(await first).toEqual(new Error('given up'))
    replies.heal()
    const { result: lease, tookMs } = await timed(second, performance.now())
    expect(tookMs).toBeLessThan(promptlyMs)
    await lease.unlock()
  })

  it('find out by themselves that the lock is free: when its TTL ends', async () => {
    await java.tryLock('write', name, 1_000)
    const { tookMs } = await timed(open().getReadWriteLock(name).write.lock(), performance.now())
    expect(tookMs).toBeLessThan(1_000 + promptlyMs)
  })

  it('find out by themselves that the lock is free: within a third of the watchdog time', async () => {
    await java.tryLock('read', name)
    const holdfast = open({ watchdogTimeoutMs: 900 })
    const waiting = holdfast.getReadWriteLock(name).write.lock()
    await untilWaiting(holdfast)
    await redis.del(name)
    const { tookMs } = await timed(waiting, performance.now())
    expect(tookMs).toBeLessThan(promptlyMs)
  })

  it('find out what happened while their subscription was cut', async () => {
    await java.tryLock('write', name)
    const holdfast = open()
    const waiting = holdfast.getReadWriteLock(name).read.lock()
    await untilWaiting(holdfast)
    const releasedAt = performance.now()
    await killClients(server, ['pubsub'])
    await java.unlock('write', name)
    const { tookMs } = await timed(waiting, releasedAt)
    expect(tookMs).toBeLessThan(2 * promptlyMs)
  })

  it('outlive an outage, and enter the empty server', async () => {
    const own = await startRedis()
    closeAfterTest(() => own.stop())
    const other = new RedissonReadWriteThread(own, 'PUBLISH')
    await other.tryLock('write', name)
    const holdfast = open({}, own.url)
    const { read } = holdfast.getReadWriteLock(name)
    const waiting = [read.lock(), read.lock()]
    await untilWaiting(holdfast, 2)
    await own.kill()
    await own.restart()
    const leases = await Promise.all(waiting)
    expect(await other.tryLock('write', name)).toBeGreaterThan(0)
    for (const lease of leases) await lease.unlock()
  })

  it('time out, and leave nothing that keeps others out', async () => {
    await java.tryLock('read', name)
    const { read, write } = open().getReadWriteLock(name)
    await expect(write.lock({ waitMs: 100 })).rejects.toThrow(LockTimeoutError)
    await expect(write.lock({ waitMs: 50 })).rejects.toMatchObject({ holder: java.owner })
    await (await read.lock()).unlock()
    await java.unlock('read', name)
    expect(await java.tryLock('write', name)).toBeNull()
    await java.unlock('write', name)
    expect(await leftovers()).toEqual([])
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
    const { entered } = await java.wait('write', name)
    await entered
    worker.thaw()
    await worker.waitFor('lost')
    expect(await redis.hgetall(name)).toEqual({ mode: 'write', [`${java.owner}:write`]: '1' })
    await java.unlock('write', name)
  })

  it('whose process died are gone when the last reader leaves', async () => {
    const { read } = open().getReadWriteLock(name)
    const lease = await read.lock()
    await java.tryLock('read', name, 1_000)
    await until(async () => (await redis.exists(holdKey(name, java.owner))) === 0, { what: 'its end' })
    expect(await redis.hlen(name)).toBe(3)
    expect(await read.inspect()).toMatchObject({ holderCount: 2 })
    const writer = new RedissonReadWriteThread(server, 'PUBLISH')
    const { entered } = await writer.wait('write', name)
    await lease.unlock()
    const { tookMs } = await timed(entered, performance.now())
    expect(tookMs).toBeLessThan(promptlyMs)
    await writer.unlock('write', name)
  })

  it('leave the lock the TTL of those that stay', async () => {
    const { read } = open().getReadWriteLock(name)
    const lease = await read.lock()
    await java.tryLock('read', name, 10_000)
    expect(await redis.pttl(name)).toBeGreaterThan(25_000)
    await lease.unlock()
    expect(await redis.pttl(name)).toBeLessThanOrEqual(10_000)
    await java.unlock('read', name)
  })

  it('are not renewed once their hold has ended, though their field is still there', async () => {
    await java.tryLock('read', name)
    await byHand.acquire('a:1', 'read', 100)
    await until(async () => (await redis.exists(holdKey(name, 'a:1'))) === 0, { what: 'its end' })
    expect(await byHand.renew('a:1', 30_000)).toEqual([0])
    expect(await redis.exists(holdKey(name, 'a:1'))).toBe(0)
    await java.unlock('read', name)
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

  it('lose what the server lost, at the next renewal', async () => {
    const lease = await open({ watchdogTimeoutMs: 900 }).getReadWriteLock(name).read.lock()
    await redis.del(name, holdKey(name, lease.owner))
    await until(() => lease.signal.aborted, { what: 'the loss to be reported' })
    await expect(lease.unlock()).rejects.toThrow(LockLostError)
  })

  it('enter both sides again without a command, and never upgrade', async () => {
    const holdfast = open()
    await holdfast.getReadWriteLock(uniqueName('first-use')).read.withLock(() => undefined)
    const { read, write } = holdfast.getReadWriteLock(name)
    const { counts } = await countCommands(server.url, async () => {
      await write.withLock(() => write.withLock(() => read.withLock(() => undefined)))
      await read.withLock(async () => {
        await read.withLock(() => undefined)
        await expect(write.tryLock()).rejects.toThrow(UpgradeError)
      })
    })
    expect([...counts.values()]).toEqual([2, 2])
    expect(runsOf(counts, 'redissonReadWriteAcquire')).toBe(2)
    expect(runsOf(counts, 'redissonReadWriteRelease')).toBe(2)
  })

  it('have no fencing tokens, and their leases say so', async () => {
    const { read, write } = open().getReadWriteLock(name)
    for (const lock of [read, write]) {
      await lock.withLock((lease) => {
        expect(() => lease.fencingToken).toThrow(/read\/write lock/)
      })
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
    const holdfast = open({ watchdogTimeoutMs: 600 }, server.url.replace('//', '//sharer:secret@'))
    holdfast.on('warning', (warning) => problems.push(warning))
    holdfast.on('error', (error) => problems.push(error))
    const { read, write } = holdfast.getReadWriteLock(name)
    await java.tryLock('write', name)
    const waiting = [read.lock(), write.lock()]
    await untilWaiting(holdfast, 2)
    await java.unlock('write', name)
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

it('semaphores are refused before any command', () => {
  expect(() => open().getSemaphore(name, { permits: 2 })).toThrow(InvalidArgumentError)
})
