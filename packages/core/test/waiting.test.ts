import {
  countCommands,
  killClients,
  startProxy,
  startRedis,
  until,
  uniqueName,
  type RedisServer,
} from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import {
  LockTimeoutError,
  TooManyWaitersError,
  type Holdfast,
  type HoldfastEvents,
  type HoldfastOptions,
  type Lease,
  type Lock,
} from '../src/index.js'
import { closeAfterTest, closeAll, openHoldfast, openRedisClient } from './support/clients.js'
import { LockInRedis } from './support/lock-in-redis.js'
import { RemoteClient } from './support/remote-client.js'
import { loadScripts, runsOf } from './support/scripts.js'
import { untilLength } from './support/until-length.js'

let server: RedisServer
let redis: Redis
let name: string
let inRedis: LockInRedis

beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())

beforeEach(async () => {
  redis = openRedisClient(server.url)
  name = uniqueName('waiting')
  inRedis = new LockInRedis(redis, name)
  await loadScripts(redis)
})
afterEach(closeAll)

interface Client {
  readonly holdfast: Holdfast
  readonly lock: Lock
}

/** A client whose inbox is heard and whose first-use checks are done. */
async function openClient(options: Omit<HoldfastOptions, 'redis'> = {}, url = server.url): Promise<Client> {
  const { holdfast } = openHoldfast(url, options)
  await holdfast.getLock(uniqueName('first-use')).withLock(() => undefined)
  await until(() => isHeard(holdfast.clientId), { what: 'the inbox to be heard' })
  return { holdfast, lock: holdfast.getLock(name) }
}

async function isHeard(clientId: string): Promise<boolean> {
  const [, subscribers] = await redis.pubsub('NUMSUB', `holdfast:inbox:${clientId}`)
  return Number(subscribers) > 0
}

/** Resolves with the first lease, and how long it took. */
async function timed(waiting: Promise<Lease>): Promise<{ lease: Lease; tookMs: number }> {
  const startedAt = performance.now()
  const lease = await waiting
  return { lease, tookMs: performance.now() - startedAt }
}

/** Passes through the lock, queued in this order, each of which leaves as soon as it is in. */
async function queueUp(clients: readonly Client[], onEntered: (place: number) => void = () => undefined) {
  const passes: Promise<void>[] = []
  for (const [n, { lock }] of clients.entries()) {
    const pass = lock.withLock(() => {
      onEntered(n)
    })
    // Those which a failed test leaves behind are refused when its clients close.
    pass.catch(() => undefined)
    passes.push(pass)
    await inRedis.untilQueued(n + 1)
  }
  return passes
}

/** Well below the lease of 30 s that nobody may have to wait for, and generous to a slow machine. */
const promptlyMs = 3_000

