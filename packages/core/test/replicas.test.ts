import {
  countCommands,
  startCluster,
  startRedis,
  startReplica,
  until,
  uniqueName,
  watchResources,
  type RedisCluster,
  type RedisServer,
} from '@holdfast/testkit'
import { Cluster, Redis } from 'ioredis'
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis5'
import {
  ClosedError,
  Holdfast,
  RefusedError,
  UnavailableError,
  ReplicationError,
  type AcquireOptions,
  type Lease,
} from '../src/index.js'
import {
  closeAfterTest,
  closeAll,
  openClient,
  openHoldfast,
  openProxy,
  openReadyClient,
  openRedisClient,
  type ClientOptions,
} from './support/clients.js'
import { connectionsOf, type Connection } from './support/connections-of.js'
import { LockInRedis } from './support/lock-in-redis.js'
import { makeRedisUser } from './support/redis-user.js'
import { minimumPermissions } from './support/permissions.js'
import { loadScripts, runsOf } from './support/scripts.js'
import { runningMs } from './support/timed.js'
import type { ScriptName } from '../src/redis/scripts/generated.js'

/** Long enough for a replica that is thawed on a busy machine. */
const patient = { minReplicas: 1, replicaTimeoutMs: 15_000 }
const hasty = { minReplicas: 1, replicaTimeoutMs: 300 }

/** A call that is not awaited yet. */
interface Call<T> {
  readonly isSettled: boolean
  /** What it resolved or rejected with. */
  readonly end: Promise<unknown>
  readonly result: Promise<T>
}

function begin<T>(result: Promise<T>): Call<T> {
  let isSettled = false
  const end = result
    .catch((error: unknown) => error)
    .finally(() => {
      isSettled = true
    })
  return {
    end,
    result,
    get isSettled() {
      return isSettled
    },
  }
}

/** Redis has been told to wait until replicas have what was written. */
async function untilReplicasAwaited(server: RedisServer): Promise<void> {
  const isBlocked = async (): Promise<boolean> =>
    / flags=b .* cmd=wait /m.test(String(await server.call('CLIENT', 'LIST')))
  await until(isBlocked, { what: `a WAIT at ${server.url}` })
}

async function connectionsInWait(server: RedisServer): Promise<Connection[]> {
  return (await connectionsOf(server)).filter(({ line }) => line.includes(' cmd=wait '))
}

