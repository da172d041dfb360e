import { countCommands, startCluster, until, uniqueName, type RedisCluster } from '@holdfast/testkit'
import { Cluster, Redis } from 'ioredis'
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis5'
import { type Holdfast, RefusedError, ReplicationError, type Lease } from '../src/index.js'
import { closeAfterTest, closeAll, openClient, openHoldfast, openRedisClient } from './support/clients.js'
import { connectionsOf } from './support/connections-of.js'
import { makeRedisUser } from './support/redis-user.js'
import { minimumPermissions } from './support/permissions.js'
import { runsOf } from './support/scripts.js'
import type { ScriptName } from '../src/redis/scripts/generated.js'

import {
  begin,
  hasty,
  patient,
  untilReplicasAwaited,
  useReplicaPair,
  type Call,
} from './support/replica-pair.js'

describe('with minReplicas', () => {
  const pair = useReplicaPair()
  const { server } = pair

  /** Begins a call, so that the replica hears nothing of the lock that it is granted. */
  const ways: [how: string, beginCall: (holdfast: Holdfast) => Promise<Call<Lease>>][] = [
    [
      'that was free',
      async (holdfast) => {
        await pair.replica.freeze()
        return begin(holdfast.getLock(pair.name).lock())
      },
    ],
    [
      'that a release handed over',
      async (holdfast) => {
        const { held, call } = await pair.waiter(holdfast)
        await pair.replica.freeze()
        await held.unlock()
        return call
      },
    ],
    [
      'that a release handed over for a long lease',
      async (holdfast) => {
        const { held, call } = await pair.waiter(holdfast, { leaseMs: 60_000 })
        await pair.replica.freeze()
        await held.unlock()
        return call
      },
    ],
    [
      'that was asked for again when its holder was gone',
      async (holdfast) => {
        const { call } = await pair.waiter(holdfast, { heldForMs: 500 })
        await pair.replica.freeze()
        return call
      },
    ],
  ]

  describe.each(ways)('a lock %s', (_, beginCall) => {
    it('is handed out when the replica has it', async () => {
      const holdfast = await pair.open(patient)
      const call = await beginCall(holdfast)
      await untilReplicasAwaited(server)
      expect(call.isSettled).toBe(false)
      await pair.replica.thaw()
      const lease = await call.result
      expect(await openRedisClient(pair.replica.url).hgetall(pair.inRedis.key)).toEqual({
        [lease.owner]: '1',
      })
      await lease.unlock()
      await pair.inRedis.untilFree()
    })

    it('is released again when the replica has not received it in time', async () => {
      const holdfast = await pair.open(hasty)
      const call = await beginCall(holdfast)
      const error = await call.end
      expect(error).toBeInstanceOf(ReplicationError)
      expect(error).toMatchObject({ code: 'REPLICATION', lockName: pair.name, wanted: 1, acknowledged: 0 })
      await pair.inRedis.untilFree()
      expect({ queue: await pair.inRedis.queue(), gone: await pair.inRedis.gone() }).toEqual({
        queue: [],
        gone: [],
      })
      expect(holdfast.stats()).toMatchObject({ holds: 0, waiters: 0 })
    })
  })

  describe('objects that several owners hold', () => {
    it('are handed out when the replica has the hold', async () => {
      const holdfast = await pair.open(patient)
      const reader = await holdfast.getReadWriteLock(pair.name).read.lock()
      const permits = await holdfast.getSemaphore(pair.name, { permits: 3 }).acquire({ permits: 2 })
      const onReplica = openRedisClient(pair.replica.url)
      expect(await onReplica.hget(`{lock:${pair.name}}:rw`, reader.owner)).toBe(`1 ${reader.fencingToken}`)
      expect(await onReplica.hget(`{lock:${pair.name}}:semaphore`, permits.owner)).toMatch(/^2 \d+$/)
      await Promise.all([reader.unlock(), permits.release()])
    })

    it('are released again when the replica has not received the hold in time', async () => {
      const holdfast = await pair.open(hasty)
      const { write } = holdfast.getReadWriteLock(pair.name)
      const semaphore = holdfast.getSemaphore(pair.name, { permits: 3 })
      await pair.replica.freeze()
      const errors = await Promise.all([begin(write.lock()).end, begin(semaphore.acquire()).end])
      for (const error of errors) {
        expect(error).toMatchObject({ code: 'REPLICATION', lockName: pair.name, wanted: 1, acknowledged: 0 })
      }
      await until(async () => (await semaphore.available()) === 3 && !(await write.isLocked()))
    })
  })

  it.each([
    ['ioredis 5', () => new Redis5(server.url, { lazyConnect: true })],
    ['RESP2', () => new Redis(server.url, { lazyConnect: true, protocol: 2 })],
    ['a short time-out of sockets', () => new Redis(server.url, { lazyConnect: true, socketTimeout: 100 })],
    ['numbers as strings', () => new Redis(server.url, { lazyConnect: true, stringNumbers: true })],
  ])('it works by way of %s', async (_, makeTemplate) => {
    const holdfast = openClient(makeTemplate(), patient)
    const errors: Error[] = []
    holdfast.on('error', (error) => errors.push(error))
    const lock = holdfast.getLock(pair.name)
    await lock.withLock(() => undefined)
    await pair.replica.freeze()
    const call = begin(lock.lock())
    await untilReplicasAwaited(server)
    const since = performance.now()
    await until(() => performance.now() > since + 300)
    expect({ isSettled: call.isSettled, errors }).toEqual({ isSettled: false, errors: [] })
    await pair.replica.thaw()
    await (await call.result).unlock()
  })

  it('says how many replicas there are when they are too few', async () => {
    const { holdfast } = openHoldfast(server.url, { minReplicas: 2, replicaTimeoutMs: 200 })
    const error: unknown = await holdfast
      .getLock(pair.name)
      .tryLock()
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'REPLICATION', lockName: pair.name, wanted: 2, acknowledged: 1 })
    const text =
      /^\S+ was granted to \S+ and released again: 1 of 2 required replicas .* 200 ms \(1 connected\)/
    expect(error).toHaveProperty('message', expect.stringMatching(text))
    await pair.inRedis.untilFree()
  })

  it('says so at once when it may not wait for replicas', async () => {
    const url = await makeRedisUser(server, [...minimumPermissions, '+info'])
    const holdfast = openClient(url, patient)
    await expect(holdfast.getLock(pair.name).lock()).rejects.toThrow(RefusedError)
    await pair.inRedis.untilFree()
    await server.call('ACL', 'SETUSER', new URL(url).username, '+wait')
    await expect(holdfast.getLock(pair.name).withLock(() => 'served')).resolves.toBe('served')
  })

  it('takes the longest time-outs there are', async () => {
    const longest = 2 ** 31 - 1
    const { holdfast } = openHoldfast(server.url, {
      ...patient,
      replicaTimeoutMs: longest,
      commandTimeoutMs: longest,
    })
    await pair.replica.freeze()
    const call = begin(holdfast.getLock(pair.name).tryLock())
    await untilReplicasAwaited(server)
    const since = performance.now()
    await until(() => performance.now() > since + 200)
    expect(call.isSettled).toBe(false)
    await pair.replica.thaw()
    expect(await call.result).not.toBeNull()
  })

  it('costs one more acquire and a WAIT per hold, and nothing more for re-entry', async () => {
    const lock = (await pair.open(patient)).getLock(pair.name)
    const { counts } = await countCommands(server.url, () =>
      lock.withLock(() => lock.withLock(() => undefined)),
    )
    const of = (script: ScriptName) => runsOf(counts, script)
    expect([of('lockAcquire'), counts.get('wait'), of('lockSetCount'), of('lockRelease')]).toEqual([
      2, 1, 2, 1,
    ])
  })

  it.each([
    ['three connections with it', patient, 3],
    ['two without', {}, 2],
  ])('a client has %s', async (_, options, expected) => {
    const { clientId } = await pair.open(options)
    await expect(connectionsOf(server, clientId)).resolves.toHaveLength(expected)
  })

  it('re-entry and renewals do not wait for replicas', async () => {
    const lock = (await pair.open({ ...patient, watchdogTimeoutMs: 3_000 })).getLock(pair.name)
    await lock.withLock(async (lease) => {
      await pair.replica.freeze()
      const deadlineAt = performance.now() + lease.remainingMs()
      await expect(lock.withLock(() => 'entered')).resolves.toBe('entered')
      await until(() => performance.now() > deadlineAt)
      expect(lease.isHeld).toBe(true)
    })
  })
})

