import {
  keysWithoutTtl,
  startCluster,
  startRedis,
  uniqueName,
  until,
  withRedis,
  type RedisCluster,
  type RedisServer,
} from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import { type Holdfast, LockLostError, ReplicationError } from '../src/index.js'
import { closeAll } from './support/clients.js'
import { inCluster, onServer, type InteropTopology } from './support/interop-topologies.js'
import { listen } from './support/redisson-client.js'
import {
  holdKey,
  readWriteChannel,
  RedissonReadWriteThread,
  type Side,
} from './support/redisson-read-write.js'
import { timed } from './support/timed.js'
import { untilLength } from './support/until-length.js'

let server: RedisServer
let cluster: RedisCluster
let name: string

beforeAll(async () => {
  ;[server, cluster] = await Promise.all([startRedis(), startCluster({ replicas: 1 })])
}, 60_000)
afterAll(() => Promise.all([server.stop(), cluster.stop()]))

beforeEach(() => {
  name = uniqueName('shared')
})
afterEach(closeAll)

/** Well below the lease of 30 s that no waiter may have to wait for, and generous to a slow machine. */
const promptlyMs = 3_000

const single = onServer(() => server)
const clustered = inCluster(() => cluster)
const topologies = [
  ['on a single server', single],
  ['in a cluster', clustered],
] as const

const sides = ['read', 'write'] as const satisfies readonly Side[]

const javaOf = async ({ home, publish }: InteropTopology) =>
  new RedissonReadWriteThread(await home(name), publish)

const lockOf = (holdfast: Holdfast, side: Side) => holdfast.getReadWriteLock(name)[side]

const untilWaiting = (holdfast: Holdfast, count = 1) =>
  until(() => holdfast.stats().waiters === count, { what: `${count} waiters` })

/** What of the lock is in Redis. */
const stateOf = (redis: Redis) => redis.hgetall(name)

