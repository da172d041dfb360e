import { LockLostError } from '@holdfast/core'
import { expect } from '../../expect/expect.js'
import { failureOf } from '../../support/observing.js'
import type { Suite } from '../../support/suite.js'

/** What the caller of withLock gets. */
export function describeResults(suite: Suite): void {
  const it = suite.scenarios()

  suite.part('always: results of withLock', () => {
    it('it resolves with what the callback returned', async () => {
      const { lock } = await suite.open()
      expect(await lock.withLock(() => 42)).toBe(42)
    })

    it('tryWithLock runs the callback of a lock that is free, and reports the holder of one that is not', async () => {
      const { lock } = await suite.open()
      expect(await lock.tryWithLock(() => 42)).toEqual({ ran: true, value: 42 })
      expect(await lock.isLocked()).toBe(false)
      const lease = await lock.lock()
      let hasRun = false
      const skipped = await lock.tryWithLock({ waitMs: 0 }, () => (hasRun = true))
      expect(skipped).toEqual({ ran: false, holder: lease.owner })
      expect(hasRun).toBe(false)
      await lease.unlock()
    })

    it('it rejects with what the callback threw, and the lock is free', async () => {
      const { lock } = await suite.open()
      const failure = new Error('out of stock')
      const locking = lock.withLock(() => {
        throw failure
      })
      expect(await failureOf(locking)).toBe(failure)
      expect(await lock.isLocked()).toBe(false)
    })

    it('it rejects with the result inside a LockLostError if the hold was lost', async () => {
      const { lock } = await suite.open()
      const failure = await failureOf(
        lock.withLock(async () => {
          await lock.forceUnlock()
          return 'done anyway'
        }),
      )
      expect(failure).toBeInstanceOf(LockLostError)
      expect(failure).toMatchObject({ result: 'done anyway', reason: 'revoked', lockName: lock.name })
    })

    it('a callback that fails after the loss is the cause of a LockLostError', async () => {
      const { lock } = await suite.open()
      const cause = new Error('mine')
      const failure = await failureOf(
        lock.withLock(async () => {
          await lock.forceUnlock()
          throw cause
        }),
      )
      expect(failure).toBeInstanceOf(LockLostError)
      expect(failure).toMatchObject({ cause, reason: 'revoked', lockName: lock.name })
    })
  })
}
