import { InvalidArgumentError } from '@holdfast/core'
import { expect } from '../expect/expect.js'
import { failureOf, whenAborted } from '../support/observing.js'
import type { Suite } from '../support/suite.js'

/** The engine's steps, shortest lease and margin. */
export function describeLeaseTrait(suite: Suite): void {
  const { shortestMs, stepMs } = suite.traits.lease

  const it = suite.scenarios()

  suite.part('lease', () => {
    it('the store keeps a hold for at least as long as its holder claims it, 200 times of 200', async () => {
      const [holder, rival] = await Promise.all([suite.open(), suite.open()])
      const run = async (n: number): Promise<boolean> => {
        const name = `${suite.lockName}/${n}`
        // Half of them are as long as the steps of the store allow, which leaves it no slack.
        const leaseMs = suite.times.leaseMs + (n % 2) * n
        const lease = await holder.holdfast.getLock(name).lock({ leaseMs })
        // By the clock: the signal may be late in a process that is short of CPU time.
        return rival.holdfast.getLock(name).withLock(() => lease.isHeld)
      }
      const claims = await Promise.all(Array.from({ length: 200 }, (_, n) => run(n)))
      expect(claims.filter(Boolean)).toEqual([])
    })

    it('a lease that is left as soon as its loss is reported counts as lost, 200 times of 200', async () => {
      const { holdfast } = await suite.open()
      const run = async (n: number): Promise<unknown> => {
        const lock = holdfast.getLock(`${suite.lockName}/${n}`)
        const lease = await lock.lock({ leaseMs: suite.times.leaseMs + (n % 100) })
        // At once: a moment later the deadline has passed on every clock.
        return new Promise((resolve) => {
          const leave = (): void => resolve(failureOf(lease.unlock()))
          if (lease.signal.aborted) leave()
          else lease.signal.addEventListener('abort', leave)
        })
      }
      for (const failure of await Promise.all(Array.from({ length: 200 }, (_, n) => run(n)))) {
        expect(failure).toMatchObject({ code: 'LOCK_LOST' })
      }
    })

    it('the shortest lease is kept, and nothing longer than one step more', async () => {
      const { lock } = await suite.open()
      const leaseMs = Math.max(100, shortestMs)
      const lease = await lock.lock({ leaseMs })
      expect(await lock.remainingMs()).toBeLessThanOrEqual(Math.ceil(leaseMs / stepMs) * stepMs)
      await whenAborted(lease.signal)
      const next = await lock.lock({ waitMs: leaseMs + stepMs + suite.times.promptMs })
      await next.unlock()
    })

    it('a shorter lease or watchdog time is refused, and the error names the bound', async () => {
      const leastMs = Math.max(100, shortestMs)
      const { lock } = await suite.open()
      const failure = await failureOf(lock.lock({ leaseMs: leastMs - 1 }))
      expect(failure).toBeInstanceOf(InvalidArgumentError)
      expect(String(failure)).toContain(String(leastMs))
      expect(() => suite.engine.open({ watchdogTimeoutMs: leastMs - 1 })).toThrow(InvalidArgumentError)
      expect(await suite.count()).toBe(0)
    })
  })
}
