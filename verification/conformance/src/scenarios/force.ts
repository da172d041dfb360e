import { expect } from '../expect/expect.js'
import { failureOf, untilWaiters, whenAborted } from '../support/observing.js'
import type { Suite } from '../support/suite.js'

/** What a forced release does, and when the evicted holder learns of it. */
export function describeForce(suite: Suite): void {
  const it = suite.scenarios()

  suite.part('force', () => {
    suite.scenario(
      'the evicted holder is notified at once',
      async () => {
        const [victim, operator] = await Promise.all([suite.open(), suite.open()])
        const lease = await victim.lock.lock()
        const aborted = whenAborted(lease.signal)
        const forcedAt = performance.now()
        expect(await operator.lock.forceUnlock()).toBe(true)
        expect((await aborted) - forcedAt).toBeLessThan(suite.times.promptMs)
        expect(lease.signal.reason).toMatchObject({ reason: 'revoked', owner: lease.owner })
        expect(lease.isHeld).toBe(false)
      },
      {
        isPromised: suite.traits.force === 'notified',
        otherwise: {
          title: 'it learns of it at its next renewal',
          run: async () => {
            const { watchdogTimeoutMs } = suite.times
            const [victim, operator] = await Promise.all([suite.open({ watchdogTimeoutMs }), suite.open()])
            const lease = await victim.lock.lock()
            expect(await operator.lock.forceUnlock()).toBe(true)
            await whenAborted(lease.signal)
            expect(lease.signal.reason).toMatchObject({ code: 'LOCK_LOST', owner: lease.owner })
          },
        },
      },
    )

    it('a hold of the own client that is forced open is lost at once', async () => {
      const { lock } = await suite.open()
      const lease = await lock.lock()
      expect(await lock.forceUnlock()).toBe(true)
      expect(lease.isHeld).toBe(false)
      expect(await failureOf(lease.unlock())).toMatchObject({ code: 'LOCK_LOST', reason: 'revoked' })
    })

    it('a lock that was forced open is free, and forcing a free lock says so', async () => {
      const [victim, operator] = await Promise.all([suite.open(), suite.open()])
      await victim.lock.lock()
      expect(await operator.lock.forceUnlock()).toBe(true)
      expect(await operator.lock.forceUnlock()).toBe(false)
      const next = await operator.lock.tryLock()
      expect(next?.isHeld).toBe(true)
      await next?.unlock()
    })

    it('the next waiter gets in, and what the evicted owner does later changes nothing for it', async () => {
      const [victim, other] = await Promise.all([suite.open(), suite.open()])
      const lease = await victim.lock.lock()
      const waiting = other.lock.lock()
      await untilWaiters(other.holdfast, 1)
      await suite.untilQueued(1)
      expect(await victim.lock.forceUnlock()).toBe(true)
      const next = await waiting
      expect(await failureOf(lease.unlock())).toMatchObject({ code: 'LOCK_LOST' })
      expect((await suite.inspect()).holder).toMatchObject({ owner: next.owner, holdCount: 1 })
      expect(next.isHeld).toBe(true)
      await next.unlock()
    })

    suite.scenario(
      'the token of the next holder is larger',
      async () => {
        const { lock } = await suite.open()
        const first = await lock.lock()
        await lock.forceUnlock()
        await lock.withLock(({ fencingToken }) => expect(fencingToken).toBeGreaterThan(first.fencingToken))
      },
      { isPromised: suite.traits.fencing !== 'none' },
    )
  })
}
