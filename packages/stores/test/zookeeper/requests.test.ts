import type { Lease } from '@holdfast/core'
import { startZooKeeper, uniqueName, until, type LocalZooKeeper } from '@holdfast/testkit'
import { Clients } from './support/clients.js'
import { RequestCount } from './support/request-count.js'

const clients = new Clients()
let server: LocalZooKeeper
let requests: RequestCount

beforeAll(async () => {
  server = await startZooKeeper()
  requests = await RequestCount.start(server)
})
afterEach(() => clients.closeAll())
afterAll(async () => {
  await requests.stop()
  await server.stop()
})

async function countOf(work: () => Promise<unknown>): Promise<number> {
  const before = requests.count
  await work()
  return requests.count - before
}

it('500 holds are renewed by one request per beat', async () => {
  const watchdogTimeoutMs = 9_000
  const holdfast = clients.open(requests.connect, { watchdogTimeoutMs })
  const leases: Lease[] = []
  while (leases.length < 500) {
    const more = Array.from({ length: 50 }, () => holdfast.getLock(uniqueName('many')).lock())
    leases.push(...(await Promise.all(more)))
  }
  const beats = async (count: number): Promise<void> => {
    const end = performance.now() + count * (watchdogTimeoutMs / 3)
    await until(() => performance.now() >= end)
  }
  await beats(1)
  const before = requests.proofs
  const count = await countOf(() => beats(3))
  expect(count).toBeGreaterThanOrEqual(2)
  expect(count).toBeLessThanOrEqual(4)
  // Nor is there another one for the client itself.
  expect(requests.proofs - before).toBe(count)
  expect(leases.every(({ isHeld }) => isHeld)).toBe(true)
})

it('waits that were given up leave a watch for each entry that is still there, and no more', async () => {
  const name = uniqueName('impatient')
  const [holder, other] = [clients.open(requests.connect), clients.open(requests.connect)]
  const lease = await holder.getLock(name).lock()
  const before = await watchCount()
  for (let n = 0; n < 5; n += 1) {
    const abort = new AbortController()
    const waits = Array.from({ length: 20 }, () => other.getLock(name).lock({ signal: abort.signal }))
    const ends = Promise.allSettled(waits)
    await until(async () => (await holder.getLock(name).inspect()).waiterCount === waits.length)
    abort.abort(new Error('given up'))
    expect(new Set((await ends).map(({ status }) => status))).toEqual(new Set(['rejected']))
  }
  // That of the holder, and that of the directory.
  expect((await watchCount()) - before).toBeLessThanOrEqual(2)
  await lease.unlock()
  expect((await watchCount()) - before).toBeLessThanOrEqual(1)
})

async function watchCount(): Promise<number> {
  const found = /Total watches:(\d+)/.exec(await server.ask('wchs'))
  if (!found) throw new Error('the server counts no watches')
  return Number(found[1])
}
