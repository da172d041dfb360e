import { startRedis, uniqueName, until } from '@holdfast/testkit'
import { type Redis } from 'ioredis'
import { type Holdfast } from '../src/index.js'
import { scripts } from '../src/redis/redisson/generated.js'
import { closeAfterTest, closeAll, deleteAfterTest, openProxy, openRedisClient } from './support/clients.js'
import { openShared, type SharedOptions } from './support/open-shared.js'
import { listen } from './support/redisson-channels.js'
import { untilLength } from './support/until-length.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()
let redis: Redis
let name: string

beforeEach(() => {
  redis = openRedisClient(server.url)
  name = uniqueName('latch')
  deleteAfterTest(redis, name)
})
afterEach(closeAll)

const countedKey = () => `{${name}}:latch:counted`
const channel = () => `redisson_countdownlatch__channel__{${name}}`

const open = (options: SharedOptions = {}, url = server.url): Holdfast => openShared(url, options)

const latchOf = (holdfast: Holdfast) => holdfast.getCountDownLatch(name)

const untilWaiting = (holdfast: Holdfast, count = 1) =>
  until(() => holdfast.stats().waiters === count, { what: `${count} waiters` })

/** As Java does it. */
const java = {
  async setCount(count: number) {
    await redis.set(name, count)
    await redis.publish(channel(), '1')
  },
  async open() {
    await redis.del(name)
    await redis.publish(channel(), '0')
  },
}

type Step = 'Set' | 'CountDown' | 'Delete' | 'Wait' | 'Inspect'

async function run(step: Step, ...args: (string | number)[]): Promise<unknown[]> {
  const { lua } = scripts[`redissonLatch${step}`]
  const reply = await redis.eval(lua, 2, name, countedKey(), ...args)
  if (!Array.isArray(reply)) throw new Error(`${step} replied ${String(reply)}`)
  return reply.map((each: unknown) => each)
}

describe('each step, carried out twice,', () => {
  const content = async () => ({ count: await redis.get(name), counted: await redis.hgetall(countedKey()) })

  async function twice(step: () => Promise<unknown[]>): Promise<unknown[]> {
    const first = await step()
    const before = await content()
    const second = await step()
    expect(await content()).toEqual(before)
    return [first[0], second[0]]
  }

  const set = (named: unknown, setter: string, count = 2) =>
    run('Set', Number(named), setter, count, 60_000, 'PUBLISH', channel())
  const countDown = (named: unknown, party: string) =>
    run('CountDown', Number(named), party, 'PUBLISH', channel())
  const generation = async () => (await run('Inspect', 0))[1]

  it('sets, counts down, opens and deletes once, with one message for each', async () => {
    const messages = await listen(server, 'PUBLISH', channel())
    expect(await twice(() => set(0, 'c:1'))).toEqual([1, 1])
    const first = await generation()
    expect((await set(first, 'c:2'))[0]).toBe(0)
    expect(await twice(() => countDown(first, 'c:3'))).toEqual([1, 1])
    expect(await redis.get(name)).toBe('1')
    expect(await twice(() => countDown(first, '@x'))).toEqual([1, 1])
    expect(await redis.exists(name)).toBe(0)
    expect(await twice(() => set(first, 'c:4', 1))).toEqual([1, 1])
    const second = Number(await generation())
    expect(await twice(() => run('Delete', second, 'PUBLISH', channel()))).toEqual([1, 0])
    await redis.publish(channel(), 'end')
    await untilLength(messages, 5)
    expect(messages).toEqual(['1', '0', '1', '1', 'end'])
  })

  it('counts nobody down in a later count, and sets none again', async () => {
    await set(0, 'c:1', 1)
    const first = await generation()
    await countDown(first, 'c:2')
    await set(first, 'c:3', 2)
    expect((await countDown(first, 'c:2'))[0]).toBe(0)
    expect((await set(0, 'c:1', 1))[0]).toBe(0)
    expect(await redis.get(name)).toBe('2')
    await java.open()
    await java.setCount(3)
    expect((await countDown(await generation(), 'c:2'))[0]).toBe(1)
    expect((await countDown(first, 'c:9'))[0]).toBe(0)
    expect(await redis.get(name)).toBe('2')
  })

  it('waits for the same count, also when what is kept beside it is lost', async () => {
    await java.setCount(2)
    const [code, first] = await run('Wait', 0)
    expect(code).toBe(2)
    await redis.del(countedKey())
    expect(await run('Wait', Number(first))).toEqual([2, first])
    await java.setCount(5)
    expect(await run('Wait', Number(first))).toEqual([1, first])
  })
})

it('is open without a count, as in Java, and closed once Java sets one', async () => {
  const latch = latchOf(open())
  expect([await latch.tryWait(), await latch.count(), await latch.countDown()]).toEqual([true, 0, 0])
  expect(await latch.delete()).toBe(false)
  await java.setCount(2)
  expect([await latch.tryWait(), await latch.count()]).toEqual([false, 2])
  expect(await latch.trySetCount(9)).toBe(false)
  expect(await latch.inspect()).toMatchObject({
    isSet: true,
    isOpen: false,
    count: 2,
    left: 2,
    remainingMs: Infinity,
  })
  expect(await latch.countDown({ as: 'x' })).toBe(1)
  expect(await latch.countDown({ as: 'x' })).toBe(1)
  expect((await latch.inspect()).parties).toEqual(['x'])
  expect(await latch.countDown()).toBe(0)
  expect(await redis.exists(name)).toBe(0)
})

it('lets those pass that are behind one that gives up at the same time', async () => {
  const holdfast = open()
  await java.setCount(1)
  const abort = new AbortController()
  const first = latchOf(holdfast).wait({ signal: abort.signal })
  await untilWaiting(holdfast)
  const second = latchOf(holdfast).wait()
  await untilWaiting(holdfast, 2)
  await redis.del(name)
  abort.abort(new Error('gives up'))
  await expect(first).rejects.toThrow('gives up')
  await second
})

it('is found open after a break of the connection in which it opened', async () => {
  const proxy = await openProxy(server)
  const holdfast = open({}, proxy.url)
  await java.setCount(1)
  const waiting = latchOf(holdfast).wait()
  await untilWaiting(holdfast)
  await proxy.refuse()
  await java.open()
  await proxy.accept()
  await waiting
})

it('that is lost by the server is open, as in Java', async () => {
  const other = await startRedis()
  closeAfterTest(() => other.stop())
  const holdfast = open({ watchdogTimeoutMs: 1_500 }, other.url)
  const latch = latchOf(holdfast)
  await latch.trySetCount(2)
  const waiting = latch.wait()
  await untilWaiting(holdfast)
  await other.restart()
  await waiting
})

it.each([
  ['a list', () => redis.rpush(name, 'x')],
  ['a text', () => redis.set(name, 'x')],
])('is refused where the key holds %s, which stays', async (_, write) => {
  await write()
  const before = await redis.dumpBuffer(name)
  const latch = latchOf(open())
  for (const call of [
    () => latch.trySetCount(1),
    () => latch.countDown(),
    () => latch.wait(),
    () => latch.count(),
    () => latch.delete(),
  ]) {
    await expect(call()).rejects.toMatchObject({ code: 'NOT_A_LOCK' })
  }
  expect(await redis.dumpBuffer(name)).toEqual(before)
})
