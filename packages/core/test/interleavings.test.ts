import { uniqueName, until, soon } from '@holdfast/testkit'
import type { FaultProxy } from '@holdfast/testkit'
import { Redis } from 'ioredis'
import { Hold } from '../src/holding/hold.js'
import type { RedisTemplate } from '../src/index.js'
import { closeAll, openClient, openProxy, openReadyClient, openRedisClient } from './support/clients.js'
import { nextEvent } from './support/next-event.js'
import { makeRedisUser } from './support/redis-user.js'
import { loadScripts, runs } from './support/scripts.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()
let proxy: FaultProxy
let name: string

beforeEach(async () => {
  name = uniqueName('interleaving')
  proxy = await openProxy(server)
  await loadScripts(openRedisClient(server.url))
})
afterEach(async () => {
  jest.restoreAllMocks()
  await closeAll()
})

const reasonOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(String, (error: unknown) => error)

describe('code of the application that runs from a timer', () => {
  it('a task that begins the next one like it does not grow the chain that look-ups walk', async () => {
    const holdfast = await openReadyClient(server.url)
    const lock = holdfast.getLock(name)
    const looks = jest.spyOn(Hold.prototype, 'isOver', 'get')
    await new Promise<void>((resolve, reject) => {
      let cycles = 0
      const next = (): void => {
        lock
          .withLock(() => {
            if (++cycles === 200) resolve()
            else setImmediate(next)
          })
          .catch(reject)
      }
      next()
    })
    expect(looks.mock.calls.length).toBeLessThan(200 * 5)
  })
})

describe('a reply that is processed when most of the lease is over', () => {
  it('is followed by a renewal at once', async () => {
    const holdfast = await openReadyClient(server.url, { watchdogTimeoutMs: 1500 })
    const outcome = new Promise((resolve) => {
      holdfast.on('renewed', () => resolve('renewed'))
      holdfast.on('lost', resolve)
    })
    const acquiring = holdfast.getLock(name).lock()
    for (let turns = 0; turns < 20; turns++) await Promise.resolve()
    // The ask is on its way. A renewal that counted its third from the answer would come too late.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100)
    const lease = await acquiring
    expect(lease.remainingMs()).toBeLessThan(500)
    expect(await outcome).toBe('renewed')
    await lease.unlock()
  })
})

describe('a release whose outcome is in doubt', () => {
  it('a partial one that is denied is a loss, whatever happened to it before', async () => {
    const holdfast = await openReadyClient(proxy.url, { commandTimeoutMs: 1_500 })
    const lock = holdfast.getLock(name)
    const redis = openRedisClient(server.url)
    const outer = await lock.lock()
    const inner = await outer.run(() => lock.lock())
    proxy.blackHole('toServer')
    await redis.del(`lock:${name}`)
    // Without a reply it goes on in the background.
    await inner.unlock()
    const lost = nextEvent(holdfast, 'lost')
    proxy.heal()
    expect(await lost).toMatchObject({ error: { reason: 'not-held' } })
    expect(outer.isHeld).toBe(false)
  })

  it('a lease whose extension got no reply is released once Redis accepts connections again', async () => {
    const holdfast = await openReadyClient(proxy.url, { commandTimeoutMs: 1_500 })
    const redis = openRedisClient(server.url)
    const lease = await holdfast.getLock(name).lock({ leaseMs: 6_000 })
    const extendLost = proxy.loseReply(runs('lockRenew', `lock:${name}`))
    const extending = reasonOf(lease.extend(600_000))
    await extendLost
    await proxy.refuse()
    proxy.cut()
    expect(await extending).toMatchObject({ code: 'UNAVAILABLE' })
    await lease.unlock()
    // What still waits for a connection is dropped with each attempt that fails.
    for (let failures = 0; failures < 2; failures++) await nextEvent(holdfast, 'error')
    expect(await redis.pttl(`lock:${name}`)).toBeGreaterThan(500_000)
    await proxy.accept()
    await until(async () => (await redis.exists(`lock:${name}`)) === 0)
  })
})

describe('what the caller sees', () => {
  it('an unresponsive connection is replaced even when commands time out quickly', async () => {
    let closed = 0
    const template: RedisTemplate = {
      options: {},
      duplicate: (override) => {
        const redis = new Redis({ ...override, host: proxy.host, port: proxy.port })
        // The connection for notices has no reconnection of its own; this counts the one for commands.
        if (override['retryStrategy']) redis.on('close', () => closed++)
        return redis
      },
    }
    const holdfast = openClient(template, { commandTimeoutMs: 250 })
    const lock = holdfast.getLock(name)
    await lock.withLock(() => undefined)
    proxy.blackHole('both')
    const failures: unknown[] = []
    while (closed === 0 && failures.length < 20) failures.push(await reasonOf(lock.tryLock()))
    expect(closed).toBeGreaterThan(0)
    expect(failures.length).toBeGreaterThan(1)
    proxy.heal()
    await using lease = await lock.lock({ waitMs: 5000 })
    expect(lease.isHeld).toBe(true)
  })
})

describe('a waiter that no notice can reach any more', () => {
  it('sends requests often enough to find a free lock soon', async () => {
    const redis = openRedisClient(server.url)
    const url = await makeRedisUser(server, ['~*', '&*', '+@all'])
    const waiter = await openReadyClient(url)
    const holder = (await openReadyClient(server.url)).getLock(name)
    const held = await holder.lock()
    const waiting = waiter.getLock(name).lock()
    await until(() => waiter.stats().waiters === 1)
    await redis.call('ACL', 'SETUSER', new URL(url).username, '-subscribe')
    const down = nextEvent(waiter, 'error')
    await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await down
    await held.unlock()
    await (await soon(waiting)).unlock()
  })
})
