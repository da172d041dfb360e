import { join } from 'node:path'
import { countCommands, forkWorker, uniqueName, until } from '@holdfast/testkit'
import type { Redis } from 'ioredis'
import {
  LatchGoneError,
  NotALockError,
  UnavailableError,
  type CountDownLatch,
  type Holdfast,
} from '../src/index.js'
import { scripts } from '../src/redis/scripts/generated.js'
import {
  closeAfterTest,
  closeAll,
  deleteAfterTest,
  openProxy,
  openReadyClient,
  openRedisClient,
  type ClientOptions,
} from './support/clients.js'
import { LatchInRedis } from './support/latch-in-redis.js'
import { nextEvent } from './support/next-event.js'
import { loadScripts, runs, runsOf } from './support/scripts.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()
let redis: Redis
let name: string
let inRedis: LatchInRedis

beforeEach(async () => {
  redis = openRedisClient(server.url)
  name = uniqueName('latch')
  inRedis = new LatchInRedis(redis, name)
  await loadScripts(redis)
})
afterEach(closeAll)

interface Client {
  readonly holdfast: Holdfast
  readonly latch: CountDownLatch
}

async function open(options: ClientOptions = {}, url = server.url): Promise<Client> {
  const holdfast = await openReadyClient(url, options)
  return { holdfast, latch: holdfast.getCountDownLatch(name) }
}

/** Begins to wait; resolves when Redis knows of it. What is returned settles with the outcome. */
async function beginToWait({ holdfast, latch }: Client) {
  const waiting = nextEvent(holdfast, 'waiting')
  const outcome = latch.wait().then(
    () => 'passed',
    (error: unknown) => error,
  )
  await waiting
  return { outcome }
}

const failureOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)

/** Short, so that what housekeeping makes up for is made up for soon. */
const watchdogTimeoutMs = 600

describe('lost latch', () => {
  it.each([
    ['the latch', () => inRedis.key],
    ['the parties', () => inRedis.countedKey],
  ])('waiters fail when %s is evicted, and never pass', async (_, key) => {
    const [waiter, other] = await Promise.all([open({ watchdogTimeoutMs }), open()])
    await other.latch.trySetCount(3)
    await other.latch.countDown()
    const { outcome } = await beginToWait(waiter)
    await redis.del(key())
    const counting = failureOf(other.latch.countDown())
    expect(await outcome).toBeInstanceOf(LatchGoneError)
    expect(await counting).toBeInstanceOf(LatchGoneError)
    expect(await other.latch.count()).toBeNull()
    expect(await other.latch.trySetCount(1)).toBe(true)
    expect(await other.latch.countDown()).toBe(0)
  })

  it('expires keepMs after its last use, and not before; a waiter is a use', async () => {
    const [waiter, other] = await Promise.all([open({ watchdogTimeoutMs: 3_000 }), open()])
    await other.latch.trySetCount(2, { keepMs: 3_000 })
    const { outcome } = await beginToWait(waiter)
    const setAt = performance.now()
    await until(() => performance.now() - setAt > 3_900)
    expect(await other.latch.countDown()).toBe(1)
    await waiter.holdfast.close()
    await outcome
    await until(async () => (await redis.exists(inRedis.key)) === 0)
    expect(await failureOf(other.latch.countDown())).toBeInstanceOf(LatchGoneError)
  })

  it('a set on a server that may have lost something vouches for nothing from before', async () => {
    const set = (named: number, setter: string, runId: string) =>
      redis.eval(scripts.latchSet.lua, 2, inRedis.key, inRedis.countedKey, named, setter, 1, 60_000, runId)
    const generationOf = async () => Number((await inRedis.fields())['generation'])
    const countDown = async () =>
      redis.eval(scripts.latchCountDown.lua, 3, ...inRedis.keys, await generationOf(), 'party')
    const look = async (generation: number) =>
      redis.eval(scripts.latchWait.lua, 3, ...inRedis.keys, generation, 1, 0, '')
    await set(0, 'a', 'server 1')
    const first = await generationOf()
    await countDown()
    await set(first, 'b', 'server 1')
    const second = await generationOf()
    expect(await look(first)).toEqual([1, first])
    await countDown()
    await set(second, 'c', 'server 2')
    await countDown()
    for (const earlier of [first, first + 1, second]) expect(await look(earlier)).toEqual([-1, earlier])
  })
})

