import { startRedis, uniqueName, until, type RedisServer } from '@holdfast/testkit'
import { HoldfastError, type HoldfastQuorum, InvalidArgumentError, LockTimeoutError } from '../src/index.js'
import { closeAll, openRedisClient } from './support/clients.js'
import { openQuorum } from './support/quorum.js'
import { RedissonThread } from './support/redisson-client.js'
import { timed } from './support/timed.js'

let servers: readonly RedisServer[]
let name: string
let java: readonly RedissonThread[]

beforeAll(async () => {
  servers = await Promise.all([startRedis(), startRedis(), startRedis()])
})
afterAll(() => Promise.all(servers.map((server) => server.stop())))

beforeEach(() => {
  name = uniqueName('shared')
  // RedissonRedLock has a client, and so an owner, for each master.
  java = servers.map((server) => new RedissonThread(server, 'PUBLISH', 7))
})
afterEach(closeAll)

/** Well below the lease of 30 s that no waiter may have to wait for, and generous to a slow machine. */
const promptlyMs = 3_000

const open = (options = {}): HoldfastQuorum =>
  openQuorum(
    servers.map(({ url }) => url),
    { interop: 'redisson', ...options },
  )

/** At how many masters a thread of Java gets in. */
async function entriesOfJava(): Promise<number> {
  const replies = await Promise.all(java.map((thread) => thread.tryLock(name)))
  return replies.filter((reply) => reply === null).length
}

/** A majority is enough to enter; the last master may reply later. */
const untilHeldEverywhere = () =>
  until(async () => (await leftovers()).filter((key) => key === name).length === servers.length, {
    what: 'all masters to have the lock',
  })

const leftovers = async (): Promise<string[]> =>
  (await Promise.all(servers.map(({ url }) => openRedisClient(url).keys(`*${name}*`)))).flat()

describe('a quorum lock shared with RedissonRedLock', () => {
  it('keeps Java from a majority while it is held, and is its form at each master', async () => {
    const lease = await open().getLock(name).lock()
    await untilHeldEverywhere()
    expect(await entriesOfJava()).toBe(0)
    for (const { url } of servers) {
      expect(Object.values(await openRedisClient(url).hgetall(name))).toEqual(['1'])
    }
    await lease.unlock()
    await until(async () => (await leftovers()).length === 0, { what: 'nothing to be left' })
    expect(await entriesOfJava()).toBe(3)
    for (const thread of java) await thread.unlock(name)
  })

  it('is refused while Java has a majority of the masters, and not because of a minority', async () => {
    const lock = open().getLock(name)
    for (const thread of java.slice(1)) await thread.tryLock(name)
    expect(await lock.tryLock()).toBeNull()
    await expect(lock.lock({ waitMs: 100 })).rejects.toThrow(LockTimeoutError)
    await java[1]?.unlock(name)
    const lease = await lock.lock({ waitMs: promptlyMs })
    expect(await java[1]?.tryLock(name)).toBeGreaterThan(0)
    await lease.unlock()
    await java[2]?.unlock(name)
  })

  it('comes to a waiter here at once when Java releases it, and back', async () => {
    expect(await entriesOfJava()).toBe(3)
    const quorum = open()
    const waiting = quorum.getLock(name).lock()
    await until(() => quorum.stats().waiters === 1, { what: 'a waiter' })
    const releasedAt = performance.now()
    for (const thread of java) await thread.unlock(name)
    const { result: lease, tookMs } = await timed(waiting, releasedAt)
    expect(tookMs).toBeLessThan(promptlyMs)
    const entering = await Promise.all(java.map((thread) => thread.wait(name)))
    const leftAt = performance.now()
    await lease.unlock()
    await Promise.all(entering.map(({ entered }) => entered))
    expect(performance.now() - leftAt).toBeLessThan(promptlyMs)
    for (const thread of java) await thread.unlock(name)
  })

  it('shows a holder in Java by the number of its thread, and evicts it', async () => {
    await entriesOfJava()
    const lock = open().getLock(name)
    expect(await lock.inspect()).toMatchObject({
      isLocked: true,
      holder: { owner: 'redisson:7', client: null },
    })
    expect(await lock.remainingMs()).toBeGreaterThan(20_000)
    await expect(lock.lock({ waitMs: 50 })).rejects.toMatchObject({ holder: 'redisson:7' })
    expect(await lock.forceUnlock()).toBe(true)
    for (const thread of java) await expect(thread.unlock(name)).rejects.toThrow('does not hold')
    await (await lock.lock({ waitMs: promptlyMs })).unlock()
  })

  it('is lost when Java forces it free at a majority and enters there', async () => {
    const lease = await open({ watchdogTimeoutMs: 900 }).getLock(name).lock()
    await untilHeldEverywhere()
    for (const thread of java.slice(1)) {
      // A vote that was lost is asked for again, so it may be back before the thread tries.
      const isIn = async (): Promise<boolean> => {
        await thread.forceUnlock(name)
        return (await thread.tryLock(name)) === null
      }
      await until(isIn, { what: 'Java to enter' })
    }
    await until(() => lease.signal.aborted, { what: 'the loss to be reported' })
    for (const thread of java.slice(1)) await thread.unlock(name)
  })

  it('has no fencing token, and says so before anything is sent', async () => {
    const quorum = open()
    expect(() => quorum.getFencedLock(name)).toThrow(InvalidArgumentError)
    expect(() => quorum.getFencedLock(name)).toThrow('RedissonRedLock draws none; use getLock')
    await quorum.getLock(name).withLock((lease) => {
      expect(lease.fencingTokenIfAny).toBeUndefined()
      expect(() => lease.fencingToken).toThrow(HoldfastError)
      expect(() => lease.fencingToken).toThrow('shared with Redisson has no fencing tokens')
    })
  })

  it('gives a master that has just been started no vote', async () => {
    const quorum = open({ restartQuarantineMs: 3_600_000 })
    const error: unknown = await quorum
      .getLock(name)
      .tryLock()
      .catch((thrown: unknown) => thrown)
    expect(String(error)).toMatch(/restart/)
    expect(await leftovers()).toEqual([])
  })
})