describe('in the queue', () => {
  it('two hundred waiters in eight processes are served in order, for one ask and one release each', async () => {
    const workers = await Promise.all(Array.from({ length: 8 }, () => RemoteClient.fork(server.url)))
    const { lock } = await openClient()
    const { value, counts } = await countCommands(server.url, async () => {
      const blocker = await lock.lock()
      const passes = await Promise.all(workers.map((worker) => worker.pass(name, 25)))
      await inRedis.untilQueued(200)
      const queue = await inRedis.queue()
      const startedAt = performance.now()
      await blocker.unlock()
      const entries = (await Promise.all(passes.map((passed) => passed()))).flat()
      return { queue, entries, tookMs: performance.now() - startedAt }
    })
    const granted = value.entries.sort((a, b) => a.token - b.token).map(({ owner }) => owner)
    expect(granted).toHaveLength(200)
    expect(granted).toEqual(value.queue)
    expect(value.tookMs).toBeLessThan(10_000)
    expect(runsOf(counts, 'lockAcquire')).toBe(201)
    expect(runsOf(counts, 'lockRelease')).toBe(201)
    expect(await redis.exists(inRedis.key, inRedis.queueKey, inRedis.waitersKey)).toBe(0)
  })

  it('waiters of two clients get in in the order in which they asked', async () => {
    const [a, b, holder] = await Promise.all([openClient(), openClient(), openClient()])
    const held = await holder.lock.lock()
    const order: number[] = []
    const passes = await queueUp([a, b, b, a, b, a, a, b], (place) => order.push(place))
    await held.unlock()
    await Promise.all(passes)
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })

  it('a waiter that runs out of time names the holder, and its place is gone', async () => {
    const [holder, waiter] = await Promise.all([openClient(), openClient()])
    const held = await holder.lock.lock()
    const passes = await queueUp([waiter])
    const queue = await inRedis.queue()
    const failure = await waiter.lock.lock({ waitMs: 400 }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(LockTimeoutError)
    expect(failure).toMatchObject({ holder: held.owner, position: 2 })
    await inRedis.untilQueued(1)
    expect(await inRedis.queue()).toEqual(queue)
    expect(Object.keys(await inRedis.places())).toEqual(queue)
    await held.unlock()
    await Promise.all(passes)
  })

  it('a waiter that is aborted rejects with the reason, and its place is gone', async () => {
    const [holder, waiter] = await Promise.all([openClient(), openClient()])
    const held = await holder.lock.lock()
    const abort = new AbortController()
    const reason = new Error('no longer wanted')
    const hasPlace = new Promise((resolve) => waiter.holdfast.once('waiting', resolve))
    const waiting = waiter.lock.lock({ signal: abort.signal }).catch((error: unknown) => error)
    await hasPlace
    expect(await inRedis.queue()).toHaveLength(1)
    abort.abort(reason)
    expect(await waiting).toBe(reason)
    await until(async () => (await redis.exists(inRedis.queueKey, inRedis.waitersKey)) === 0)
    await held.unlock()
    expect(await redis.exists(inRedis.key)).toBe(0)
  })

  it('one waiter more than maxWaiters is refused at once, and a freed seat can be taken', async () => {
    const [holder, waiter] = await Promise.all([openClient(), openClient({ maxWaiters: 2 })])
    const held = await holder.lock.lock()
    const abort = new AbortController()
    const first = waiter.lock.lock({ signal: abort.signal }).catch(() => undefined)
    const second = waiter.lock.lock()
    await inRedis.untilQueued(2)
    await expect(waiter.lock.lock()).rejects.toThrow(TooManyWaitersError)
    expect(waiter.holdfast.stats().waiters).toBe(2)
    abort.abort()
    await first
    const third = waiter.lock.lock()
    await until(async () => (await inRedis.queue()).length === 2 && waiter.holdfast.stats().waiters === 2)
    await held.unlock()
    await (await second).unlock()
    await (await third).unlock()
  })

  it('a waiter is told whether it waits behind its own client', async () => {
    const [holder, other] = await Promise.all([openClient(), openClient()])
    const held = await holder.lock.lock()
    const seen: HoldfastEvents['waiting'][0][] = []
    for (const { holdfast } of [holder, other]) holdfast.on('waiting', (event) => seen.push(event))
    const passes = await queueUp([holder, other])
    await untilLength(seen, 2)
    expect(seen).toMatchObject([
      { name, holder: held.owner, position: 1, behindOwnClient: true },
      { name, holder: held.owner, position: 2, behindOwnClient: false },
    ])
    await held.unlock()
    await Promise.all(passes)
  })
})

describe('when processes die or freeze', () => {
  it.each([
    ['', []],
    [', even when somebody listens to every channel', ['*']],
  ])('a waiter whose process was killed is passed over at once%s', async (_, patterns) => {
    const monitor = openRedisClient(server.url)
    for (const pattern of patterns) await monitor.psubscribe(pattern)
    const [dead, holder, next] = await Promise.all([
      RemoteClient.fork(server.url),
      openClient(),
      openClient(),
    ])
    const held = await holder.lock.lock()
    await dead.lock(name)
    await dead.untilWaiting()
    const waiting = next.lock.lock()
    await inRedis.untilQueued(2)
    await dead.worker.kill()
    await until(async () => !(await isHeard(dead.clientId)))
    await held.unlock()
    const { lease, tookMs } = await timed(waiting)
    expect(tookMs).toBeLessThan(promptlyMs)
    await lease.unlock()
  })

  it('a frozen waiter is granted once, costs one watchdog time at the most, and asks again when thawed', async () => {
    const watchdogTimeoutMs = 1_500
    const [frozen, holder, second, third] = await Promise.all([
      RemoteClient.fork(server.url, { watchdogTimeoutMs }),
      openClient({ watchdogTimeoutMs }),
      openClient({ watchdogTimeoutMs }),
      openClient({ watchdogTimeoutMs }),
    ])
    const grants: string[] = []
    const listener = openRedisClient(server.url)
    listener.on('message', (_, notice: string) => grants.push(notice))
    const held = await holder.lock.lock()
    await frozen.lock(name)
    await frozen.untilWaiting()
    const [frozenOwner] = await inRedis.queue()
    await listener.subscribe(`holdfast:inbox:${frozen.clientId}`)
    const secondWaits = second.lock.lock()
    await inRedis.untilQueued(2)
    const thirdWaits = third.lock.lock()
    await inRedis.untilQueued(3)
    await frozen.worker.freeze()
    await held.unlock()
    expect(await inRedis.holder()).toBe(frozenOwner)
    const next = await timed(secondWaits)
    expect(next.tookMs).toBeLessThan(watchdogTimeoutMs + 700)
    await next.lease.unlock()
    const last = await timed(thirdWaits)
    expect(last.tookMs).toBeLessThan(watchdogTimeoutMs / 2)
    expect(grants).toHaveLength(1)
    frozen.worker.thaw()
    await inRedis.untilQueued(1)
    await last.lease.unlock()
    const entry = await frozen.untilAcquired()
    expect(entry.token).toBeGreaterThan(last.lease.fencingToken)
    await frozen.unlock()
  })

  it('a waiter gets in when the lease of a killed holder ends, and not much later', async () => {
    const [holder, waiter] = await Promise.all([
      RemoteClient.fork(server.url, { watchdogTimeoutMs: 1_500 }),
      openClient(),
    ])
    await holder.lock(name)
    await holder.untilAcquired()
    const waiting = waiter.lock.lock()
    await inRedis.untilQueued(1)
    await holder.worker.kill()
    const askedAt = performance.now()
    const ttlMs = await inRedis.ttlMs()
    const lease = await waiting
    const enteredAt = performance.now()
    expect(enteredAt).toBeGreaterThanOrEqual(askedAt + ttlMs - 5)
    expect(enteredAt).toBeLessThan(askedAt + ttlMs + 150)
    await lease.unlock()
  })
})

describe('when notices are lost', () => {
  it('everybody is served although grants fall into a gap of all subscriptions', async () => {
    const [holder, a, b] = await Promise.all([openClient(), openClient(), openClient()])
    const held = await holder.lock.lock()
    const passes = await queueUp([a, b, a, b, a, b])
    const startedAt = performance.now()
    await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await held.unlock()
    await Promise.all(passes)
    expect(performance.now() - startedAt).toBeLessThan(promptlyMs)
  })

  it('a grant whose notice the network swallowed is found after the reconnect', async () => {
    const proxy = await startProxy(server)
    closeAfterTest(() => proxy.close())
    const [holder, waiter] = await Promise.all([openClient(), openClient({}, proxy.url)])
    const held = await holder.lock.lock()
    const waiting = waiter.lock.lock()
    await inRedis.untilQueued(1)
    const [owner] = await inRedis.queue()
    proxy.blackHole('toClient', { drop: true })
    await held.unlock()
    expect(await inRedis.holder()).toBe(owner)
    proxy.heal()
    const { lease, tookMs } = await timed(waiting)
    expect(lease.owner).toBe(owner)
    expect(tookMs).toBeLessThan(promptlyMs)
    await lease.unlock()
    expect(await redis.exists(inRedis.key)).toBe(0)
  })

  it('all waiters go on when Redis came back empty', async () => {
    const [holder, waiter] = await Promise.all([openClient(), openClient()])
    const losses: string[] = []
    holder.holdfast.on('lost', ({ error }) => losses.push(error.reason))
    const held = await holder.lock.lock()
    const passes = await queueUp(Array.from({ length: 5 }, () => waiter))
    await server.restart()
    const startedAt = performance.now()
    await Promise.all(passes)
    expect(performance.now() - startedAt).toBeLessThan(promptlyMs)
    await until(() => losses.length > 0)
    expect(losses).toEqual(['not-held'])
    expect(held.isHeld).toBe(false)
  })

  it('after a break the waiters of a client ask together how they stand', async () => {
    const holder = await openClient()
    const lease = await holder.lock.lock()
    const waiter = await openClient()
    const entered: number[] = []
    const waiting = Array.from({ length: 60 }, (_, n) => waiter.lock.withLock(() => entered.push(n)))
    await inRedis.untilQueued(60)
    const { counts } = await countCommands(server.url, async () => {
      await killClients(server, ['pubsub'])
      await until(() => isHeard(waiter.holdfast.clientId), { what: 'the inbox to be heard again' })
      await lease.unlock()
      await Promise.all(waiting)
    })
    expect(entered).toEqual([...entered.keys()])
    expect(runsOf(counts, 'lockRefresh')).toBe(1)
    // None, unless the lock was passed on before its next owner could hear of it.
    expect(runsOf(counts, 'lockAcquire')).toBeLessThanOrEqual(1)
  })

  it('and one by one when that fails', async () => {
    // Refreshing places takes ZSCORE; asking does not.
    const user = uniqueName('single')
    await redis.call('ACL', 'SETUSER', user, 'on', '>secret', '~*', '&*', '+@all', '-zscore')
    closeAfterTest(() => server.call('ACL', 'DELUSER', user))
    const { holdfast } = openHoldfast(server.url.replace('redis://', `redis://${user}:secret@`))
    const holder = await openClient()
    await holder.lock.lock()
    const waiting = holdfast.getLock(name).lock()
    await inRedis.untilQueued(1)
    await redis
      .pipeline([
        ['del', `lock:${name}`],
        ['client', 'kill', 'user', user, 'type', 'normal'],
      ])
      .exec()
    const { lease, tookMs } = await timed(waiting)
    // It would have to wait for the lease of 30 s to end, or for a third of that.
    expect(tookMs).toBeLessThan(5_000)
    await lease.unlock()
  })

  it('a grant stands when the releaser may not publish, and the waiter finds it at its next refresh', async () => {
    const watchdogTimeoutMs = 1_500
    const user = uniqueName('mute')
    await redis.call('ACL', 'SETUSER', user, 'on', '>secret', '~*', '+@all', 'resetchannels')
    closeAfterTest(() => server.call('ACL', 'DELUSER', user))
    const waiter = await openClient({ watchdogTimeoutMs })
    const { holdfast } = openHoldfast(server.url.replace('redis://', `redis://${user}:secret@`))
    const warnings: HoldfastEvents['warning'][0][] = []
    const held = await holdfast.getLock(name).lock()
    const waiting = waiter.lock.lock()
    await inRedis.untilQueued(1)
    const [owner] = await inRedis.queue()
    holdfast.on('warning', (warning) => warnings.push(warning))
    await held.unlock()
    expect(await inRedis.holder()).toBe(owner)
    expect(warnings.filter(({ message }) => message.startsWith('Redis refused'))).toMatchObject([
      { code: 'NOTICE_REFUSED' },
    ])
    const { lease, tookMs } = await timed(waiting)
    expect(lease.owner).toBe(owner)
    expect(tookMs).toBeLessThan(watchdogTimeoutMs / 3 + 300)
    await lease.unlock()
  })
})
