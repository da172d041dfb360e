import { until, uniqueName, type FaultProxy, soon } from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import { LockLostError, UnavailableError, type Holdfast, type Lock } from '../src/index.js'
import {
  closeAll,
  openProxy,
  openReadyClient,
  openRedisClient,
  type ClientOptions,
  useOnce,
} from './support/clients.js'
import { LockInRedis } from './support/lock-in-redis.js'
import { askByHand, loadScripts, runs } from './support/scripts.js'
import { untilLength } from './support/until-length.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()
let proxy: FaultProxy
let redis: Redis
let name: string
let inRedis: LockInRedis

beforeEach(async () => {
  proxy = await openProxy(server)
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
async function openCounted(url: string, options: ClientOptions = {}): Promise<Client> {
  const holdfast = await openReadyClient(url, options)
  const lost: LockLostError[] = []
  holdfast.on('lost', ({ error }) => lost.push(error))
  return { holdfast, lock: holdfast.getLock(name), lost }
}

describe('a command whose reply was lost, and that is sent again', () => {
  it('a release does not count as done when the server came back empty in between', async () => {
    const { lock, lost } = await openCounted(proxy.url)
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
})

describe('a request that is abandoned while it is in flight', () => {
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

  it('leaves nothing when it was aborted and is dropped by the network', async () => {
    const { lock } = await openCounted(proxy.url, { commandTimeoutMs: 1_000 })
    const abort = new AbortController()
    proxy.blackHole('toServer', { drop: true })
    const waiting = lock.lock({ signal: abort.signal })
    abort.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    expect(await inRedis.counts()).toEqual({})
    proxy.heal()
    await expectNoOrphan()
  })

  it.each([
    ['aborted', { waitMs: 5_000 }, reason],
    ['out of time', { waitMs: 200 }, UnavailableError],
  ])('leaves nothing when it was %s while Redis was frozen', async (_, { waitMs }, expected) => {
    const { lock } = await openCounted(server.url, { commandTimeoutMs: 1_000 })
    const abort = new AbortController()
    await server.freeze()
    try {
      const trying = lock.tryLock({ waitMs, signal: abort.signal }).catch((error: unknown) => error)
      if (expected === reason) abort.abort(reason)
      const failure = await soon(trying)
      if (expected === reason) expect(failure).toBe(reason)
      else expect(failure).toBeInstanceOf(expected)
    } finally {
      void server.thaw()
    }
    // The late reply says that the request has run: none is left that would have to be refused.
    await (await lock.lock()).unlock()
    expect(await inRedis.gone()).toEqual([])
    expect(await inRedis.counts()).toEqual({})
    expect(await inRedis.queue()).toEqual([])
  })
})

describe('connections that break in the middle of the work', () => {
  it('scripts that the server has forgotten are sent again', async () => {
    const { holdfast, lock, lost } = await openCounted(server.url, { watchdogTimeoutMs: 3_000 })
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

describe('a request for several locks whose reply is lost', () => {
  const open = () => openReadyClient(proxy.url, { commandTimeoutMs: 1_500 })
  const members = () => ['a', 'b', 'c'].map((member) => `{${name}}${member}`)
  const membersInRedis = () => members().map((member) => new LockInRedis(redis, member))
  const replyLost = () => proxy.loseReply(runs('multiAcquire', `lock:{${name}}a`))

  it('abandons all its owners, and the next one gets in', async () => {
    const far = await open()
    const lost = replyLost()
    const failure = far
      .getMultiLock(members())
      .tryLock()
      .catch((error: unknown) => error)
    await lost
    expect(await failure).toMatchObject({ code: 'UNAVAILABLE' })
    for (const member of membersInRedis()) {
      await member.untilFree()
      expect(await member.queue()).toEqual([])
      expect(await member.gone()).toHaveLength(1)
    }
    await (await openReadyClient(server.url)).getMultiLock(members()).withLock(() => undefined)
  })

  it('is repeated by a call that waits', async () => {
    const far = await open()
    await useOnce(far)
    const lost = replyLost()
    const acquired = far.getMultiLock(members()).lock({ waitMs: 10_000 })
    await lost
    await using lease = await acquired
    expect(lease.isHeld).toBe(true)
    for (const member of membersInRedis()) expect(await member.holder()).toBeDefined()
  })
})
