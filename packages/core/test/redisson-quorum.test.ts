import { startRedis, uniqueName, until, type RedisServer } from '@holdfast/testkit'
import { HoldfastError, type HoldfastQuorum, InvalidArgumentError } from '../src/index.js'
import { redisson } from '../src/redis/redisson/index.js'
import { closeAll, openRedisClient } from './support/clients.js'
import { openQuorumOn } from './support/quorum.js'
import { OtherOwner } from './support/other-owner.js'

let servers: readonly RedisServer[]
let name: string
let java: readonly OtherOwner[]

beforeAll(async () => {
  servers = await Promise.all([startRedis(), startRedis(), startRedis()])
})
afterAll(() => Promise.all(servers.map((server) => server.stop())))

beforeEach(() => {
  name = uniqueName('shared')
  // RedissonRedLock has a client, and so an owner, for each master.
  java = servers.map((server) => new OtherOwner(server, 'PUBLISH', 7))
})
afterEach(closeAll)

/** Well below the lease of 30 s that no waiter may have to wait for, and generous to a slow machine. */
const promptlyMs = 3_000

const open = (options = {}): HoldfastQuorum =>
  openQuorumOn(
    servers.map(({ url }) => redisson({ redis: url })),
    options,
  )

/** A majority is enough to enter; the last master may reply later. */
const untilHeldEverywhere = () =>
  until(async () => (await leftovers()).filter((key) => key === name).length === servers.length, {
    what: 'all masters to have the lock',
  })

const leftovers = async (): Promise<string[]> =>
  (await Promise.all(servers.map(({ url }) => openRedisClient(url).keys(`*${name}*`)))).flat()

describe('a quorum lock shared with RedissonRedLock', () => {
  it('shows a holder in Java by the number of its thread, and evicts it', async () => {
    for (const thread of java) await thread.tryLock(name)
    const lock = open().getLock(name)
    expect(await lock.inspect()).toMatchObject({
      isLocked: true,
      holder: { owner: 'redisson:7', client: null },
    })
    expect(await lock.remainingMs()).toBeGreaterThan(20_000)
    await expect(lock.lock({ waitMs: 1_500 })).rejects.toMatchObject({ holder: 'redisson:7' })
    expect(await lock.forceUnlock()).toBe(true)
    for (const thread of java) await expect(thread.unlock(name)).rejects.toThrow('does not hold')
    await (await lock.lock({ waitMs: promptlyMs })).unlock()
  })

  it('is lost when Java forces it free at a majority and enters there', async () => {
    const lease = await open({ watchdogTimeoutMs: 3_000 }).getLock(name).lock()
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
    expect(() => quorum.getFencedLock(name)).toThrow(
      'not all masters of this quorum can keep a fencing token; use getLock',
    )
    await quorum.getLock(name).withLock((lease) => {
      expect(lease.fencingTokenIfAny).toBeUndefined()
      expect(() => lease.fencingToken).toThrow(HoldfastError)
      expect(() => lease.fencingToken).toThrow(
        'has no fencing token; not all masters of this quorum can keep a fencing token',
      )
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
