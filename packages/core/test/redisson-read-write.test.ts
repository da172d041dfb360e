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
import { type Holdfast, ReplicationError } from '../src/index.js'
import { closeAll } from './support/clients.js'
import { holdKey, OtherOwner } from './support/other-owner.js'
import { inCluster, onServer, type SharedTopology } from './support/shared-topologies.js'

let server: RedisServer
let cluster: RedisCluster
let name: string

beforeAll(async () => {
  ;[server, cluster] = await Promise.all([startRedis(), startCluster({ replicas: 1 })])
})
afterAll(() => Promise.all([server.stop(), cluster.stop()]))

beforeEach(() => {
  name = uniqueName('shared')
})
afterEach(closeAll)

const single = onServer(() => server)
const clustered = inCluster(() => cluster)
const topologies = [
  ['on a single server', single],
  ['in a cluster', clustered],
] as const

const sides = ['read', 'write'] as const
type Side = (typeof sides)[number]

const javaOf = async ({ home, publish }: SharedTopology) => new OtherOwner(await home(name), publish)

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

  it('shows who of the other library holds it, and on which side', async () => {
    const java = await javaOf(topology)
    const holdfast = topology.open()
    for (const side of sides) {
      await (side === 'read' ? java.tryRead(name) : java.tryWrite(name))
      const lock = lockOf(holdfast, side)
      expect(await lockOf(holdfast, side === 'read' ? 'write' : 'read').forceUnlock()).toBe(false)
      expect(await lock.inspect()).toMatchObject({
        isLocked: true,
        holderCount: 1,
        holder: { owner: java.owner, kind: `${side}-lock`, client: null },
      })
      expect(await lock.remainingMs()).toBeGreaterThan(20_000)
      expect(await lock.forceUnlock()).toBe(true)
      expect(await lock.isLocked()).toBe(false)
    }
  })

  it('evicts one reader only where the others are not to go', async () => {
    const [holdfast, java] = [topology.open(), await javaOf(topology)]
    const lease = await lockOf(holdfast, 'read').lock()
    await java.tryRead(name)
    const before = await lockOf(holdfast, 'read').inspect()
    expect(before.holders.map(({ owner }) => owner).sort()).toEqual([lease.owner, java.owner].sort())
    expect(before.holders.map(({ remainingMs }) => remainingMs > 20_000)).toEqual([true, true])
    expect(await lockOf(holdfast, 'read').forceUnlock()).toBe(true)
    expect(lease.signal.aborted).toBe(true)
    expect(await look((redis) => redis.keys(`*${name}*`))).toEqual([])
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
})
