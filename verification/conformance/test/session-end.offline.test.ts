import { Holdfast } from '@holdfast/core'
import { stall } from '../src/support/observing.js'
import { sessionEngine } from './support/session-engine.js'
import { SessionStore } from './support/session-store.js'

const watchdogTimeoutMs = 400
const opened: Holdfast[] = []

function openOn(
  store: SessionStore,
  options: { readonly label: string; readonly watchdogTimeoutMs: number },
) {
  const holdfast = new Holdfast({ ...options, engine: sessionEngine(store) })
  opened.push(holdfast)
  return holdfast
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((holdfast) => holdfast.close()))
})

it('a process that stood still past its session does not claim, on the first line, what a rival has by then', async () => {
  const store = new SessionStore()
  const holder = openOn(store, { label: 'holder', watchdogTimeoutMs })
  const rival = openOn(store, { label: 'rival', watchdogTimeoutMs: 60_000 })
  const lease = await holder.getLock('job').lock({ leaseMs: 60_000 })
  const waiting = rival.getLock('job').lock()
  await rival.getLock('job').inspect()
  stall(watchdogTimeoutMs + 50)
  const { owner } = store.inspect('job', 0)
  const { isHeld } = lease
  expect(isHeld).toBe(false)
  expect(owner).not.toBe(lease.owner)
  expect(owner).not.toBe('')
  expect(lease.remainingMs()).toBe(0)
  expect(lease.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'expired' })
  expect(String(lease.signal.reason)).toContain('the session of this client at the store ended')
  await (await waiting).unlock()
})

it('a lease claims no more time than its session has left', async () => {
  const holder = openOn(new SessionStore(), { label: 'holder', watchdogTimeoutMs })
  const lease = await holder.getLock('job').lock({ leaseMs: 60_000 })
  expect(lease.remainingMs()).toBeLessThanOrEqual(watchdogTimeoutMs)
  expect(lease.remainingMs()).toBeGreaterThan(0)
  await lease.unlock()
})

it('no hold comes back to life with the next session of its client', async () => {
  const store = new SessionStore()
  const holder = openOn(store, { label: 'holder', watchdogTimeoutMs })
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
