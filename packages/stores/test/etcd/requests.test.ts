import type { Queue } from '@holdfast/stores/sessions'
import { startEtcd, until, type EtcdServer } from '@holdfast/testkit'
import { Clients } from './support/clients.js'
import { Gateway } from './support/gateway.js'
import { BareStore, timeoutMs } from './support/stores.js'

let server: EtcdServer
let gateway: Gateway
const clients = new Clients()

beforeAll(async () => {
  server = await startEtcd()
  gateway = new Gateway(server.url)
})

afterEach(() => clients.closeAll())

afterAll(() => server.stop())

const open = (watchdogTimeoutMs = 30_000) => clients.open({ hosts: [server.url] }, { watchdogTimeoutMs })

/** What the server was asked while something ran. */
async function requestsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const calls = await gateway.calls()
  await work()
  const callsAfter = await gateway.calls()
  const counts: Record<string, number> = {}
  for (const [method, count] of Object.entries(callsAfter)) counts[method] = count - (calls[method] ?? 0)
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
}

const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((a, b) => a + b, 0)

it('proves 500 holds with two requests', async () => {
  const bare = await BareStore.open({ hosts: [server.url] })
  const queues = Array.from({ length: 500 }, (_, n): Queue => ({ name: `proven:${n}`, object: 'lock' }))
  const entries = await Promise.all(queues.map((queue, n) => bare.entered(queue, n)))
  let proven: readonly boolean[] = []
  const counts = await requestsOf(async () => {
    proven = await bare.store.prove(entries, timeoutMs)
  })
  expect(proven).toEqual(entries.map(() => true))
  expect(counts).toEqual({ LeaseKeepAlive: 1, Txn: 1 })
  await bare.store.close()
})

it('renews its holds and itself with two requests for each beat', async () => {
  const holdfast = open(6_000)
  let beats = 0
  holdfast.on('renewed', ({ name }) => (beats += name === 'kept:0' ? 1 : 0))
  await holdfast.getLock('first').withLock(() => undefined)
  // The client renews itself half a beat before or after its holds.
  const laterAt = performance.now() + 1_000
  await until(() => performance.now() > laterAt)
  const names = Array.from({ length: 50 }, (_, n) => `kept:${n}`)
  const leases = await Promise.all(names.map((name) => holdfast.getLock(name).lock()))
  await until(() => beats === 1)
  const counts = await requestsOf(() => until(() => beats === 3))
  // One more if the client renews itself at the edge of a beat.
  expect(counts['LeaseKeepAlive']).toBeLessThanOrEqual(3)
  expect(sum(counts)).toBe(2 * (counts['LeaseKeepAlive'] ?? 0))
  expect(leases.every(({ isHeld }) => isHeld)).toBe(true)
})
