import { InvalidArgumentError, LockLostError, NotOwnerError } from '@holdfast/core'
import { expect } from '../../expect/expect.js'
import { until } from '../../support/until.js'
import { failureOf, nextEvent, renewals, whenAborted } from '../../support/observing.js'
import type { Suite } from '../../support/suite.js'

/** How long a hold lasts. */
export function describeLeases(suite: Suite): void {
  const it = suite.scenarios()

  suite.part('always: leases', () => {
    it('the watchdog renews a hold for as long as the job runs', async () => {
      const { watchdogTimeoutMs } = suite.times
      const { holdfast, lock } = await suite.open({ watchdogTimeoutMs })
      // The fourth is later than the first lease would have ended.
      const renewedOften = renewals(holdfast, 4)
      await lock.withLock(async (lease) => {
        await renewedOften
        expect(lease.isHeld).toBe(true)
        expect((await suite.inspect()).holder).toMatchObject({ owner: lease.owner })
      })
    })

    it('a fixed lease ends on its own, and its holder is notified at the deadline', async () => {
      const [{ holdfast, lock }, other] = await Promise.all([suite.open(), suite.open()])
      const lost = nextEvent(holdfast, 'lost')
      const lease = await lock.lock({ leaseMs: suite.times.leaseMs })
      await whenAborted(lease.signal)
      expect(lease.isHeld).toBe(false)
      expect(lease.signal.reason).toMatchObject({ reason: 'ended', owner: lease.owner })
      expect(String(lease.signal.reason)).toContain('Leave leaseMs out to have it renewed')
      expect(await lost).toMatchObject({ name: lock.name, owner: lease.owner })
      const next = await other.lock.lock({ waitMs: suite.times.leaseMs + suite.times.promptMs })
      expect(next.isHeld).toBe(true)
      await next.unlock()
    })

    it('extend lengthens a fixed lease, and never shortens it', async () => {
      const { lock } = await suite.open({ watchdogTimeoutMs: 60_000 })
      const lease = await lock.lock({ leaseMs: suite.times.watchdogTimeoutMs })
      await lease.extend(60_000)
      expect(lease.remainingMs()).toBeGreaterThan(50_000)
      await lease.extend(suite.times.leaseMs)
      expect(lease.remainingMs()).toBeGreaterThan(50_000)
      expect(await lock.remainingMs()).toBeGreaterThan(50_000)
      await lease.unlock()
    })

    it('extend is refused for a lease that the watchdog renews, and as not owned after unlock', async () => {
      const { lock } = await suite.open()
      const watched = await lock.lock()
      expect(await failureOf(watched.extend(10_000))).toBeInstanceOf(InvalidArgumentError)
      await watched.unlock()
      expect(await failureOf(watched.extend(10_000))).toBeInstanceOf(NotOwnerError)
      const fixed = await lock.lock({ leaseMs: 10_000 })
      await fixed.unlock()
      expect(await failureOf(fixed.extend(10_000))).toBeInstanceOf(NotOwnerError)
    })

    it('extend of a lease that has ended is a loss', async () => {
      const { lock } = await suite.open()
      const lease = await lock.lock({ leaseMs: suite.times.leaseMs })
      await whenAborted(lease.signal)
      expect(await failureOf(lease.extend(10_000))).toBeInstanceOf(LockLostError)
      expect(await failureOf(lease.unlock())).toBeInstanceOf(LockLostError)
    })

    it('maxHoldMs limits renewal, and the store keeps the hold no longer', async () => {
      const { watchdogTimeoutMs, leaseMs } = suite.times
      const {
        lease: { stepMs },
      } = suite.traits
      const maxHoldMs = watchdogTimeoutMs + leaseMs
      const { holdfast, lock } = await suite.open({ watchdogTimeoutMs })
      const startedAt = performance.now()
      const lease = await lock.lock({ maxHoldMs })
      const grantedBy = performance.now()
      let latest = 0
      holdfast.on('renewed', ({ remainingMs }) => {
        latest = Math.max(latest, performance.now() + remainingMs)
      })
      const lostAt = await whenAborted(lease.signal)
      expect(lostAt - startedAt).toBeGreaterThan(watchdogTimeoutMs)
      expect(String(lease.signal.reason)).toContain('the hold limit (maxHoldMs) passed')
      expect(latest - grantedBy).toBeLessThanOrEqual(maxHoldMs)
      await until(async () => !(await lock.isLocked()), { timeoutMs: stepMs + 5_000 })
    })

    it('a nested maxHoldMs ends the hold only while the nested lease is open', async () => {
      const { watchdogTimeoutMs, leaseMs: maxHoldMs } = suite.times
      const { holdfast, lock } = await suite.open({ watchdogTimeoutMs })
      const failure = await failureOf(
        lock.withLock(async (outer) => {
          await lock.withLock({ maxHoldMs }, () => undefined)
          await renewals(holdfast, 2)
          expect(outer.isHeld).toBe(true)
          await lock.withLock({ maxHoldMs }, () => whenAborted(outer.signal))
        }),
      )
      expect(failure).toMatchObject({ code: 'LOCK_LOST', reason: 'ended' })
    })

    it('a nested maxHoldMs frees the lock in time, whatever lease the store was asked for', async () => {
      const { leaseMs: maxHoldMs, promptMs } = suite.times
      const [{ lock }, other] = await Promise.all([suite.open(), suite.open()])
      const outer = await lock.lock()
      const startedAt = performance.now()
      const inner = await outer.run(() => lock.lock({ maxHoldMs }))
      expect(inner.remainingMs()).toBeLessThanOrEqual(maxHoldMs)
      const lostAt = await whenAborted(outer.signal)
      expect(lostAt - startedAt).toBeGreaterThanOrEqual(maxHoldMs - 1)
      await (await other.lock.lock({ waitMs: promptMs })).unlock()
      for (const lease of [inner, outer]) {
        expect(await failureOf(lease.unlock())).toMatchObject({ reason: 'ended' })
      }
    })
  })
}
