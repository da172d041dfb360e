import { once } from 'node:events'
import { createServer } from 'node:net'
import { ClosedError, UnavailableError } from '@holdfast/core'
import {
  startMemcached,
  startProxy,
  until,
  watchResources,
  type FaultProxy,
  type MemcachedServer,
} from '@holdfast/testkit'
import { BareSession, timeoutMs } from './support/bare-session.js'

let server: MemcachedServer
const cleanups: (() => unknown)[] = []

beforeAll(async () => {
  server = await startMemcached()
})

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

afterAll(() => server.stop())

async function open(): Promise<{ readonly session: BareSession; readonly proxy: FaultProxy }> {
  const proxy = await startProxy(server, 'memcached')
  const session = BareSession.of({ url: `memcached://${proxy.host}:${proxy.port}` })
  cleanups.push(
    () => session.close(),
    () => proxy.close(),
  )
  await session.prepare()
  await session.textOf('a')
  return { session, proxy }
}

/** What it rejected with, and how long it took. */
async function failureOf(work: Promise<unknown>): Promise<{ readonly error: unknown; readonly ms: number }> {
  const startedAt = performance.now()
  const error = await work.then(
    (value) => new Error(`expected a rejection, got ${String(value)}`),
    (reason: unknown) => reason,
  )
  return { error, ms: performance.now() - startedAt }
}

it('ends a request by its time in a black hole, gives the connection up, and has another once it can', async () => {
  const { session, proxy } = await open()
  proxy.blackHole('both', { drop: true })
  const { error, ms } = await failureOf(session.read('a', 150))
  expect(error).toBeInstanceOf(UnavailableError)
  expect(ms).toBeGreaterThanOrEqual(149)
  // The look at the clock each second finds the silence, whoever else asks.
  await until(() => session.events.includes('broken'), { timeoutMs: 10_000 })
  expect(session.connectionEpoch).toBe(1)
  proxy.heal()
  await until(() => session.textOf('a').then(() => true), { timeoutMs: 20_000 })
})

it('keeps a connection that is slow for longer than one request may take', async () => {
  const { session, proxy } = await open()
  proxy.delay(60)
  expect((await failureOf(session.read('a', 50))).error).toBeInstanceOf(UnavailableError)
  // The late reply is not taken for that of the next request.
  expect(await session.write('a', 'x')).toBe(true)
  expect(await session.textOf('a')).toBe('x')
  expect(session.connectionEpoch).toBe(0)
})

it('writes requests of one turn at once, and pairs their replies', async () => {
  const { session } = await open()
  const keys = Array.from({ length: 300 }, (_, n) => `k${n}`)
  await Promise.all(keys.map((key) => session.write(key, `of ${key}`)))
  expect(await Promise.all(keys.map((key) => session.textOf(key)))).toEqual(keys.map((key) => `of ${key}`))
})

it('waits for no server that accepts connections and says nothing longer than it may', async () => {
  const silent = createServer((socket) => {
    cleanups.push(() => socket.destroy())
  })
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  cleanups.push(() => silent.close())
  const address = silent.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const session = BareSession.of({ url: `memcached://127.0.0.1:${port}` }, 400)
  cleanups.push(() => session.close())
  const { error, ms } = await failureOf(session.prepare())
  expect(error).toBeInstanceOf(UnavailableError)
  // Node.js counts from the time at which it last looked at the clock: on a busy machine a little less.
  expect(ms).toBeGreaterThan(300)
})

it('ends with close, whatever is in flight, and leaves nothing open', async () => {
  const resources = watchResources()
  const session = BareSession.of({ url: server.url })
  await session.prepare()
  const read = failureOf(session.read('a', timeoutMs))
  await session.close()
  expect((await read).error).toBeInstanceOf(ClosedError)
  expect((await failureOf(session.read('a', timeoutMs))).error).toBeInstanceOf(ClosedError)
  await resources.expectNone()
})
