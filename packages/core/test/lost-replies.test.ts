import {
  startProxy,
  startRedis,
  until,
  uniqueName,
  type FaultProxy,
  type RedisServer,
} from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import {
  LockLostError,
  UnavailableError,
  type Holdfast,
  type HoldfastOptions,
  type Lock,
} from '../src/index.js'
import { closeAfterTest, closeAll, openHoldfast, openRedisClient } from './support/clients.js'
import { LockInRedis } from './support/lock-in-redis.js'
import { askByHand, loadScripts, runs } from './support/scripts.js'
import { untilLength } from './support/until-length.js'

let server: RedisServer
let proxy: FaultProxy
let redis: Redis
let name: string
let inRedis: LockInRedis

beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())

beforeEach(async () => {
  proxy = await startProxy(server)
  closeAfterTest(() => proxy.close())
  redis = openRedisClient(server.url)
  name = uniqueName('lost-reply')
  inRedis = new LockInRedis(redis, name)
  await loadScripts(redis)
})
afterEach(closeAll)

interface Client {
  readonly holdfast: Holdfast
  readonly lock: Lock
  /** Losses that the client reported. */
  readonly lost: LockLostError[]
}

/** A client that has done its first-use checks, so that from now on one call is one command. */
async function openClient(url: string, options: Omit<HoldfastOptions, 'redis'> = {}): Promise<Client> {
  const { holdfast } = openHoldfast(url, options)
  await holdfast.getLock(uniqueName('first-use')).withLock(() => undefined)
  const lost: LockLostError[] = []
  holdfast.on('lost', ({ error }) => lost.push(error))
  return { holdfast, lock: holdfast.getLock(name), lost }
}

describe('a command whose reply was lost, and that is sent again', () => {
  it('an acquisition counts once, and one release frees the lock', async () => {
    const { lock, lost, holdfast } = await openClient(proxy.url)
    const replyLost = proxy.loseReply(runs('lockAcquire', inRedis.key))
    const lease = await lock.lock()
    await replyLost
    expect(await inRedis.counts()).toEqual({ [lease.owner]: '1' })
    expect(holdfast.stats().holds).toBe(1)
    await lease.unlock()
    expect(await redis.exists(inRedis.key)).toBe(0)
    expect(lost).toEqual([])
  })

  it('a release resolves, and is not reported as a loss', async () => {
    const { lock, lost } = await openClient(proxy.url)
    const lease = await lock.lock()
    const replyLost = proxy.loseReply(runs('lockRelease', inRedis.key))
    await expect(lease.unlock()).resolves.toBeUndefined()
    await replyLost
    expect(await redis.exists(inRedis.key)).toBe(0)
    expect(lost).toEqual([])
  })

  it('a release does not count as done when the server came back empty in between', async () => {
    const { lock, lost } = await openClient(proxy.url)
    const lease = await lock.lock()
    const replyLost = proxy.loseReply(runs('lockRelease', inRedis.key))
    const unlocked = lease.unlock().catch((error: unknown) => error)
    await replyLost
    await proxy.refuse()
    await server.restart()
    await proxy.accept()
    expect(await unlocked).toBeInstanceOf(LockLostError)
    expect(lost.map(({ reason }) => reason)).toEqual(['not-held'])
  })

  it('a renewal is harmless', async () => {
    const { holdfast, lock, lost } = await openClient(proxy.url, { watchdogTimeoutMs: 900 })
    const renewed: string[] = []
    holdfast.on('renewed', ({ owner }) => renewed.push(owner))
    const lease = await lock.lock()
    await proxy.loseReply(runs('lockRenew', inRedis.key))
    const before = renewed.length
    await untilLength(renewed, before + 2)
    expect(lease.isHeld).toBe(true)
    expect(await inRedis.counts()).toEqual({ [lease.owner]: '1' })
    await lease.unlock()
    expect(lost).toEqual([])
  })

  it('an ask that was queued keeps its one place and its ticket', async () => {
    const holder = await openClient(server.url)
    const waiter = await openClient(proxy.url)
    const held = await holder.lock.lock()
    const replyLost = proxy.loseReply(runs('lockAcquire', inRedis.key))
    const answered = new Promise((resolve) => waiter.holdfast.once('waiting', resolve))
    const waiting = waiter.lock.lock()
    await replyLost
    const place = await inRedis.tickets()
    expect(place).toHaveLength(2)
    await answered
    expect(await inRedis.tickets()).toEqual(place)
    await held.unlock()
    const lease = await waiting
    expect(lease.owner).toBe(place[0])
    await lease.unlock()
    expect(await redis.exists(inRedis.key, inRedis.queueKey)).toBe(0)
  })

  it('nested entries and partial releases end with the right counts', async () => {
    const { lock, lost } = await openClient(proxy.url)
    const counts: (string | undefined)[] = []
    const look = async () => counts.push(Object.values(await inRedis.counts())[0])
    const loseNext = (script: 'lockAcquire' | 'lockRelease') => proxy.loseReply(runs(script, inRedis.key))
    let replyLost = loseNext('lockAcquire')
    await lock.withLock(async () => {
      await replyLost
      replyLost = loseNext('lockAcquire')
      await lock.withLock(async () => {
        await replyLost
        await look()
        await lock.withLock(look)
        await look()
        replyLost = loseNext('lockRelease')
      })
      await replyLost
      await look()
      replyLost = loseNext('lockRelease')
    })
    await replyLost
    await look()
    expect(counts).toEqual(['2', '3', '2', '1', undefined])
    expect(lost).toEqual([])
  })

  it('a single attempt rejects, and what it may have taken is given back', async () => {
    const { lock } = await openClient(proxy.url)
    const replyLost = proxy.loseReply(runs('lockAcquire', inRedis.key))
    await expect(lock.tryLock()).rejects.toThrow(UnavailableError)
    await replyLost
    await inRedis.untilFree()
  })
})

