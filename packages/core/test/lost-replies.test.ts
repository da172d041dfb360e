import { uniqueName, type FaultProxy } from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import { LockLostError, type Holdfast, type Lock } from '../src/index.js'
import {
  closeAll,
  openProxy,
  openReadyClient,
  openRedisClient,
  type ClientOptions,
} from './support/clients.js'
import { LockInRedis } from './support/lock-in-redis.js'
import { loadScripts, runs } from './support/scripts.js'
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
})
