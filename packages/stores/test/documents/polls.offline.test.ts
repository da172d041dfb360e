import { Holdfast } from '@holdfast/core'
import { documentEngine } from '@holdfast/stores/documents'
import { until } from '@holdfast/testkit'
import { DocumentTable } from '@holdfast/sim/stores'
import { openClient } from './support/open-client.js'
import { requestOf } from './support/request-of.js'

const second = 1_000

/** How often waiting clients read and replace documents in half a second, once all of them wait. */
async function countOfWaiting(count: number, wait: (client: Holdfast) => Promise<unknown>) {
  const table = new DocumentTable()
  const engine = documentEngine(table)
  const open = (): Holdfast => new Holdfast({ engine })
  const holder = open()
  const clients = Array.from({ length: count }, open)
  const lease = await holder.getLock('x').lock()
  const permit = await holder.getSemaphore('x', { permits: 1 }).acquire()
  await holder.getCountDownLatch('x').trySetCount(1)
  const waiting = clients.map((client) => wait(client))
  await until(() => clients.every((client) => client.stats().waiters > 0))
  const pass = async (ms: number): Promise<void> => {
    const endMs = performance.now() + ms
    await until(() => performance.now() > endMs)
  }
  // Until each of them is entered.
  for (let seen = -1; seen < table.replacements;) {
    seen = table.replacements
    await pass(300)
  }
  const { reads, replacements } = table
  const startedAt = performance.now()
  await pass(500)
  // In half a second: a busy machine takes longer.
  const share = 500 / (performance.now() - startedAt)
  const counts = { reads: share * (table.reads - reads), replacements: table.replacements - replacements }
  await Promise.all([lease.unlock(), permit.release(), holder.getCountDownLatch('x').countDown()])
  await Promise.all(waiting)
  await Promise.all([holder, ...clients].map((client) => client.close()))
  return counts
}

const ways: Record<string, (client: Holdfast) => Promise<unknown>> = {
  lock: (client) => client.getLock('x').withLock(() => undefined),
  semaphore: (client) => client.getSemaphore('x', { permits: 1 }).withPermits(() => undefined),
  latch: (client) => client.getCountDownLatch('x').wait(),
}

describe('waiting clients look at a bounded rate, and write nothing', () => {
  it.each([
    ['lock', 1, 30],
    ['lock', 10, 110],
    ['lock', 50, 375],
    ['semaphore', 50, 375],
    ['latch', 50, 375],
  ])('for a %s: %i clients', async (object, count, mostReads) => {
    const wait = ways[object]
    if (!wait) throw new Error('no such object')
    const { reads, replacements } = await countOfWaiting(count, wait)
    expect(replacements).toBe(0)
    expect(reads).toBeGreaterThan(0)
    expect(reads).toBeLessThan(mostReads)
  })

  it('50 waiters of one client look as often as one', async () => {
    const many = (client: Holdfast) =>
      Promise.all(Array.from({ length: 50 }, () => client.getLock('x').withLock(() => undefined)))
    const { reads, replacements } = await countOfWaiting(1, many)
    expect(replacements).toBe(0)
    expect(reads).toBeLessThan(30)
  })
})

it('the entry of a waiter that looks again and again stays alive: it is written once half of its time is over', async () => {
  const table = new DocumentTable()
  const [a, b] = [await openClient(table, 'a'), await openClient(table, 'b')]
  const acquire = (client: typeof a, owner: string) =>
    client.session.steps.acquire(
      client.locate('x'),
      requestOf(owner, { leaseMs: 600_000, entryTtlMs: 10_000 }),
      second,
    )
  await acquire(a, 'a:1')
  await acquire(b, 'b:1')
  const written: number[] = []
  table.beforeReplacing = () => {
    written.push(passedMs)
  }
  let passedMs = 0
  for (; passedMs < 40_000; passedMs += 1_000) {
    expect(await acquire(b, 'b:1')).toMatchObject({ kind: 'busy', position: 1 })
    table.offsetMs += 1_000
  }
  expect(written).toEqual([5_000, 10_000, 15_000, 20_000, 25_000, 30_000, 35_000])
})

it('waiters that begin while a store is closed queue once it is open, and all are served, however long it was', async () => {
  const table = new DocumentTable({ graceMs: 1_500 })
  const engine = documentEngine(table)
  const clients = Array.from({ length: 4 }, () => new Holdfast({ engine, commandTimeoutMs: 300 }))
  await Promise.all(clients.map((client) => client.ping()))
  table.wipe()
  const passes = clients.flatMap((client) =>
    Array.from({ length: 8 }, () => client.getLock('x').withLock({ waitMs: 10_000 }, () => undefined)),
  )
  await Promise.all(passes)
  await Promise.all(clients.map((client) => client.close()))
})
