import { countCommands, killClients, startRedis, uniqueName, until, soon } from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import { type Holdfast, LockTimeoutError } from '../src/index.js'
import { closeAfterTest, closeAll, openRedisClient, useOnce } from './support/clients.js'
import { openShared, type SharedOptions } from './support/open-shared.js'
import { OtherOwner } from './support/other-owner.js'
import { readWriteChannel } from './support/redisson-channels.js'
import { loadScripts, runsOf } from './support/scripts.js'
import { openTwoWays } from './support/two-ways.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()
let redis: Redis
let name: string
let java: OtherOwner

beforeEach(async () => {
  name = uniqueName('shared')
  redis = openRedisClient(server.url)
  java = new OtherOwner(server, 'PUBLISH')
  await loadScripts(redis)
})
afterEach(closeAll)

const open = (options: SharedOptions = {}, url = server.url): Holdfast => openShared(url, options)

const untilWaiting = (holdfast: Holdfast, count = 1) =>
  until(() => holdfast.stats().waiters === count, { what: `${count} waiters` })

describe('waiters for a read/write lock that is shared with Redisson', () => {
  it.each(['0', '1'])(
    'look after the message %s: each reader, and one writer of a client',
    async (message) => {
      await java.tryWrite(name)
      const holdfast = open()
      const { read, write } = holdfast.getReadWriteLock(name)
      const waiting = [write, write, read, write, read].map((lock) => lock.lock())
      await untilWaiting(holdfast, 5)
      await useOnce(holdfast)
      const { counts } = await countCommands(server.url, async () => {
        await redis.publish(readWriteChannel(name), message)
        // Behind the replies to those requests.
        await until(async () => (await redis.pubsub('NUMSUB', readWriteChannel(name)))[1] === 1)
        for (let n = 0; n < 3; n++) await useOnce(holdfast)
      })
      expect(runsOf(counts, 'redissonReadWriteAcquire')).toBe(3)
      await java.unlockWrite(name)
      await Promise.all(waiting.map(async (each) => (await each).unlock()))
    },
  )

  it('ignore messages that do not announce a release', async () => {
    await java.tryWrite(name)
    const holdfast = open()
    const waiting = holdfast.getReadWriteLock(name).write.lock()
    await untilWaiting(holdfast)
    const { counts } = await countCommands(server.url, async () => {
      for (const message of ['2', '-1', 'x', '']) await redis.publish(readWriteChannel(name), message)
      for (let n = 0; n < 3; n++) await useOnce(holdfast)
    })
    expect(runsOf(counts, 'redissonReadWriteAcquire')).toBe(0)
    await java.unlockWrite(name)
    await (await waiting).unlock()
  })

  it('pass a wake-up on that the woken one does not use', async () => {
    const { holdfast, replies, heard } = await openTwoWays(server, (template) =>
      openShared(template, { watchdogTimeoutMs: 600_000 }),
    )
    await useOnce(holdfast)
    const { write } = holdfast.getReadWriteLock(name)
    await java.tryWrite(name, 600_000)
    const controller = new AbortController()
    const first = write.lock({ signal: controller.signal }).catch((error: unknown) => error)
    await untilWaiting(holdfast)
    const second = write.lock()
    await untilWaiting(holdfast, 2)
    // The first one looks while Java still has the lock, and gives up before it learns that.
    replies.blackHole('toClient')
    await redis.publish(readWriteChannel(name), '1')
    await until(() => heard.length === 1, { what: 'the first one to look' })
    await java.unlockWrite(name)
    await until(() => heard.length === 2, { what: 'the release to arrive' })
    controller.abort(new Error('given up'))
    expect(await first).toEqual(new Error('given up'))
    replies.heal()
    const lease = await soon(second)
    await lease.unlock()
  })

  it('find out by themselves that the lock is free: within a third of the watchdog time', async () => {
    await java.tryRead(name)
    const holdfast = open({ watchdogTimeoutMs: 900 })
    const waiting = holdfast.getReadWriteLock(name).write.lock()
    await untilWaiting(holdfast)
    await redis.del(name)
    await soon(waiting)
  })

  it('find out what happened while their subscription was cut', async () => {
    await java.tryWrite(name)
    const holdfast = open()
    const waiting = holdfast.getReadWriteLock(name).read.lock()
    await untilWaiting(holdfast)
    await killClients(server, ['pubsub'])
    await java.unlockWrite(name)
    await soon(waiting)
  })

  it('outlive an outage, and enter the empty server', async () => {
    const own = await startRedis()
    closeAfterTest(() => own.stop())
    const other = new OtherOwner(own, 'PUBLISH')
    await other.tryWrite(name)
    const holdfast = open({}, own.url)
    const { read } = holdfast.getReadWriteLock(name)
    const waiting = [read.lock(), read.lock()]
    await untilWaiting(holdfast, 2)
    await own.kill()
    await own.restart()
    const leases = await Promise.all(waiting)
    expect(await other.tryWrite(name)).toBeGreaterThan(0)
    for (const lease of leases) await lease.unlock()
  })

  it('time out, and leave nothing that keeps others out', async () => {
    await java.tryRead(name)
    const holdfast = open()
    await useOnce(holdfast)
    const { read, write } = holdfast.getReadWriteLock(name)
    await expect(write.lock({ waitMs: 1_500 })).rejects.toThrow(LockTimeoutError)
    await expect(write.lock({ waitMs: 1_500 })).rejects.toMatchObject({ holder: java.owner })
    await (await read.lock()).unlock()
    await java.unlockRead(name)
    expect(await java.tryWrite(name)).toBeNull()
    await java.unlockWrite(name)
    expect(await redis.keys(`*${name}*`)).toEqual([])
  })
})
