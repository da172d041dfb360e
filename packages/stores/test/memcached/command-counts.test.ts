import { startMemcached, startProxy, type MemcachedServer } from '@holdfast/testkit'
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
