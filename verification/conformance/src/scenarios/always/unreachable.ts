import { setImmediate as nextTurn } from 'node:timers/promises'
import { ClosedError, LockLostError, UnavailableError } from '@holdfast/core'
import { expect } from '../../expect/expect.js'
import { until } from '../../support/until.js'
import { failureOf, nextEvent, untilWaiters, whenAborted } from '../../support/observing.js'
import type { Suite } from '../../support/suite.js'

/** What callers get while the store does not respond. */
export function describeUnreachable(suite: Suite): void {
  const linked = { needs: ['openLinked'] } as const

  /** What it ended with, and how long that took. */
  const timed = async (work: Promise<unknown>): Promise<{ result: unknown; tookMs: number }> => {
    const startedAt = performance.now()
    const result = await work.catch((error: unknown) => error)
    return { result, tookMs: performance.now() - startedAt }
  }

  const it = suite.scenarios(linked)

  suite.part('always: an unresponsive store', () => {
    it('tryLock rejects on time while the state of the lock is not known', async () => {
      const { lock, link } = await suite.openLinked({ commandTimeoutMs: 20_000 })
      link.blackHole('both')
      // Node counts a timer from the start of the running turn of the event loop: not of one that began a while ago.
      await nextTurn()
      const { result, tookMs } = await timed(lock.tryLock({ waitMs: 1_500 }))
      expect(result).toBeInstanceOf(UnavailableError)
      expect(tookMs).toBeGreaterThanOrEqual(450)
      suite.expectInTime(tookMs, 5_000)
    })

    it('tryLock is null on time when another owner was known to hold the lock', async () => {
      const [holder, waiter] = await Promise.all([
        suite.open(),
        suite.openLinked({ commandTimeoutMs: 20_000 }),
      ])
      const held = await holder.lock.lock()
      const waiting = timed(waiter.lock.tryLock({ waitMs: 1_000 }))
      await untilWaiters(waiter.holdfast, 1)
      waiter.link.blackHole('both')
      const { result, tookMs } = await waiting
      expect(result).toBeNull()
      suite.expectInTime(tookMs, 5_000)
      await held.unlock()
    })

    it('a single attempt rejects after commandTimeoutMs', async () => {
      const { lock, link } = await suite.openLinked({ commandTimeoutMs: 300 })
      link.blackHole('both')
      const { result, tookMs } = await timed(lock.tryLock())
      expect(result).toBeInstanceOf(UnavailableError)
      expect(result).toMatchObject({ lockName: suite.lockName })
      suite.expectInTime(tookMs, 4_000)
    })

    it('a ping resolves as long as the store replies, and rejects after commandTimeoutMs while it does not', async () => {
      const { holdfast, link } = await suite.openLinked({ commandTimeoutMs: 300 })
      await holdfast.ping()
      link.blackHole('both')
      const { result, tookMs } = await timed(holdfast.ping())
      expect(result).toBeInstanceOf(UnavailableError)
      suite.expectInTime(tookMs, 4_000)
      link.heal()
      await until(() =>
        holdfast.ping().then(
          () => true,
          () => false,
        ),
      )
      await holdfast.close()
      expect(await failureOf(holdfast.ping())).toBeInstanceOf(ClosedError)
    })

    it('re-entry keeps its time limit as well', async () => {
      const { lock, link } = await suite.openLinked({ commandTimeoutMs: 20_000 })
      await lock.withLock(async () => {
        link.blackHole('both')
        const { result, tookMs } = await timed(lock.tryLock({ waitMs: 1_500 }))
        link.heal()
        expect(result).toBeInstanceOf(UnavailableError)
        suite.expectInTime(tookMs, 5_000)
      })
      expect(await suite.count()).toBe(0)
    })

    it('re-entry that is aborted during an outage is not reported as an error of the store', async () => {
      const { holdfast, lock, link } = await suite.openLinked()
      const errors: unknown[] = []
      holdfast.on('error', (error) => errors.push(error))
      const abort = new AbortController()
      const reason = new Error('changed my mind')
      await lock.withLock(async () => {
        link.blackHole('toStore')
        const entering = failureOf(lock.lock({ signal: abort.signal }))
        abort.abort(reason)
        expect(await entering).toBe(reason)
        link.heal()
      })
      await suite.untilWithdrawn(async () => (await suite.count()) === 0)
      expect(await suite.count()).toBe(0)
      expect(errors).toEqual([])
    })

    it('an attempt that was abandoned leaves nothing once the store responds again', async () => {
      const { lock, link } = await suite.openLinked()
      link.blackHole('both')
      expect(await failureOf(lock.tryLock({ waitMs: 1_000 }))).toBeInstanceOf(UnavailableError)
      link.heal()
      const lease = await lock.lock({ waitMs: suite.times.promptMs })
      await lease.unlock()
      await suite.untilUnused()
    })

    it('unlock settles by the deadline, withLock keeps its value, and a warning says so', async () => {
      const { leaseMs: watchdogTimeoutMs, promptMs } = suite.times
      const { holdfast, lock, link } = await suite.openLinked({ watchdogTimeoutMs })
      const warnings: string[] = []
      holdfast.on('warning', ({ code }) => warnings.push(code))
      const work = lock.withLock(() => {
        link.blackHole('both')
        return 'kept'
      })
      const { result, tookMs } = await timed(work)
      expect(result).toBe('kept')
      suite.expectInTime(tookMs, watchdogTimeoutMs + promptMs)
      expect(warnings).toContain('RELEASE_UNCONFIRMED')
    })

    it('a release without a reply costs commandTimeoutMs, not the rest of the lease, and goes on in the background', async () => {
      const { promptMs } = suite.times
      const [{ holdfast, lock, link }, other] = await Promise.all([
        suite.openLinked({ commandTimeoutMs: 300 }),
        suite.open(),
      ])
      // So that the client knows the store behind it, by which it tells a lost reply from a lost hold.
      await lock.withLock(() => undefined)
      const warnings: string[] = []
      const released: boolean[] = []
      holdfast.on('warning', ({ code }) => warnings.push(code))
      holdfast.on('released', ({ confirmed }) => released.push(confirmed))
      const work = lock.withLock(() => {
        link.blackHole('toStore')
        return 'kept'
      })
      const { result, tookMs } = await timed(work)
      expect(result).toBe('kept')
      // The lease is 30 s.
      suite.expectInTime(tookMs, promptMs)
      expect(warnings).toEqual(['RELEASE_UNCONFIRMED'])
      expect(released).toEqual([])
      const healedAt = performance.now()
      link.heal()
      await other.lock.withLock(() => undefined)
      suite.expectInTime(performance.now() - healedAt, promptMs)
      // One that was repeated, and finds nothing, is a loss where holds may be evicted.
      const mayBeLost = suite.traits.evicts === true
      await until(() => released.length > 0 || (mayBeLost && holdfast.stats().lost > 0))
      if (!mayBeLost) expect(released).toEqual([true])
      expect(warnings).toEqual(['RELEASE_UNCONFIRMED'])
      await suite.untilUnused()
    })

    it('nested entries that are left without a reply cost commandTimeoutMs each, and end with the right count', async () => {
      const { promptMs } = suite.times
      const { holdfast, lock, link } = await suite.openLinked({ commandTimeoutMs: 300 })
      await lock.withLock(() => undefined)
      const lost: unknown[] = []
      holdfast.on('lost', (event) => lost.push(event))
      const work = lock.withLock(async () => {
        const inner = await lock.withLock(() => {
          link.blackHole('both')
          return 'inner'
        })
        return `${inner} and outer`
      })
      const { result, tookMs } = await timed(work)
      expect(result).toBe('inner and outer')
      suite.expectInTime(tookMs, promptMs)
      link.heal()
      await suite.untilUnused()
      expect(lost).toEqual([])
    })

    it('unlock does not wait for a nested call or an extension that gets no reply', async () => {
      const { leaseMs, promptMs } = suite.times
      const { lock, link } = await suite.openLinked({ commandTimeoutMs: 20_000 })
      const work = lock.withLock({ leaseMs }, (lease) => {
        link.blackHole('both')
        lease.extend(60_000).catch(() => undefined)
        lock.lock({ signal: AbortSignal.timeout(50) }).catch(() => undefined)
        return 'kept'
      })
      const { result, tookMs } = await timed(work)
      expect(result).toBe('kept')
      suite.expectInTime(tookMs, leaseMs + promptMs)
    })

    it('a callback that runs past the deadline has lost its hold', async () => {
      const { leaseMs: watchdogTimeoutMs } = suite.times
      const { lock, link } = await suite.openLinked({ watchdogTimeoutMs })
      const failure = await failureOf(
        lock.withLock(async (lease) => {
          link.blackHole('both')
          await whenAborted(lease.signal)
          return 'too late'
        }),
      )
      expect(failure).toBeInstanceOf(LockLostError)
      expect(failure).toMatchObject({ reason: 'expired', result: 'too late' })
    })

    it('an unlimited wait outlives the outage, and an error event reports it', async () => {
      const { holdfast, lock, link } = await suite.openLinked({ commandTimeoutMs: 300 })
      link.blackHole('both')
      const waiting = lock.withLock(() => 'in')
      expect(await nextEvent(holdfast, 'error')).toBeInstanceOf(UnavailableError)
      link.heal()
      expect(await waiting).toBe('in')
    })
  })
}
