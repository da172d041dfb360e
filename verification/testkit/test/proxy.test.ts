import { once } from 'node:events'
import { connect } from 'node:net'
import { Redis } from 'ioredis'
import { startProxy, startRedis, until, type FaultProxy, type RedisServer } from '../src/index.js'

let server: RedisServer
let proxy: FaultProxy
let redis: Redis

beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())

beforeEach(async () => {
  proxy = await startProxy(server)
  redis = newClient()
})
afterEach(async () => {
  close(redis)
  await proxy.close()
  await server.call('FLUSHALL')
})

function newClient(): Redis {
  const client = new Redis(proxy.url, {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  })
  client.on('error', () => undefined)
  return client
}

/** On a connection that has ended, disconnect() would start a timer that nothing clears. */
function close(client: Redis): void {
  if (client.status !== 'end') client.disconnect()
}

/** Whether the promise settles within a short time. */
async function settlesSoon(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  const mark = () => {
    settled = true
  }
  promise.then(mark, mark)
  return until(() => settled, { timeoutMs: 150 }).catch(() => false)
}

it('a black hole towards the server keeps requests until it is healed', async () => {
  await redis.connect()
  proxy.blackHole('toServer')
  const reply = redis.set('k', 'v')
  expect(await settlesSoon(reply)).toBe(false)
  await expect(server.call('GET', 'k')).resolves.toBeNull()
  proxy.heal()
  await expect(reply).resolves.toBe('OK')
})

it('a black hole towards the client keeps replies, while the server has executed the request', async () => {
  await redis.connect()
  proxy.blackHole('toClient')
  const reply = redis.set('k', 'v')
  await until(async () => (await server.call('GET', 'k')) === 'v')
  expect(await settlesSoon(reply)).toBe(false)
  proxy.heal()
  await expect(reply).resolves.toBe('OK')
})

it('the end of a connection does not get through a black hole', async () => {
  await redis.connect()
  const id = await redis.client('ID')
  const seen = async () => String(await server.call('CLIENT', 'LIST')).includes(`id=${String(id)} `)
  proxy.blackHole('both')
  redis.disconnect()
  await expect(until(async () => !(await seen()), { timeoutMs: 100 })).rejects.toThrow('waited')
  proxy.heal()
  await until(async () => !(await seen()), { what: 'the server to see the end' })
})

it('dropped bytes never arrive, and healing resets the connection that lost them', async () => {
  await redis.connect()
  proxy.blackHole('both', { drop: true })
  const reply = redis.set('k', 'v')
  expect(await settlesSoon(reply)).toBe(false)
  proxy.heal()
  await expect(reply).rejects.toThrow()
  await expect(server.call('GET', 'k')).resolves.toBeNull()
  await until(() => proxy.connections === 0)
})

it('delay holds each direction back and keeps the order', async () => {
  await redis.connect()
  proxy.delay(40)
  const startedAt = performance.now()
  await expect(Promise.all([redis.incr('n'), redis.incr('n')])).resolves.toEqual([1, 2])
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(79)
  proxy.delay(0)
  await expect(redis.incr('n')).resolves.toBe(3)
})

it('jitter adds a random part to the delay and never changes the order', async () => {
  await redis.connect()
  const randoms = [0.9, 0, 0.5, 0.1]
  let asked = 0
  proxy.delay(10, { jitterMs: 100, random: () => randoms[asked++ % randoms.length] ?? 0 })
  const order: number[] = []
  const replies: Promise<unknown>[] = []
  for (let n = 0; n < 8; n += 1) {
    replies.push(redis.rpush('list', n).then((length) => order.push(length)))
    await new Promise((resolve) => setImmediate(resolve))
  }
  await Promise.all(replies)
  expect(asked).toBeGreaterThanOrEqual(2)
  expect(order).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  await expect(server.call('LRANGE', 'list', 0, -1)).resolves.toEqual([
    '0',
    '1',
    '2',
    '3',
    '4',
    '5',
    '6',
    '7',
  ])
})

it('a narrow connection is slow, loses nothing, and can be widened during the transfer', async () => {
  await redis.connect()
  const large = 'x'.repeat(20_000)
  proxy.bandwidth(50_000)
  const startedAt = performance.now()
  await redis.set('large', large)
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(350)
  await expect(server.call('GET', 'large')).resolves.toBe(large)
  proxy.bandwidth(100)
  const reply = redis.get('large')
  expect(await settlesSoon(reply)).toBe(false)
  proxy.bandwidth(Infinity)
  await expect(reply).resolves.toBe(large)
  expect(() => proxy.bandwidth(0)).toThrow(RangeError)
})

it('cut resets open connections and accepts new ones', async () => {
  await redis.connect()
  const socket = connect({ host: proxy.host, port: proxy.port })
  await once(socket, 'connect')
  await until(() => proxy.connections === 2)
  const failed = once(socket, 'error')
  proxy.cut()
  await expect(failed).resolves.toMatchObject([{ code: 'ECONNRESET' }])
  await until(() => redis.status === 'end')
  const next = newClient()
  await expect(next.ping()).resolves.toBe('PONG')
  close(next)
})

it('while it refuses, open connections stay open and new ones fail', async () => {
  await redis.connect()
  await proxy.refuse()
  const next = newClient()
  await expect(next.connect()).rejects.toThrow()
  await expect(redis.ping()).resolves.toBe('PONG')
  await proxy.accept()
  await next.connect()
  await expect(next.ping()).resolves.toBe('PONG')
  close(next)
})

it('a lost reply: the request runs, its connection is reset, and no other reply is lost', async () => {
  await redis.connect()
  const lost = proxy.loseReply((request) => request.startsWith('incr n'))
  const [before, during, after] = await Promise.allSettled([
    redis.set('k', 'v'),
    redis.incr('n'),
    redis.set('k', 'w'),
    lost,
  ])
  expect(before).toMatchObject({ status: 'fulfilled', value: 'OK' })
  expect(during).toMatchObject({ status: 'rejected' })
  expect(after).toMatchObject({ status: 'rejected' })
  await expect(server.call('GET', 'n')).resolves.toBe('1')
  await expect(server.call('GET', 'k')).resolves.toBe('v')
})