describe('an ask that is given up while it is under way', () => {
  /** The lock is free, and even an ask that comes very late takes nothing and queues nowhere. */
  async function expectNoOrphan(): Promise<void> {
    const [owner] = await until(async () => {
      const gone = await inRedis.gone()
      return gone.length === 1 && gone
    })
    expect(await inRedis.counts()).toEqual({})
    expect(owner).toBeDefined()
    expect(await askByHand(redis, inRedis, owner ?? '')).toEqual([-2])
    expect(await inRedis.counts()).toEqual({})
    expect(await inRedis.queue()).toEqual([])
  }

  const reason = new Error('changed my mind')

  it.each([
    ['is kept up by the network', false],
    ['is dropped by the network', true],
  ])('leaves nothing when it was aborted and %s', async (_, drop) => {
    const { lock } = await openClient(proxy.url, { commandTimeoutMs: 1_000 })
    const abort = new AbortController()
    proxy.blackHole('toServer', { drop })
    const waiting = lock.lock({ signal: abort.signal })
    abort.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    expect(await inRedis.counts()).toEqual({})
    proxy.heal()
    await expectNoOrphan()
  })

  it('leaves nothing when its reply is stuck, and the lock was taken', async () => {
    const { lock } = await openClient(proxy.url, { commandTimeoutMs: 1_000 })
    const abort = new AbortController()
    proxy.blackHole('toClient')
    const waiting = lock.lock({ signal: abort.signal })
    await until(() => inRedis.holder())
    abort.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    proxy.heal()
    await expectNoOrphan()
  })

  it.each([
    ['aborted', { waitMs: 5_000 }, reason],
    ['out of time', { waitMs: 200 }, UnavailableError],
  ])('leaves nothing when it was %s while Redis was frozen', async (_, { waitMs }, expected) => {
    const { lock } = await openClient(server.url, { commandTimeoutMs: 1_000 })
    const abort = new AbortController()
    await server.freeze()
    try {
      const startedAt = performance.now()
      const trying = lock.tryLock({ waitMs, signal: abort.signal }).catch((error: unknown) => error)
      if (expected === reason) abort.abort(reason)
      const failure = await trying
      if (expected === reason) expect(failure).toBe(reason)
      else expect(failure).toBeInstanceOf(expected)
      expect(performance.now() - startedAt).toBeLessThan(900)
    } finally {
      server.thaw().catch(() => undefined)
    }
    await expectNoOrphan()
  })
})

describe('connections that break in the middle of the work', () => {
  it('fifty tasks all finish, and never two are inside at once', async () => {
    const { holdfast, lock, lost } = await openClient(proxy.url)
    const waiting: string[] = []
    holdfast.on('waiting', ({ owner }) => waiting.push(owner))
    let inside = 0
    let most = 0
    let finished = 0
    const task = () =>
      lock.withLock(async () => {
        most = Math.max(most, ++inside)
        // The owner that Redis names is ours for as long as we are inside.
        await inRedis.holder()
        if (++finished % 10 === 5) proxy.cut()
        await inRedis.holder()
        inside--
      })
    await Promise.all(Array.from({ length: 50 }, task))
    expect(waiting.length).toBeGreaterThan(40)
    expect({ most, finished, lost }).toEqual({ most: 1, finished: 50, lost: [] })
    await inRedis.untilFree()
    await until(async () => (await inRedis.queue()).length === 0)
  })

  it('scripts that the server has forgotten are sent again', async () => {
    const { holdfast, lock, lost } = await openClient(server.url, { watchdogTimeoutMs: 900 })
    const renewed: string[] = []
    holdfast.on('renewed', ({ owner }) => renewed.push(owner))
    const first = await lock.lock()
    await redis.script('FLUSH')
    const second = lock.lock()
    await inRedis.untilQueued(1)
    await redis.script('FLUSH')
    await untilLength(renewed, 1)
    await redis.script('FLUSH')
    await first.unlock()
    await (await second).unlock()
    expect(await redis.exists(inRedis.key, inRedis.queueKey)).toBe(0)
    expect(lost).toEqual([])
  })
})