describe('a waiter whose notification is lost without a trace', () => {
  it('passes by the next refresh, with all others of its client that wait for the same', async () => {
    const [waiter, other] = await Promise.all([open({ watchdogTimeoutMs }), open()])
    await other.latch.trySetCount(1)
    const waits = await Promise.all(Array.from({ length: 20 }, () => beginToWait(waiter)))
    const { generation = '' } = await inRedis.fields()
    const { value, counts } = await countCommands(server.url, async () => {
      // Another key in place of that of the waiters: none of them is notified.
      const keys = [inRedis.key, inRedis.countedKey, `${inRedis.waitersKey}:none`]
      await redis.eval(scripts.latchCountDown.lua, keys.length, ...keys, generation, 'party')
      return Promise.all(waits.map(({ outcome }) => outcome))
    })
    expect(new Set(value)).toEqual(new Set(['passed']))
    expect(runsOf(counts, 'latchWait')).toBeLessThanOrEqual(2)
  })
})

describe('what is sent', () => {
  it('a client is notified once, and asks once per refresh, however many of its waiters there are', async () => {
    const [waiter, other] = await Promise.all([open({ watchdogTimeoutMs }), open()])
    const ear = openRedisClient(server.url)
    const heard: string[] = []
    ear.on('message', (_: string, message: string) => heard.push(message))
    await ear.subscribe(`holdfast:inbox:${waiter.holdfast.clientId}`)
    await other.latch.trySetCount(1)
    const generation = (await inRedis.fields())['generation'] ?? ''
    const waits = await Promise.all(Array.from({ length: 50 }, () => beginToWait(waiter)))
    const { value: periods, counts } = await countCommands(server.url, async () => {
      const startedAt = performance.now()
      await until(() => performance.now() - startedAt > 2 * watchdogTimeoutMs)
      return (3 * (performance.now() - startedAt)) / watchdogTimeoutMs
    })
    expect(runsOf(counts, 'latchWait')).toBeGreaterThan(0)
    expect(runsOf(counts, 'latchWait')).toBeLessThanOrEqual(Math.ceil(periods))
    await other.latch.countDown()
    await Promise.all(waits.map(({ outcome }) => outcome))
    // The server replies after what it has published, and each connection receives in that order.
    await ear.ping()
    expect(heard.filter((message) => message !== 'hello')).toEqual([`open ${generation} ${inRedis.key}`])
  })

  it('a wait that is given up sends nothing, and its client is notified for one watchdog time at the most', async () => {
    const { latch, holdfast } = await open({ watchdogTimeoutMs })
    await latch.trySetCount(1)
    const abort = new AbortController()
    const waiting = nextEvent(holdfast, 'waiting')
    const outcome = failureOf(latch.wait({ signal: abort.signal }))
    await waiting
    const { counts } = await countCommands(server.url, async () => {
      abort.abort(new Error('no longer wanted'))
      await outcome
    })
    expect([...counts.keys()].filter((command) => command.startsWith('eval'))).toEqual([])
    await until(async () => (await latch.inspect()).waiterCount === 0)
  })

  it('all keys of a latch expire', async () => {
    const [waiter, other] = await Promise.all([open(), open()])
    const ttls = async () => Promise.all(inRedis.keys.map((key) => redis.pttl(key)))
    await other.latch.trySetCount(2, { keepMs: 500_000 })
    const { outcome } = await beginToWait(waiter)
    await other.latch.countDown()
    const [latch = 0, counted = 0, waiters = 0] = await ttls()
    expect(latch).toBeGreaterThan(490_000)
    expect(latch).toBeLessThanOrEqual(500_000)
    // What was counted outlives the latch: without it a party would count twice.
    expect(counted).toBeGreaterThan(latch)
    expect(waiters).toBeGreaterThan(30_000)
    await other.latch.countDown()
    expect(await outcome).toBe('passed')
    expect((await ttls()).slice(1)).toEqual([-2, -2])
    await other.latch.delete()
    const [tombstone = 0] = await ttls()
    expect(tombstone).toBeGreaterThan(30_000)
    expect(tombstone).toBeLessThan(60_000)
  })
})