describe('with minReplicas in a cluster', () => {
  let cluster: RedisCluster

  beforeAll(async () => {
    cluster = await startCluster({ replicas: 1 })
  })

  afterAll(() => cluster.stop())
  afterEach(closeAll)

  const template6 = () => new Cluster([...cluster.startupNodes], { lazyConnect: true })
  const template5 = () => new Cluster5([...cluster.startupNodes], { lazyConnect: true })

  const names = () => Array.from({ length: 12 }, () => uniqueName('replicas'))

  it('every node waits for its own replicas', async () => {
    const holdfast = openClient(template6(), { ...hasty, replicaTimeoutMs: 1_500 })
    // Two of one slot, so that at least one of the others has the frozen replica; of 12 by chance none would now and then.
    const slot = uniqueName('replicas')
    const [first, ...others] = [`{${slot}}:first`, `{${slot}}:second`, ...names()] as const
    await holdfast.getLock(first).withLock(() => undefined)
    const master = await cluster.masterOf(`lock:${first}`)
    const replica = await cluster.replicaOf(`lock:${first}`)
    await replica.freeze()
    closeAfterTest(async () => replica.thaw())
    const outcomes = await Promise.all(
      others.map(async (name) => {
        const end = await begin(holdfast.getLock(name).withLock(() => 'served')).end
        return { end, isSameNode: (await cluster.masterOf(`lock:${name}`)) === master }
      }),
    )
    const [failed, served] = [true, false].map((same) =>
      outcomes.filter(({ isSameNode }) => isSameNode === same).map(({ end }) => end),
    )
    expect(failed?.length).toBeGreaterThan(0)
    expect(failed?.every((end) => end instanceof ReplicationError)).toBe(true)
    expect(new Set(served)).toEqual(new Set(['served']))
  })

  it.each([
    ['ioredis 6', template6],
    ['ioredis 5', template5],
  ])('finds the new master after a failover in good order with %s', async (_, template) => {
    const holdfast = openClient(template(), patient)
    const all = names()
    const serve = () => Promise.all(all.map((name) => holdfast.getLock(name).withLock(() => name)))
    await expect(serve()).resolves.toEqual(all)
    await cluster.failover(`lock:${all[0] ?? ''}`)
    await expect(serve()).resolves.toEqual(all)
  })
})
