import { fillMemory, startRedis, uniqueName, until, type RedisServer } from '@holdfast/testkit'
import type { Holdfast } from '../src/index.js'
import { closeAfterTest, closeAll, openClient } from './support/clients.js'

const watchdogTimeoutMs = 2_000

let server: RedisServer
let holdfast: Holdfast
let other: Holdfast

beforeEach(async () => {
  server = await startRedis()
  closeAfterTest(() => server.stop())
  holdfast = openClient(server.url, { watchdogTimeoutMs })
  other = openClient(server.url, { watchdogTimeoutMs })
})

afterEach(closeAll)

const aLeaseAndMore = (since = performance.now()) =>
  until(() => performance.now() - since > 1.5 * watchdogTimeoutMs, { what: 'leases to end unless renewed' })

it('holds of every kind are renewed, entered again and left while Redis is out of memory', async () => {
  const lock = holdfast.getLock(uniqueName('full'))
  const { read } = holdfast.getReadWriteLock(uniqueName('full'))
  const { write } = holdfast.getReadWriteLock(uniqueName('full'))
  const semaphore = holdfast.getSemaphore(uniqueName('full'), { permits: 5 })
  const leases = await Promise.all([lock, read, write].map((each) => each.lock()))
  const permits = await semaphore.acquire({ permits: 2 })
  await using _full = await fillMemory(server)
  await aLeaseAndMore()
  expect([...leases, permits].map(({ isHeld }) => isHeld)).toEqual([true, true, true, true])
  const counts = await Promise.all(
    leases.map((lease, i) => lease.run(() => [lock, read, write][i]?.withLock(({ holdCount }) => holdCount))),
  )
  expect(counts).toEqual([2, 2, 2])
  await Promise.all([...leases.map((lease) => lease.unlock()), permits.release()])
  await expect(Promise.all([lock, read, write].map((each) => each.isLocked()))).resolves.toEqual([
    false,
    false,
    false,
  ])
})

it.each(['lock', 'read/write lock'])(
  'who waits for a %s keeps its position while Redis is out of memory',
  async (kind) => {
    const name = uniqueName('full')
    const of = (client: Holdfast) =>
      kind === 'lock' ? client.getLock(name) : client.getReadWriteLock(name).write
    const holder = await of(holdfast).lock()
    const order: number[] = []
    const waiters: Promise<void>[] = []
    for (const n of [1, 2]) {
      waiters.push(of(other).withLock(() => void order.push(n)))
      await until(async () => (await of(holdfast).inspect()).waiterCount === n)
    }
    await using _full = await fillMemory(server)
    await aLeaseAndMore()
    await expect(of(holdfast).inspect()).resolves.toMatchObject({ waiterCount: 2 })
    await holder.unlock()
    await Promise.all(waiters)
    expect(order).toEqual([1, 2])
  },
)

it('a new hold is refused, and the refusal says what Redis lacks', async () => {
  const lock = holdfast.getLock(uniqueName('full'))
  await lock.withLock(() => undefined)
  await using _full = await fillMemory(server)
  await expect(lock.lock({ waitMs: 2_000 })).rejects.toThrow(
    /has reached its maxmemory.*locks that are held stay held/,
  )
})