describe('when Redis does not reply', () => {
  /** Matches count-downs in the present count, not those that only learn which one it is. */
  async function countsDownIn(latch: CountDownLatch): Promise<(request: string) => boolean> {
    const { generation } = await latch.inspect()
    const isCountDown = runs('latchCountDown', inRedis.key)
    return (request) => isCountDown(request) && request.includes(String(generation))
  }

  it('count-down runs twice: the repeated one counts nothing in a count that was set in between', async () => {
    const proxy = await openProxy(server)
    const [{ latch }, worker] = await Promise.all([open(), open({}, proxy.url)])
    await latch.trySetCount(2)
    expect(await worker.latch.countDown()).toBe(1)
    const replyLost = proxy.loseReply(await countsDownIn(latch))
    const left = worker.holdfast.getCountDownLatch(name).countDown()
    await replyLost
    await proxy.refuse()
    expect(await latch.trySetCount(5)).toBe(true)
    await proxy.accept()
    expect(await left).toBe(0)
    expect(await latch.count()).toBe(5)
  })

  it('lost latch: a repeated count-down fails when its count was deleted in between', async () => {
    const proxy = await openProxy(server)
    const [{ latch }, worker] = await Promise.all([open(), open({}, proxy.url)])
    await latch.trySetCount(3)
    expect(await worker.latch.countDown()).toBe(2)
    const replyLost = proxy.loseReply(await countsDownIn(latch))
    const outcome = failureOf(worker.holdfast.getCountDownLatch(name).countDown())
    await replyLost
    await proxy.refuse()
    await latch.delete()
    expect(await latch.trySetCount(5)).toBe(true)
    await proxy.accept()
    expect(await outcome).toBeInstanceOf(LatchGoneError)
    expect(await latch.count()).toBe(5)
  })

  it('a set whose reply was lost does not set a second count once its own is open', async () => {
    const proxy = await openProxy(server)
    const [{ latch }, setter] = await Promise.all([open(), open({}, proxy.url)])
    const replyLost = proxy.loseReply(runs('latchSet', inRedis.key))
    const isSet = setter.latch.trySetCount(1)
    await replyLost
    await proxy.refuse()
    expect(await latch.countDown()).toBe(0)
    await proxy.accept()
    expect(await isSet).toBe(true)
    expect(await latch.count()).toBe(0)
  })

  it('a set that was never carried out is, unless others were faster', async () => {
    const proxy = await openProxy(server)
    const [{ latch }, setter] = await Promise.all([open(), open({}, proxy.url)])
    await latch.trySetCount(1)
    await latch.countDown()
    await proxy.refuse()
    proxy.cut()
    const isSet = setter.latch.trySetCount(2)
    await nextEvent(setter.holdfast, 'error')
    expect(await latch.trySetCount(3)).toBe(true)
    await proxy.accept()
    expect(await isSet).toBe(false)
    expect(await latch.count()).toBe(3)
  })

  it('a count-down fails after a watchdog time, and reports each failure before', async () => {
    const proxy = await openProxy(server)
    const worker = await open({ watchdogTimeoutMs: 2_000, commandTimeoutMs: 1_000 }, proxy.url)
    await worker.latch.trySetCount(1)
    await proxy.refuse()
    proxy.cut()
    const reported = nextEvent(worker.holdfast, 'error')
    expect(await failureOf(worker.latch.countDown())).toMatchObject({
      code: 'UNAVAILABLE',
      lockName: name,
      message: expect.stringMatching(`^latch ${name}: `) as unknown,
    })
    expect(await reported).toBeInstanceOf(UnavailableError)
  })
})

describe('processes', () => {
  async function fork(as?: string) {
    const args = [server.url, name, ...(as === undefined ? [] : [as])]
    const worker = await forkWorker(join(__dirname, 'workers', 'latch.mjs'), { args })
    closeAfterTest(() => worker.kill())
    await worker.waitFor('ready')
    return {
      worker,
      call: async (type: string) => {
        await worker.send({ type })
        return (await worker.waitFor(type))['answer']
      },
    }
  }

  it('a party that died before it counted is missing, until another process counts for it, once', async () => {
    const { latch } = await open()
    await latch.trySetCount(2)
    const [waiter, dead, shard] = await Promise.all([fork(), fork('shard-1'), fork('shard-2')])
    await waiter.worker.send({ type: 'wait' })
    await inRedis.untilWaiting()
    expect(await shard.call('count down')).toBe(1)
    await dead.worker.kill()
    expect(await latch.tryWait()).toBe(false)
    const [restarted, again] = await Promise.all([fork('shard-1'), fork('shard-2')])
    expect(await again.call('count down')).toBe(1)
    expect(await restarted.call('count down')).toBe(0)
    expect((await waiter.worker.waitFor('wait'))['answer']).toBe('passed')
  })
})

