import { join } from 'node:path'
import { countCommands, forkWorker, uniqueName, until, withRedis, soon } from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import { scripts } from '../src/redis/redisson/generated.js'
import { closeAfterTest, closeAll, openProxy, openRedisClient } from './support/clients.js'
import { openShared } from './support/open-shared.js'
import { otherOwnerIn, onServer, untilQueuedIn, type SharedTopology } from './support/shared-topologies.js'
import { loadScripts, runsOf } from './support/scripts.js'
import { untilLength } from './support/until-length.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()
let name: string

beforeEach(() => {
  name = uniqueName('shared')
})
afterEach(closeAll)

const single = onServer(() => server)

const javaOf = (topology: SharedTopology) => otherOwnerIn(topology, name)
const untilQueued = (topology: SharedTopology, count: number) => untilQueuedIn(topology, name, count)

describe('between both sides', () => {
  it('a waiter that is notified of a release and finds Java inside keeps its position and is next', async () => {
    const right = await proxied()
    const java = await javaOf(single)
    const blocker = await single.open().getLock(name).lock()
    const first = right.holdfast.getLock(name).lock()
    await untilQueued(single, 1)
    const second = single.open().getLock(name).lock()
    await untilQueued(single, 2)
    const queue = await single.home(name).then(({ url }) => withRedis(url, (redis) => queueOf(redis)))
    // What tells the first in line comes late, and Java is quicker.
    right.proxy.delay(60, { direction: 'toClient' })
    await blocker.unlock()
    expect(await java.tryLock(name)).toBeNull()
    await until(async () => !(await hasTurn()), { what: 'the first in line to have asked' })
    expect(await withRedis(server.url, (redis) => queueOf(redis))).toEqual(queue)
    right.proxy.delay(0)
    await java.unlock(name)
    const lease = await first
    expect(await withRedis(server.url, (redis) => queueOf(redis))).toEqual(queue.slice(1))
    await lease.unlock()
    await (await second).unlock()
  })

  it('a release leaves Java a head start now and then, and never makes our first waiter wait for long', async () => {
    const redis = openRedisClient(server.url)
    const hearer = openRedisClient(server.url)
    await hearer.subscribe('first')
    const rests: number[] = []
    while (!rests.some((restMs) => restMs > 0) || rests.every((restMs) => restMs > 0)) {
      const lease = await single.open().getLock(name).lock()
      await ask(redis, 'first:1', 'first')
      await lease.unlock()
      const reply = await ask(redis, 'first:1', 'first')
      rests.push(typeof reply === 'string' ? Number(reply.split(' ')[0]) : 0)
      await until(async () => typeof (await ask(redis, 'first:1', 'first')) === 'number', {
        what: 'its turn',
      })
      await redis.del(name)
    }
    expect(Math.max(...rests)).toBeLessThanOrEqual(5)
  })

  it('a turn that the server gave before its clock was set back keeps no client out', async () => {
    const redis = openRedisClient(server.url)
    const hearer = openRedisClient(server.url)
    await hearer.subscribe('first', 'second')
    const lease = await single.open().getLock(name).lock()
    await ask(redis, 'first:1', 'first')
    await ask(redis, 'second:1', 'second')
    await lease.unlock()
    const [s = 0] = (await redis.time()).map(Number)
    await redis.hset(`{${name}}:waiters`, 'turn', `${String(s + 60)}000 ${String(s + 60)}100 first:1`)
    expect(await ask(redis, 'second:1', 'second')).toMatch(/^\d{1,3} \d{16} 2 $/)
    expect(await ask(redis, 'first:1', 'first')).toBe(0)
  })

  it('a process that is frozen when its turn comes loses its queue entry, and costs the others a moment', async () => {
    const frozen = await forkWaiter()
    const blocker = await single.open().getLock(name).lock()
    await frozen.start()
    const waiting = [single.open(), single.open()].map((holdfast) => holdfast.getLock(name).lock())
    await untilQueued(single, 3)
    await frozen.worker.freeze()
    const releasedAt = performance.now()
    await blocker.unlock()
    const lease = await soon(Promise.race(waiting))
    expect(performance.now() - releasedAt).toBeGreaterThan(90)
    await lease.unlock()
    const [a, b] = await soon(Promise.all(waiting))
    const last = a === lease ? b : a
    await last?.unlock()
    frozen.worker.thaw()
    await frozen.worker.waitFor('acquired')
  })

  it('an unannounced release, such as that of a spin lock, is found within a third of the watchdog time', async () => {
    const java = await javaOf(single)
    await java.tryLock(name)
    const waiting = single.open({ watchdogTimeoutMs: 900 }).getLock(name).lock()
    await untilQueued(single, 1)
    await openRedisClient(server.url).del(name)
    await soon(waiting)
  })

  it('only a 0 announces a release', async () => {
    const redis = openRedisClient(server.url)
    await loadScripts(redis)
    const java = await javaOf(single)
    await java.tryLock(name)
    const waiting = single.open().getLock(name).lock()
    await untilQueued(single, 1)
    const { counts } = await countCommands(server.url, async () => {
      for (const message of ['1', '-1', '00', 'x', '']) await java.say(name, message)
      await java.unlock(name)
      await waiting
    })
    expect(runsOf(counts, 'redissonLockAcquire')).toBe(1)
  })

  it('an owner in the queue that has no entry is dropped', async () => {
    const redis = openRedisClient(server.url)
    const lock = single.open().getLock(name)
    const lease = await lock.lock()
    await ask(redis, 'nobody:1', 'nobody')
    await redis.hdel(`{${name}}:waiters`, 'nobody:1')
    await lease.unlock()
    expect(await queueOf(redis)).toEqual([])
    await (await lock.lock()).unlock()
  })

  it('a turn is announced once, and one that no waiter takes costs the others no more than a moment', async () => {
    const redis = openRedisClient(server.url)
    const holdfast = single.open()
    const lock = holdfast.getLock(name)
    const lease = await lock.lock()
    // A queue entry whose inbox has a subscriber that does not understand the notice.
    const deaf = openRedisClient(server.url)
    const told: string[] = []
    deaf.on('message', (_, message) => told.push(message))
    await deaf.subscribe('deaf')
    await ask(redis, 'deaf:1', 'deaf')
    const waiting = lock.lock()
    await untilQueued(single, 2)
    await lease.unlock()
    expect(await ask(redis, 'other:1', 'deaf', 0)).toMatch(/^\d+ \d{16} 0 $/)
    await (await waiting).unlock()
    expect(await queueOf(redis)).toEqual([])
    await redis.publish('deaf', 'end')
    await untilLength(told, 2)
    expect(told).toEqual([`free deaf:1 ${name}`, 'end'])
  })

  /** A client behind a proxy. */
  async function proxied() {
    const proxy = await openProxy(server)
    return { proxy, holdfast: openShared(proxy.url) }
  }

  async function forkWaiter() {
    const file = join(__dirname, 'workers/shared-lock-waiter.mjs')
    const worker = await forkWorker(file, { args: [server.url, name] })
    closeAfterTest(() => worker.kill())
    return {
      worker,
      async start() {
        await worker.waitFor('waiting')
        await untilQueued(single, 1)
      },
    }
  }

  const hasTurn = async () =>
    (await withRedis(server.url, (redis) => redis.hget(`{${name}}:waiters`, 'turn'))) !== null
})

const queueOf = (redis: Redis): Promise<string[]> => redis.lrange(`{${name}}:fifo`, 0, -1)

/** Runs an ask by hand. */
const ask = (redis: Redis, owner: string, inbox: string, placeMs = 5_000, count = 1, wantsToken = 0) => {
  const keys = [name, `{${name}}:fifo`, `{${name}}:waiters`, `redisson_lock_token:{${name}}`]
  const waiting = placeMs > 0 ? `${placeMs} 5000 1 p ${inbox}` : ''
  const args = [owner, count, 5_000, waiting, wantsToken]
  return redis.eval(scripts.redissonLockAcquire.lua, keys.length, ...keys, ...args)
}
