import { Holdfast } from '@holdfast/core'
import { memoryQueueEngine, MemoryQueues } from '@holdfast/sim/stores'

const watchdogTimeoutMs = 400

const stall = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

const opened: Holdfast[] = []

function openOn(
  queues: MemoryQueues,
  options: { readonly label: string; readonly watchdogTimeoutMs: number },
) {
  const holdfast = new Holdfast({ ...options, engine: memoryQueueEngine(queues) })
  opened.push(holdfast)
  return holdfast
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((holdfast) => holdfast.close()))
})

it('a process that stood still past its session does not claim, on the first line, what a rival has by then', async () => {
  const queues = new MemoryQueues()
  const holder = openOn(queues, { label: 'holder', watchdogTimeoutMs })
  const rival = openOn(queues, { label: 'rival', watchdogTimeoutMs: 60_000 })
  const lease = await holder.getLock('job').lock({ leaseMs: 60_000 })
  const waiting = rival.getLock('job').lock()
  await rival.getLock('job').inspect()
  stall(watchdogTimeoutMs + 50)
  const { isHeld } = lease
  expect(isHeld).toBe(false)
  expect(lease.remainingMs()).toBe(0)
  expect(lease.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'expired' })
  expect(String(lease.signal.reason)).toContain('the session of this client at the store ended')
  await (await waiting).unlock()
})

it('a lease claims no more time than its session has left', async () => {
  const holder = openOn(new MemoryQueues(), { label: 'holder', watchdogTimeoutMs })
  const lease = await holder.getLock('job').lock({ leaseMs: 60_000 })
  expect(lease.remainingMs()).toBeLessThanOrEqual(watchdogTimeoutMs)
  expect(lease.remainingMs()).toBeGreaterThan(0)
  await lease.unlock()
})

it('no hold comes back to life with the next session of its client', async () => {
  const queues = new MemoryQueues()
  const holder = openOn(queues, { label: 'holder', watchdogTimeoutMs })
  const lost: string[] = []
  holder.on('lost', ({ name }) => lost.push(name))
  const lease = await holder.getLock('job').lock({ leaseMs: 60_000 })
  stall(watchdogTimeoutMs + 50)
  // Before any timer: a step of another lock has the next session begin.
  const other = await holder.getLock('other').lock()
  expect(other.isHeld).toBe(true)
  expect(lease.isHeld).toBe(false)
  expect(lost).toEqual(['job'])
  await other.unlock()
})