describe('foreign data', () => {
  const foreign: [what: string, write: (key: string) => Promise<unknown>][] = [
    ['a string', (key) => redis.set(key, 'theirs', 'PX', 60_000)],
    ['a list', (key) => redis.rpush(key, 'theirs')],
    ['a hash that never expires', (key) => redis.hset(key, 'generation', '1')],
    ['a hash of something else', (key) => redis.multi().hset(key, 'f', '1').pexpire(key, 60_000).exec()],
  ]

  it.each(foreign)('%s under the key of a latch is left alone', async (_, write) => {
    const { latch } = await open()
    deleteAfterTest(redis, inRedis.key)
    await write(inRedis.key)
    const before = await redis.dumpBuffer(inRedis.key)
    for (const call of [
      () => latch.trySetCount(1),
      () => latch.countDown(),
      () => latch.wait(),
      () => latch.tryWait(),
      () => latch.count(),
      () => latch.delete(),
      () => latch.inspect(),
    ]) {
      const failure = await failureOf(call())
      expect(failure).toBeInstanceOf(NotALockError)
      expect(failure).toMatchObject({
        message: expect.stringContaining('is already in use: the key {lock:') as unknown,
      })
    }
    expect(await redis.dumpBuffer(inRedis.key)).toEqual(before)
    expect(await redis.exists(inRedis.countedKey, inRedis.waitersKey)).toBe(0)
  })
})

it('a waiter passes for a count that was opened since it asked, although another one is set', async () => {
  const { key, countedKey, keys } = inRedis
  const set = (named: number, setter: string) =>
    redis.eval(scripts.latchSet.lua, 2, key, countedKey, named, setter, 1, 60_000, '')
  const wait = async (awaited: number) =>
    (await redis.eval(scripts.latchWait.lua, 3, ...keys, awaited, 0, 60_000, 'inbox')) as number[]
  const [code, from = 0] = await wait(0)
  expect(code).toBe(0)
  await set(0, 'a')
  const generation = Number((await inRedis.fields())['generation'])
  await redis.eval(scripts.latchCountDown.lua, 3, ...keys, generation, 'party')
  await set(generation, 'b')
  expect(await wait(from)).toEqual([1, generation])
})

it('what was counted outlives a latch that a waiter keeps', async () => {
  const { key, countedKey, keys } = inRedis
  await redis.eval(scripts.latchSet.lua, 2, key, countedKey, 0, 'setter', 2, 60_000, '')
  const generation = Number((await inRedis.fields())['generation'])
  await redis.eval(scripts.latchCountDown.lua, 3, ...keys, generation, 'party')
  await redis.eval(scripts.latchWait.lua, 3, ...keys, 0, 0, 600_000, 'inbox')
  expect(await redis.pttl(countedKey)).toBeGreaterThan(await redis.pttl(key))
})

it('a latch is deleted although Redis refuses the notice, and the reply has the reason', async () => {
  await redis.call('ACL', 'SETUSER', 'mute', 'on', '>secret', '~*', '+@all', 'resetchannels')
  const mute = openRedisClient(server.url.replace('redis://', 'redis://mute:secret@'))
  const { key, countedKey, keys } = inRedis
  await redis.eval(scripts.latchSet.lua, 2, key, countedKey, 0, 'setter', 1, 60_000, '')
  await redis.eval(scripts.latchWait.lua, 3, ...keys, 0, 0, 60_000, 'inbox')
  const generation = Number((await inRedis.fields())['generation'])
  const reply = await mute.eval(scripts.latchDelete.lua, 3, ...keys, generation, 60_000)
  expect(reply).toMatchObject({ 0: 1, 6: expect.stringMatching(/NOPERM|channel/) as unknown })
  expect(Number((await inRedis.fields())['first'])).toBeGreaterThan(generation)
})

it('inspect() shows the named parties, however many others have counted down', async () => {
  const { latch } = await open()
  await latch.trySetCount(1_000)
  const names = Array.from({ length: 20 }, (_, n) => `shard-${String(n).padStart(2, '0')}`)
  await Promise.all(names.map((as) => latch.countDown({ as })))
  await Promise.all(Array.from({ length: 300 }, () => latch.countDown()))
  expect((await latch.inspect()).parties).toEqual(names)
})