describe.each(topologies)('a read/write lock shared with Redisson, %s,', (_, topology) => {
  const look = async <T>(fn: (redis: Redis) => Promise<T>): Promise<T> =>
    withRedis((await topology.home(name)).url, fn)

  it('has the form of Redisson, also after a downgrade, and leaves nothing', async () => {
    const { read, write } = topology.open().getReadWriteLock(name)
    const written = await write.lock({ leaseMs: 20_000 })
    const { owner } = written
    expect(await look(stateOf)).toEqual({ mode: 'write', [`${owner}:write`]: '1' })
    const nested = await written.run(() => read.lock())
    expect(await look(stateOf)).toEqual({ mode: 'write', [`${owner}:write`]: '1' })
    await written.unlock()
    expect(await look(stateOf)).toEqual({ mode: 'read', [owner]: '1' })
    const [ttlMs, holdTtlMs, hold] = await look((redis) =>
      Promise.all([redis.pttl(name), redis.pttl(holdKey(name, owner)), redis.get(holdKey(name, owner))]),
    )
    expect(hold).toBe('1')
    expect(Math.abs(ttlMs - holdTtlMs)).toBeLessThan(1_000)
    expect(ttlMs).toBeGreaterThan(15_000)
    const { owner: other } = await topology.open().getReadWriteLock(name).read.lock()
    expect(await look(stateOf)).toEqual({ mode: 'read', [owner]: '1', [other]: '1' })
    await nested.unlock()
    expect(await look(stateOf)).toEqual({ mode: 'read', [other]: '1' })
    await read.forceUnlock()
    expect(await look((redis) => redis.keys(`*${name}*`))).toEqual([])
  })

  it.each([
    ['read', 'read', true],
    ['read', 'write', false],
    ['write', 'read', false],
    ['write', 'write', false],
  ] as const)(
    'held on the %s side lets the other library in on the %s side: %p',
    async (held, wanted, isIn) => {
      const java = await javaOf(topology)
      const holdfast = topology.open()
      const lease = await lockOf(holdfast, held).lock()
      const ttlMs = await java.tryLock(wanted, name)
      expect(ttlMs === null).toBe(isIn)
      if (isIn) await java.unlock(wanted, name)
      else expect(ttlMs).toBeGreaterThan(20_000)
      await lease.unlock()
      expect(await java.tryLock(held, name)).toBeNull()
      const mine = await lockOf(holdfast, wanted).tryLock()
      expect(mine !== null).toBe(isIn)
      await mine?.unlock()
      await java.unlock(held, name)
      expect(await look((redis) => redis.exists(name))).toBe(0)
    },
  )

  it.each(sides)(
    'that Java releases on the %s side comes to all that may enter here, at once',
    async (side) => {
      const java = await javaOf(topology)
      await java.tryLock(side, name)
      const clients = [topology.open(), topology.open()]
      const waiting = clients.flatMap((client) => {
        const readers = side === 'write' ? [lockOf(client, 'read').lock(), lockOf(client, 'read').lock()] : []
        return [...readers, lockOf(client, 'write').lock()]
      })
      const inTurn = waiting.map(async (each) => (await each).unlock())
      for (const client of clients) await untilWaiting(client, waiting.length / 2)
      const releasedAt = performance.now()
      await java.unlock(side, name)
      const { tookMs } = await timed(Promise.all(inTurn), releasedAt)
      expect(tookMs).toBeLessThan(promptlyMs)
    },
  )

  it.each(sides)('that is released here on the %s side comes to waiters of Java at once', async (side) => {
    const lease = await lockOf(topology.open(), side).lock()
    const [writer, reader] = [await javaOf(topology), await javaOf(topology)]
    const writing = await writer.wait('write', name)
    const reading = side === 'write' ? await reader.wait('read', name) : undefined
    const releasedAt = performance.now()
    await lease.unlock()
    const first = await Promise.race([
      writing.entered.then(() => writer),
      ...(reading ? [reading.entered.then(() => reader)] : []),
    ])
    expect(performance.now() - releasedAt).toBeLessThan(promptlyMs)
    await first.unlock(first === writer ? 'write' : 'read', name)
    await Promise.all([writing.entered, reading?.entered])
    expect(performance.now() - releasedAt).toBeLessThan(promptlyMs)
  })

  it('that is downgraded here comes to waiting readers of Java and of ours at once, and to no writer', async () => {
    const { read, write } = topology.open().getReadWriteLock(name)
    const { all } = await listen(await topology.home(name), topology.publish, name, readWriteChannel(name))
    const written = await write.lock()
    const nested = await written.run(() => read.lock())
    const java = await javaOf(topology)
    const reading = await java.wait('read', name)
    const other = topology.open()
    const alsoReading = lockOf(other, 'read').lock()
    const writing = lockOf(other, 'write').lock()
    await untilWaiting(other, 2)
    const downgradedAt = performance.now()
    await written.unlock()
    const [, lease] = await Promise.all([reading.entered, alsoReading])
    expect(performance.now() - downgradedAt).toBeLessThan(promptlyMs)
    expect(other.stats().waiters).toBe(1)
    await java.unlock('read', name)
    await lease.unlock()
    await nested.unlock()
    await (await writing).unlock()
    await untilLength(all, 3)
    expect(all).toEqual(['1', '0', '1'])
  })

  it('that Java downgrades comes to a reader here by the next look at the latest', async () => {
    const java = await javaOf(topology)
    await java.tryLock('write', name)
    await java.tryLock('read', name)
    const holdfast = topology.open({ watchdogTimeoutMs: 900 })
    const reading = lockOf(holdfast, 'read').lock()
    await untilWaiting(holdfast)
    await java.unlock('write', name)
    const lease = await reading
    expect(await java.tryLock('write', name)).toBeGreaterThan(0)
    await lease.unlock()
    await java.unlock('read', name)
  })

  it.each(sides)('is freed by forceUnlock here, whichever library holds its %s side', async (side) => {
    const java = await javaOf(topology)
    await java.tryLock(side, name)
    const holdfast = topology.open()
    const lock = lockOf(holdfast, side)
    expect(await lockOf(holdfast, side === 'read' ? 'write' : 'read').forceUnlock()).toBe(false)
    expect(await lock.inspect()).toMatchObject({
      isLocked: true,
      holderCount: 1,
      holder: { owner: java.owner, kind: `${side}-lock`, client: null },
    })
    expect(await lock.remainingMs()).toBeGreaterThan(20_000)
    expect(await lock.forceUnlock()).toBe(true)
    await expect(java.unlock(side, name)).rejects.toThrow('does not hold')
    const lease = await lock.lock()
    const waiter = await javaOf(topology)
    const { entered } = await waiter.wait('write', name)
    expect(await lockOf(topology.open(), side).forceUnlock()).toBe(true)
    await entered
    await until(() => lease.signal.aborted, { what: 'the eviction to be reported' })
    await waiter.unlock('write', name)
    expect(await lock.isLocked()).toBe(false)
  })

  it('evicts one reader only where the others are not to go', async () => {
    const [holdfast, java] = [topology.open(), await javaOf(topology)]
    const lease = await lockOf(holdfast, 'read').lock()
    await java.tryLock('read', name)
    await java.tryLock('read', name)
    const before = await lockOf(holdfast, 'read').inspect()
    expect(before.holders.map(({ owner }) => owner).sort()).toEqual([lease.owner, java.owner].sort())
    expect(before.holders.map(({ remainingMs }) => remainingMs > 20_000)).toEqual([true, true])
    expect(await lockOf(holdfast, 'read').forceUnlock()).toBe(true)
    expect(lease.signal.aborted).toBe(true)
    expect(await look((redis) => redis.keys(`*${name}*`))).toEqual([])
  })

  it.each(sides)('is lost at the next renewal when Java forces its %s side free', async (side) => {
    const java = await javaOf(topology)
    const lease = await lockOf(topology.open({ watchdogTimeoutMs: 900 }), side).lock()
    expect(await java.forceUnlock(side, name)).toBe(true)
    await until(() => lease.signal.aborted, { what: 'the loss to be reported' })
    await expect(lease.unlock()).rejects.toThrow(LockLostError)
  })

  it('has no key without a TTL, held or waited for', async () => {
    const holdfast = topology.open()
    const { read, write } = holdfast.getReadWriteLock(name)
    const leases = [await read.lock(), await read.lock()]
    const writing = write.lock()
    await untilWaiting(holdfast)
    const { url } = await topology.home(name)
    expect((await keysWithoutTtl(url, '*')).filter((key) => key.includes(name))).toEqual([])
    for (const lease of leases) await lease.unlock()
    await (await writing).unlock()
    expect(await look((redis) => redis.keys(`*${name}*`))).toEqual([])
  })

  it('is handed out only once replicas have it, where they are wanted', async () => {
    const holdfast = topology.open({ minReplicas: 1, replicaTimeoutMs: 500 })
    for (const side of sides) {
      const lease = lockOf(holdfast, side).lock({ waitMs: 5_000 })
      if (topology === clustered) await (await lease).unlock()
      else await expect(lease).rejects.toThrow(ReplicationError)
      await until(async () => (await look((redis) => redis.exists(name))) === 0, { what: 'its release' })
    }
  })

  it('is renewed for as long as each side is held', async () => {
    const holdfast = topology.open({ watchdogTimeoutMs: 900 })
    for (const side of sides) {
      const lease = await lockOf(holdfast, side).lock()
      let renewals = 0
      holdfast.on('renewed', () => renewals++)
      await until(() => renewals >= 4, { what: 'four renewals' })
      expect(lease.isHeld).toBe(true)
      const hold = await look((redis) => redis.pttl(holdKey(name, lease.owner)))
      if (side === 'read') expect(hold).toBeGreaterThan(300)
      await lease.unlock()
    }
  })
})
