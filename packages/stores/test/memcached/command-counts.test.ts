import { startMemcached, startProxy, until, type MemcachedServer } from '@holdfast/testkit'
import { Clients } from './support/clients.js'

const clients = new Clients()
let server: MemcachedServer

beforeAll(async () => {
  server = await startMemcached()
})
afterEach(() => clients.closeAll())
afterAll(() => server.stop())

it('a cycle of a lock that nobody else wants sends 6 commands, in 4 trips', async () => {
  const proxy = await startProxy(server, 'memcached')
  const commands: string[] = []
  // Sees all commands, and loses the reply to none.
  void proxy.loseReply((command) => {
    commands.push(command)
    return false
  })
  const holdfast = clients.open({ url: `memcached://${proxy.host}:${proxy.port}` })
  const lock = holdfast.getLock('alone')
  await lock.withLock(() => undefined)
  const sentForNew: number[] = []
  for (let n = 0; n < 4; n += 1) {
    const before = commands.length
    await holdfast.getLock(`new:${n}`).withLock(() => undefined)
    sentForNew.push(commands.length - before)
  }
  // Long beside what a busy machine adds to a trip.
  const oneWayMs = 100
  proxy.delay(oneWayMs, { isExact: true })
  const cycles: { readonly sent: number; readonly trips: number }[] = []
  for (let n = 0; n < 4; n += 1) {
    const [before, startedAt] = [commands.length, performance.now()]
    await lock.withLock(() => undefined)
    cycles.push({
      sent: commands.length - before,
      trips: Math.floor((performance.now() - startedAt) / (2 * oneWayMs)),
    })
  }
  // Now and then a client looks at the clock key, and a process stands still for a moment.
  expect(Math.min(...cycles.map(({ sent }) => sent))).toBeLessThanOrEqual(6)
  // An `add` is checked against the clock key.
  expect(Math.min(...sentForNew)).toBe(7)
  expect(Math.min(...cycles.map(({ trips }) => trips))).toBeLessThanOrEqual(4)
  await clients.closeAll()
  await proxy.close()
})

it('50 clients that wait for one lock send at most 1 500 commands a second', async () => {
  const held = await clients.open({ url: server.url }).getLock('wanted').lock()
  const waiters = Array.from({ length: 50 }, () => clients.open({ url: server.url }))
  const abort = new AbortController()
  const waits = waiters.map((waiter) =>
    waiter
      .getLock('wanted')
      .lock({ signal: abort.signal })
      .catch(() => null),
  )
  await until(async () => (await waiters[0]?.getLock('wanted').inspect())?.waiterCount === 50)
  const [before, startedAt] = [await server.commands(), performance.now()]
  const windowEndsAt = startedAt + 2_000
  await until(() => performance.now() > windowEndsAt)
  const perSecond = ((await server.commands()) - before) / ((performance.now() - startedAt) / 1_000)
  expect(perSecond).toBeLessThanOrEqual(1_500)
  // And they do wait.
  expect(perSecond).toBeGreaterThan(10)
  abort.abort()
  await Promise.all(waits)
  await held.unlock()
})
