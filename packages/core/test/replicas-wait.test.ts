import { countCommands, until, watchResources, type RedisServer, soon } from '@holdfast/testkit'
import {
  ClosedError,
  Holdfast,
  UnavailableError,
  ReplicationError,
  type AcquireOptions,
} from '../src/index.js'
import { openHoldfast, openProxy, type ClientOptions } from './support/clients.js'
import { connectionsOf, type Connection } from './support/connections-of.js'
import { LockInRedis } from './support/lock-in-redis.js'
import { runsOf } from './support/scripts.js'

import { begin, hasty, patient, untilReplicasAwaited, useReplicaPair } from './support/replica-pair.js'

async function connectionsInWait(server: RedisServer): Promise<Connection[]> {
  return (await connectionsOf(server)).filter(({ line }) => line.includes(' cmd=wait '))
}

describe('with minReplicas', () => {
  const pair = useReplicaPair()
  const { server } = pair

  /** A call that the master has granted, and that waits for the frozen replica. */
  async function confirming(options: ClientOptions, how: AcquireOptions = {}) {
    const holdfast = await pair.open(options)
    await pair.replica.freeze()
    const call = begin(holdfast.getLock(pair.name).lock(how))
    await untilReplicasAwaited(server)
    return { holdfast, call }
  }

  describe('the wait for replicas', () => {
    it('uses up part of the lease', async () => {
      const { call } = await confirming(patient, { leaseMs: 20_000 })
      const since = performance.now()
      await until(() => performance.now() > since + 500)
      await pair.replica.thaw()
      const lease = await call.result
      const beforeMs = lease.remainingMs()
      expect(beforeMs).toBeLessThan(19_300)
      expect(beforeMs).toBeLessThan(await pair.inRedis.ttlMs())
    })

    it('may not outlast the hold', async () => {
      // A call behind another's WAIT waits up to twice as long: here there is little left of its hold by then.
      const { holdfast } = await confirming({ minReplicas: 1, replicaTimeoutMs: 3_000 })
      const lock = new LockInRedis(pair.redis, `${pair.name}-behind`)
      const call = begin(holdfast.getLock(`${pair.name}-behind`).lock({ maxHoldMs: 3_100 }))
      await until(() => lock.holder())
      await lock.untilFree()
      await pair.replica.thaw()
      const error = await call.end
      expect(error).toBeInstanceOf(ReplicationError)
      expect(error).toHaveProperty('message', expect.stringMatching(/lease of \d+ ms may have expired/))
    })

    it.each([
      ['leaseMs', { leaseMs: 300 }],
      ['maxHoldMs', { maxHoldMs: 300 }],
    ])('must end before the hold can, or %s is refused', async (option, how) => {
      const lock = (await pair.open(hasty)).getLock(pair.name)
      const refusal = `${option} must be above replicaTimeoutMs (300), or the hold may end before it is confirmed, got 300`
      for (const call of [lock.lock(how), lock.tryLock(how), lock.withLock(how, () => 'not to be run')]) {
        await expect(call).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', message: refusal })
      }
      expect(() => new Holdfast({ redis: server.url, ...hasty, ...how })).toThrow(refusal)
      const { holdfast } = openHoldfast(server.url, { replicaTimeoutMs: 300, ...how })
      await expect(holdfast.getLock(pair.name).withLock(() => 'done')).resolves.toBe('done')
    })

    it('does not move the hold limit', async () => {
      const { holdfast } = await confirming(patient)
      const lock = new LockInRedis(pair.redis, `${pair.name}-limited`)
      const call = begin(holdfast.getLock(`${pair.name}-limited`).lock({ maxHoldMs: 20_000 }))
      await until(() => lock.holder())
      const since = performance.now()
      await until(() => performance.now() > since + 500)
      await pair.replica.thaw()
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
      await pair.replica.thaw()
      const lease = await call.result
      const ttlMs = await pair.inRedis.ttlMs()
      expect(ttlMs).toBeLessThanOrEqual(19_500)
      expect(lease.remainingMs()).toBeLessThan(ttlMs + 10)
    })

    it('hands out a hold that is proved again when another connection broke during the wait', async () => {
      const { holdfast, call } = await confirming(patient)
      const others = (await connectionsOf(server)).filter(({ line }) => !/ cmd=wait | flags=P /.test(line))
      for (const { id } of others) await server.call('CLIENT', 'KILL', 'ID', id)
      const answers = () =>
        holdfast
          .getLock(pair.name)
          .isLocked()
          .catch(() => false)
      await until(answers, { what: 'the client to be connected again' })
      // As if another server answered there now.
      await pair.redis.del(pair.inRedis.key)
      await pair.replica.thaw()
      const lease = await call.result
      await until(() => lease.signal.aborted, { what: 'the holder to be told' })
      expect(lease.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'not-held' })
    })

    it('is part of waitMs', async () => {
      const { call } = await confirming(patient, { waitMs: 500 })
      const error = await soon(call.end)
      expect(error).toBeInstanceOf(ReplicationError)
      expect(error).toMatchObject({ lockName: pair.name, wanted: 1 })
      expect(error).not.toHaveProperty('acknowledged')
      await pair.replica.thaw()
      await pair.inRedis.untilFree()
    })

    it('does not count towards the time that a single attempt has for a reply', async () => {
      await pair.replica.freeze()
      const { holdfast } = openHoldfast(server.url, { ...patient, commandTimeoutMs: 200 })
      const call = begin(holdfast.getLock(pair.name).tryLock())
      await untilReplicasAwaited(server)
      const since = performance.now()
      await until(() => performance.now() > since + 400)
      expect(call.isSettled).toBe(false)
      await pair.replica.thaw()
      expect(await call.result).not.toBeNull()
    })

    it('does not count as another owner keeping the lock when it was cut off', async () => {
      const proxy = await openProxy(server)
      const { holdfast } = openHoldfast(proxy.url, patient)
      const held = await (await pair.open()).getLock(pair.name).lock()
      const call = begin(holdfast.getLock(pair.name).tryLock({ waitMs: 1_500 }))
      await pair.inRedis.untilQueued(1)
      await pair.replica.freeze()
      await held.unlock()
      await untilReplicasAwaited(server)
      await proxy.refuse()
      proxy.cut()
      expect(await call.end).toBeInstanceOf(UnavailableError)
      await proxy.accept()
      await pair.inRedis.untilFree()
    })

    it('ends with the signal, and the next waiter is served', async () => {
      const abort = new AbortController()
      const holdfast = await pair.open(patient)
      const next = await pair.open()
      await pair.replica.freeze()
      const call = begin(holdfast.getLock(pair.name).lock({ signal: abort.signal }))
      await untilReplicasAwaited(server)
      const served = begin(next.getLock(pair.name).withLock(() => 'served'))
      await pair.inRedis.untilQueued(1)
      abort.abort(new Error('changed my mind'))
      expect(await call.end).toBe(abort.signal.reason)
      await expect(served.result).resolves.toBe('served')
      // A copy of the ask that may still be on its way is to be refused.
      expect(await pair.inRedis.gone()).toHaveLength(1)
    })

    it('ends with the client, of which nothing is left', async () => {
      await pair.replica.freeze()
      const watch = watchResources()
      const holdfast = new Holdfast({ ...patient, redis: server.url })
      const call = begin(holdfast.getLock(pair.name).lock())
      await until(async () => Object.keys(await pair.inRedis.counts()).length === 1)
      await holdfast.close()
      expect(await call.end).toBeInstanceOf(ClosedError)
      expect(await pair.inRedis.counts()).toEqual({})
      await watch.expectNone()
    })

    it('starts again when its connection breaks', async () => {
      const proxy = await openProxy(server)
      const holdfast = await pair.open(patient, proxy.url)
      await pair.replica.freeze()
      const call = begin(holdfast.getLock(pair.name).lock())
      await untilReplicasAwaited(server)
      proxy.cut()
      await until(async () => !String(await server.call('CLIENT', 'LIST')).includes(' cmd=wait '))
      await untilReplicasAwaited(server)
      expect(call.isSettled).toBe(false)
      await pair.replica.thaw()
      const lease = await call.result
      expect(await pair.inRedis.counts()).toEqual({ [lease.owner]: '1' })
      await lease.unlock()
      await pair.inRedis.untilFree()
    })

    it('ends a single attempt when its connection breaks, and leaves no orphan', async () => {
      const proxy = await openProxy(server)
      const holdfast = await pair.open(patient, proxy.url)
      await pair.replica.freeze()
      const call = begin(holdfast.getLock(pair.name).tryLock())
      await untilReplicasAwaited(server)
      proxy.cut()
      expect(await call.end).toBeInstanceOf(UnavailableError)
      await pair.inRedis.untilFree()
      expect(await pair.inRedis.gone()).toHaveLength(1)
    })

    it('outlives a master that is a replica for a while', async () => {
      const { call } = await confirming(patient)
      await server.call('REPLICAOF', '127.0.0.1', '1')
      await until(async () => !String(await server.call('CLIENT', 'LIST')).includes(' flags=b '))
      expect(call.isSettled).toBe(false)
      await server.call('REPLICAOF', 'NO', 'ONE')
      await pair.replica.thaw()
      const lease = await call.result
      expect(await pair.inRedis.counts()).toEqual({ [lease.owner]: '1' })
    })

    it('hands out nothing that was revoked during the wait', async () => {
      const { call } = await confirming(patient)
      const owner = await pair.inRedis.holder()
      await (await pair.open()).getLock(pair.name).forceUnlock()
      expect(await pair.inRedis.holder()).toBeUndefined()
      await pair.replica.thaw()
      const lease = await call.result
      expect(lease.owner).toBe(owner)
      expect(await pair.inRedis.counts()).toEqual({ [lease.owner]: '1' })
    })

    it('is shared by calls that come together', async () => {
      const holdfast = await pair.open(hasty)
      const locks = Array.from({ length: 30 }, (_, i) => holdfast.getLock(`${pair.name}-${i}`))
      const { counts } = await countCommands(server.url, async () => {
        await Promise.all(locks.map((lock) => lock.withLock(() => undefined)))
      })
      expect(runsOf(counts, 'lockAcquire')).toBe(60)
      expect(counts.get('wait')).toBeLessThan(15)
      await pair.replica.freeze()
      const trying = Promise.all(locks.map((lock) => begin(lock.tryLock()).end))
      const ends = await soon(trying)
      expect(new Set(ends.map((end) => end instanceof ReplicationError))).toEqual(new Set([true]))
    })

    it('goes on when all scripts are forgotten', async () => {
      const { held, call } = await pair.waiter(await pair.open(patient))
      await server.call('SCRIPT', 'FLUSH')
      await held.unlock()
      const lease = await call.result
      expect(await pair.inRedis.counts()).toEqual({ [lease.owner]: '1' })
    })
  })
})
