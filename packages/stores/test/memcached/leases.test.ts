import { startMemcached, until } from '@holdfast/testkit'
import { Clients } from './support/clients.js'

const clients = new Clients()
const leaseMs = 3_000
const phases = 200

afterEach(() => clients.closeAll())

it('a lease lasts at least as long as was asked for, begun at 200 phases of a second, and little longer', async () => {
  await using server = await startMemcached()
  const [holder, rival] = [
    clients.open({ url: server.url }),
    clients.open({ url: server.url, pollMs: [100, 200] }),
  ]
  await holder.getLock('first').withLock(() => undefined)
  const openAt = performance.now()
  const lasted = await Promise.all(
    Array.from({ length: phases }, async (_, n) => {
      const beginsAt = openAt + (n * 1_000) / phases
      await until(() => performance.now() >= beginsAt, { everyMs: 1 })
      const lease = await holder.getLock(`phase-${n}`).lock({ leaseMs })
      // What is certain to be left now began no later than now.
      const heldUntil = performance.now() + lease.remainingMs()
      const claimed = performance.now()
      const next = await rival.getLock(`phase-${n}`).lock()
      expect(performance.now()).toBeGreaterThanOrEqual(heldUntil)
      expect(lease.isHeld).toBe(false)
      await next.unlock()
      return performance.now() - claimed
    }),
  )
  // Two seconds for the clock, one for its step, and the way of the waiter.
  expect(Math.max(...lasted)).toBeLessThan(leaseMs + 5_000)
})