describe('with minReplicas', () => {
  let server: RedisServer
  let replica: RedisServer
  let redis: Redis
  let name: string
  let inRedis: LockInRedis

  beforeAll(async () => {
    server = await startRedis()
    replica = await startReplica(server)
  })

  afterAll(async () => {
    await replica.stop()
    await server.stop()
  })

  beforeEach(async () => {
    redis = openRedisClient(server.url)
    name = uniqueName('replicas')
    inRedis = new LockInRedis(redis, name)
    await loadScripts(redis)
  })

  afterEach(async () => {
    await replica.thaw()
    await closeAll()
  })

  const open = (options: ClientOptions = {}, url = server.url): Promise<Holdfast> =>
    openReadyClient(url, options)

  /** A call that waits behind a holder. */
  async function waiter(holdfast: Holdfast, options: { leaseMs?: number; heldForMs?: number } = {}) {
    const { leaseMs, heldForMs } = options
    const held = await (await open()).getLock(name).lock({ leaseMs: heldForMs })
    const call = begin(holdfast.getLock(name).lock({ leaseMs }))
    await inRedis.untilQueued(1)
    return { held, call }
  }

  /** Begins a call, so that the replica hears nothing of the lock that it is granted. */
  const ways: [how: string, beginCall: (holdfast: Holdfast) => Promise<Call<Lease>>][] = [
    [
      'that was free',
      async (holdfast) => {
        await replica.freeze()
        return begin(holdfast.getLock(name).lock())
      },
    ],
    [
      'that a release handed over',
      async (holdfast) => {
        const { held, call } = await waiter(holdfast)
        await replica.freeze()
        await held.unlock()
        return call
      },
    ],
    [
      'that a release handed over for a long lease',
      async (holdfast) => {
        const { held, call } = await waiter(holdfast, { leaseMs: 60_000 })
        await replica.freeze()
        await held.unlock()
        return call
      },
    ],
    [
      'that was asked for again when its holder was gone',
      async (holdfast) => {
        const { call } = await waiter(holdfast, { heldForMs: 500 })
        await replica.freeze()
        return call
      },
    ],
  ]

  describe.each(ways)('a lock %s', (_, beginCall) => {
    it('is handed out when the replica has it', async () => {
      const holdfast = await open(patient)
      const call = await beginCall(holdfast)
      await untilReplicasAwaited(server)
      expect(call.isSettled).toBe(false)
      await replica.thaw()
      const lease = await call.result
      expect(await openRedisClient(replica.url).hgetall(inRedis.key)).toEqual({ [lease.owner]: '1' })
      await lease.unlock()
      await inRedis.untilFree()
    })

    it('is released again when the replica has not received it in time', async () => {
      const holdfast = await open(hasty)
      const call = await beginCall(holdfast)
      const error = await call.end
      expect(error).toBeInstanceOf(ReplicationError)
      expect(error).toMatchObject({ code: 'REPLICATION', lockName: name, wanted: 1, acknowledged: 0 })
      await inRedis.untilFree()
      expect({ queue: await inRedis.queue(), gone: await inRedis.gone() }).toEqual({ queue: [], gone: [] })
      expect(holdfast.stats()).toMatchObject({ holds: 0, waiters: 0 })
    })
  })

  describe('objects that several owners hold', () => {
    it('are handed out when the replica has the hold', async () => {
      const holdfast = await open(patient)
      const reader = await holdfast.getReadWriteLock(name).read.lock()
      const permits = await holdfast.getSemaphore(name, { permits: 3 }).acquire({ permits: 2 })
      const onReplica = openRedisClient(replica.url)
      expect(await onReplica.hget(`{lock:${name}}:rw`, reader.owner)).toBe(`1 ${reader.fencingToken}`)
      expect(await onReplica.hget(`{lock:${name}}:semaphore`, permits.owner)).toMatch(/^2 \d+$/)
      await Promise.all([reader.unlock(), permits.release()])
    })

    it('are released again when the replica has not received the hold in time', async () => {
      const holdfast = await open(hasty)
      const { write } = holdfast.getReadWriteLock(name)
      const semaphore = holdfast.getSemaphore(name, { permits: 3 })
      await replica.freeze()
      const errors = await Promise.all([begin(write.lock()).end, begin(semaphore.acquire()).end])
      for (const error of errors) {
        expect(error).toMatchObject({ code: 'REPLICATION', lockName: name, wanted: 1, acknowledged: 0 })
      }
      await until(async () => (await semaphore.available()) === 3 && !(await write.isLocked()))
    })
  })

  /** A call that the master has granted, and that waits for the frozen replica. */
  async function confirming(options: ClientOptions, how: AcquireOptions = {}) {
    const holdfast = await open(options)
    await replica.freeze()
    const call = begin(holdfast.getLock(name).lock(how))
    await untilReplicasAwaited(server)
    return { holdfast, call }
  }

  describe('the wait for replicas', () => {
    it('uses up part of the lease', async () => {
      const { call } = await confirming(patient, { leaseMs: 20_000 })
      const since = performance.now()
      await until(() => performance.now() > since + 500)
      await replica.thaw()
      const lease = await call.result
      const beforeMs = lease.remainingMs()
      expect(beforeMs).toBeLessThan(19_300)
      expect(beforeMs).toBeLessThan(await inRedis.ttlMs())
    })

    it('may not outlast the hold', async () => {
      // A call behind another's WAIT waits up to twice as long: here there is little left of its hold by then.
      const { holdfast } = await confirming({ minReplicas: 1, replicaTimeoutMs: 3_000 })
      const lock = new LockInRedis(redis, `${name}-behind`)
      const call = begin(holdfast.getLock(`${name}-behind`).lock({ maxHoldMs: 3_100 }))
      await until(() => lock.holder())
      await lock.untilFree()
      await replica.thaw()
      const error = await call.end
      expect(error).toBeInstanceOf(ReplicationError)
      expect(error).toHaveProperty('message', expect.stringMatching(/lease of \d+ ms may have expired/))
    })

    it.each([
      ['leaseMs', { leaseMs: 300 }],
      ['maxHoldMs', { maxHoldMs: 300 }],
    ])('must end before the hold can, or %s is refused', async (option, how) => {
      const lock = (await open(hasty)).getLock(name)
      const refusal = `${option} must be above replicaTimeoutMs (300), or the hold may end before it is confirmed, got 300`
      for (const call of [lock.lock(how), lock.tryLock(how), lock.withLock(how, () => 'not to be run')]) {
        await expect(call).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', message: refusal })
      }
      expect(() => new Holdfast({ redis: server.url, ...hasty, ...how })).toThrow(refusal)
      const { holdfast } = openHoldfast(server.url, { replicaTimeoutMs: 300, ...how })
      await expect(holdfast.getLock(name).withLock(() => 'done')).resolves.toBe('done')
    })

    it('does not move the hold limit', async () => {
      const { holdfast } = await confirming(patient)
      const lock = new LockInRedis(redis, `${name}-limited`)
      const call = begin(holdfast.getLock(`${name}-limited`).lock({ maxHoldMs: 20_000 }))
      await until(() => lock.holder())
      const since = performance.now()
      await until(() => performance.now() > since + 500)
      await replica.thaw()
      const lease = await call.result
      const ttlMs = await lock.ttlMs()
      expect(ttlMs).toBeLessThanOrEqual(19_500)
      expect(lease.remainingMs()).toBeLessThan(ttlMs + 10)
    })

    it('does not move the hold limit either when its connection breaks', async () => {
      const { call } = await confirming(patient, { maxHoldMs: 20_000 })
      const since = performance.now()
      await until(() => performance.now() > since + 500)
      for (const { id } of await connectionsInWait(server)) await server.call('CLIENT', 'KILL', 'ID', id)
      await replica.thaw()
      const lease = await call.result
      const ttlMs = await inRedis.ttlMs()
      expect(ttlMs).toBeLessThanOrEqual(19_500)
      expect(lease.remainingMs()).toBeLessThan(ttlMs + 10)
    })

    it('hands out a hold that is proved again when another connection broke during the wait', async () => {
      const { holdfast, call } = await confirming(patient)
      const others = (await connectionsOf(server)).filter(({ line }) => !/ cmd=wait | flags=P /.test(line))
      for (const { id } of others) await server.call('CLIENT', 'KILL', 'ID', id)
      const answers = () =>
        holdfast
          .getLock(name)
          .isLocked()
          .catch(() => false)
      await until(answers, { what: 'the client to be connected again' })
      // As if another server answered there now.
      await redis.del(inRedis.key)
      await replica.thaw()
      const lease = await call.result
      await until(() => lease.signal.aborted, { what: 'the holder to be told' })
      expect(lease.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'not-held' })
    })

    it('is part of waitMs', async () => {
      const startedAt = performance.now()
      const { call } = await confirming(patient, { waitMs: 500 })
      const error = await call.end
      expect(error).toBeInstanceOf(ReplicationError)
      expect(error).toMatchObject({ lockName: name, wanted: 1 })
      expect(error).not.toHaveProperty('acknowledged')
      expect(performance.now() - startedAt).toBeLessThan(5_000)
      await replica.thaw()
      await inRedis.untilFree()
    })

    it('does not count towards the time that a single attempt has for a reply', async () => {
      await replica.freeze()
      const { holdfast } = openHoldfast(server.url, { ...patient, commandTimeoutMs: 200 })
      const call = begin(holdfast.getLock(name).tryLock())
      await untilReplicasAwaited(server)
      const since = performance.now()
      await until(() => performance.now() > since + 400)
      expect(call.isSettled).toBe(false)
      await replica.thaw()
      expect(await call.result).not.toBeNull()
    })

    it('does not count as another owner keeping the lock when it was cut off', async () => {
      const proxy = await openProxy(server)
      const { holdfast } = openHoldfast(proxy.url, patient)
      const held = await (await open()).getLock(name).lock()
      const call = begin(holdfast.getLock(name).tryLock({ waitMs: 1_500 }))
      await inRedis.untilQueued(1)
      await replica.freeze()
      await held.unlock()
      await untilReplicasAwaited(server)
      await proxy.refuse()
      proxy.cut()
      expect(await call.end).toBeInstanceOf(UnavailableError)
      await proxy.accept()
      await inRedis.untilFree()
    })

    it('ends with the signal, and the next waiter is served', async () => {
      const abort = new AbortController()
      const holdfast = await open(patient)
      const next = await open()
      await replica.freeze()
      const call = begin(holdfast.getLock(name).lock({ signal: abort.signal }))
      await untilReplicasAwaited(server)
      const served = begin(next.getLock(name).withLock(() => 'served'))
      await inRedis.untilQueued(1)
      abort.abort(new Error('changed my mind'))
      expect(await call.end).toBe(abort.signal.reason)
      await expect(served.result).resolves.toBe('served')
      // A copy of the ask that may still be on its way is to be refused.
      expect(await inRedis.gone()).toHaveLength(1)
    })

    it('ends with the client, of which nothing is left', async () => {
      await replica.freeze()
      const watch = watchResources()
      const holdfast = new Holdfast({ ...patient, redis: server.url })
      const call = begin(holdfast.getLock(name).lock())
      await until(async () => Object.keys(await inRedis.counts()).length === 1)
      await holdfast.close()
      expect(await call.end).toBeInstanceOf(ClosedError)
      expect(await inRedis.counts()).toEqual({})
      await watch.expectNone()
    })

    it('starts again when its connection breaks', async () => {
      const proxy = await openProxy(server)
      const holdfast = await open(patient, proxy.url)
      await replica.freeze()
      const call = begin(holdfast.getLock(name).lock())
      await untilReplicasAwaited(server)
      proxy.cut()
      await until(async () => !String(await server.call('CLIENT', 'LIST')).includes(' cmd=wait '))
      await untilReplicasAwaited(server)
      expect(call.isSettled).toBe(false)
      await replica.thaw()
      const lease = await call.result
      expect(await inRedis.counts()).toEqual({ [lease.owner]: '1' })
      await lease.unlock()
      await inRedis.untilFree()
    })

    it('ends a single attempt when its connection breaks, and leaves no orphan', async () => {
      const proxy = await openProxy(server)
      const holdfast = await open(patient, proxy.url)
      await replica.freeze()
      const call = begin(holdfast.getLock(name).tryLock())
      await untilReplicasAwaited(server)
      proxy.cut()
      expect(await call.end).toBeInstanceOf(UnavailableError)
      await inRedis.untilFree()
      expect(await inRedis.gone()).toHaveLength(1)
    })

    it('outlives a master that is a replica for a while', async () => {
      const { call } = await confirming(patient)
      await server.call('REPLICAOF', '127.0.0.1', '1')
      await until(async () => !String(await server.call('CLIENT', 'LIST')).includes(' flags=b '))
      expect(call.isSettled).toBe(false)
      await server.call('REPLICAOF', 'NO', 'ONE')
      await replica.thaw()
      const lease = await call.result
      expect(await inRedis.counts()).toEqual({ [lease.owner]: '1' })
    })

    it('hands out nothing that was revoked during the wait', async () => {
      const { call } = await confirming(patient)
      const owner = await inRedis.holder()
      await (await open()).getLock(name).forceUnlock()
      expect(await inRedis.holder()).toBeUndefined()
      await replica.thaw()
      const lease = await call.result
      expect(lease.owner).toBe(owner)
      expect(await inRedis.counts()).toEqual({ [lease.owner]: '1' })
    })

    it('is shared by calls that come together', async () => {
      const holdfast = await open(hasty)
      const locks = Array.from({ length: 30 }, (_, i) => holdfast.getLock(`${name}-${i}`))
      const { counts } = await countCommands(server.url, async () => {
        await Promise.all(locks.map((lock) => lock.withLock(() => undefined)))
      })
      expect(runsOf(counts, 'lockAcquire')).toBe(60)
      expect(counts.get('wait')).toBeLessThan(15)
      await replica.freeze()
      const trying = Promise.all(locks.map((lock) => begin(lock.tryLock()).end))
      const tookMs = await runningMs(trying)
      const ends = await trying
      expect(new Set(ends.map((end) => end instanceof ReplicationError))).toEqual(new Set([true]))
      expect(tookMs).toBeLessThan(5 * hasty.replicaTimeoutMs)
    })

    it('goes on when all scripts are forgotten', async () => {
      const { held, call } = await waiter(await open(patient))
      await server.call('SCRIPT', 'FLUSH')
      await held.unlock()
      const lease = await call.result
      expect(await inRedis.counts()).toEqual({ [lease.owner]: '1' })
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
    const lock = holdfast.getLock(name)
    await lock.withLock(() => undefined)
    await replica.freeze()
    const call = begin(lock.lock())
    await untilReplicasAwaited(server)
    const since = performance.now()
    await until(() => performance.now() > since + 300)
    expect({ isSettled: call.isSettled, errors }).toEqual({ isSettled: false, errors: [] })
    await replica.thaw()
    await (await call.result).unlock()
  })

  it('says how many replicas there are when they are too few', async () => {
    const { holdfast } = openHoldfast(server.url, { minReplicas: 2, replicaTimeoutMs: 200 })
    const error: unknown = await holdfast
      .getLock(name)
      .tryLock()
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'REPLICATION', lockName: name, wanted: 2, acknowledged: 1 })
    const text =
      /^\S+ was granted to \S+ and released again: 1 of 2 required replicas .* 200 ms \(1 connected\)/
    expect(error).toHaveProperty('message', expect.stringMatching(text))
    await inRedis.untilFree()
  })

  it('says so at once when it may not wait for replicas', async () => {
    const url = await makeRedisUser(server, [...minimumPermissions, '+info', '+pubsub|numsub'])
    const holdfast = openClient(url, patient)
    await expect(holdfast.getLock(name).lock()).rejects.toThrow(RefusedError)
    await inRedis.untilFree()
    await server.call('ACL', 'SETUSER', new URL(url).username, '+wait')
    await expect(holdfast.getLock(name).withLock(() => 'served')).resolves.toBe('served')
  })

  it('takes the longest time-outs there are', async () => {
    const longest = 2 ** 31 - 1
    const { holdfast } = openHoldfast(server.url, {
      ...patient,
      replicaTimeoutMs: longest,
      commandTimeoutMs: longest,
    })
    await replica.freeze()
    const call = begin(holdfast.getLock(name).tryLock())
    await untilReplicasAwaited(server)
    const since = performance.now()
    await until(() => performance.now() > since + 200)
    expect(call.isSettled).toBe(false)
    await replica.thaw()
    expect(await call.result).not.toBeNull()
  })

  it('costs one more acquire and a WAIT per hold, and nothing more for re-entry', async () => {
    const lock = (await open(patient)).getLock(name)
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
    const { clientId } = await open(options)
    await expect(connectionsOf(server, clientId)).resolves.toHaveLength(expected)
  })

  it('re-entry and renewals do not wait for replicas', async () => {
    const lock = (await open({ ...patient, watchdogTimeoutMs: 3_000 })).getLock(name)
    await lock.withLock(async (lease) => {
      await replica.freeze()
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
    const holdfast = openClient(template6(), hasty)
    // Two of one slot, so that at least one of the others has the frozen replica; of 12 by chance none would now and then.
    const slot = uniqueName('replicas')
    const [first, ...others] = [`{${slot}}:first`, `{${slot}}:second`, ...names()] as const
    await holdfast.getLock(first).withLock(() => undefined)
    const master = await cluster.masterOf(`lock:${first}`)
    const replica = await cluster.replicaOf(`lock:${first}`)
    await replica.freeze()
    closeAfterTest(() => replica.thaw())
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
  ])('finds the new master after a fail-over in good order with %s', async (_, template) => {
    const holdfast = openClient(template(), patient)
    const all = names()
    const serve = () => Promise.all(all.map((name) => holdfast.getLock(name).withLock(() => name)))
    await expect(serve()).resolves.toEqual(all)
    await cluster.failover(`lock:${all[0] ?? ''}`)
    await expect(serve()).resolves.toEqual(all)
  })
})
