import {
  countCommands,
  killClients,
  startRedis,
  until,
  uniqueName,
  type RedisServer,
} from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import {
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
