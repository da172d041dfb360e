import { LockLostError } from '@holdfast/core'
import { expect } from '../expect/expect.js'
import { failureOf, nextEvent, whenAborted } from '../support/observing.js'
import type { Suite } from '../support/suite.js'
import { hungMs, until } from '../support/until.js'

/** What becomes of holds and waiters when the store restarts, fails over or loses its data. */
export function describeSurvives(suite: Suite): void {
  const { survives } = suite.traits

  /** A holder, and waiters of another client; `fault` happens while they hold and wait. */
  async function holdThrough(fault: () => Promise<void>): Promise<{ isHeld: boolean; served: number }> {
    const { watchdogTimeoutMs } = suite.times
    const [holder, waiter] = await Promise.all([suite.open(), suite.open({ watchdogTimeoutMs })])
    const lease = await holder.lock.lock()
    const passes = [1, 2, 3, 4, 5].map(() => waiter.lock.withLock(() => 'served'))
    await suite.untilQueued(5)
    await fault()
    // What the store knows now: a holder that can still reach it has a true answer.
    const inStore = (await until(() => suite.inspect(), { timeoutMs: hungMs })).holder?.owner
    const isHeld = inStore === lease.owner
    if (isHeld) {
      expect(lease.isHeld).toBe(true)
      await lease.unlock()
    } else {
      await whenAborted(lease.signal)
      expect(lease.signal.reason).toBeInstanceOf(LockLostError)
    }
    const served = await Promise.all(passes)
    return { isHeld, served: served.length }
  }

  /** Either the store still has the hold, or its holder is notified; the waiters get in both ways. */
  const keptOrNotified = (fault: () => Promise<void>) => async (): Promise<void> => {
    expect((await holdThrough(fault)).served).toBe(5)
  }
  const kept = (fault: () => Promise<void>) => async (): Promise<void> => {
    expect(await holdThrough(fault)).toEqual({ isHeld: true, served: 5 })
  }
  const restart = async (keepData: boolean): Promise<void> => suite.engine.restart?.({ keepData })
  const failOver = async (): Promise<void> => suite.engine.failOver?.()

  const it = suite.scenarios({ needs: ['wipe'] })

  suite.part('survives', () => {
    suite.scenario(
      'holds and waiters go on after a restart that kept the data',
      kept(() => restart(true)),
      {
        needs: ['restart'],
        whyImpossible: suite.engine.keepsData === false ? 'the store keeps no data' : undefined,
      },
    )

    suite.scenario(
      'a hold outlives a crash of the store',
      kept(() => restart(false)),
      {
        needs: ['restart'],
        isPromised: survives !== 'nothing',
        otherwise: {
          title: 'its holder is notified, and the waiters are served',
          run: keptOrNotified(() => restart(false)),
        },
      },
    )

    suite.scenario('a hold outlives a failover', kept(failOver), {
      needs: ['failOver'],
      isPromised: survives === 'failover',
      otherwise: {
        title: 'it is kept or its holder is notified, and the waiters are served',
        run: keptOrNotified(failOver),
      },
    })

    it('a holder learns from its next renewal that the store lost its data', async () => {
      const { holdfast, lock } = await suite.open({ watchdogTimeoutMs: suite.times.watchdogTimeoutMs })
      const lost = nextEvent(holdfast, 'lost')
      const lease = await lock.lock()
      await suite.engine.wipe?.()
      await whenAborted(lease.signal)
      expect(lease.signal.reason).toMatchObject({ reason: 'not-held' })
      expect(await lost).toMatchObject({ name: lock.name, owner: lease.owner })
      expect(lease.remainingMs()).toBe(0)
      expect(holdfast.stats()).toMatchObject({ holds: 0, lost: 1 })
      expect(await failureOf(lease.unlock())).toBeInstanceOf(LockLostError)
    })

    it('the unlock and the extension of a hold that the store lost reject', async () => {
      const { holdfast, lock } = await suite.open()
      const lease = await lock.lock({ leaseMs: 20_000 })
      const other = await holdfast.getLock(`${suite.lockName}/other`).lock({ leaseMs: 20_000 })
      await suite.engine.wipe?.()
      expect(await failureOf(lease.unlock())).toMatchObject({ code: 'LOCK_LOST', reason: 'not-held' })
      await lease.unlock()
      expect(await failureOf(other.extend(20_000))).toMatchObject({ code: 'LOCK_LOST', reason: 'not-held' })
    })

    it('waiters go on after the store lost its data', async () => {
      const { watchdogTimeoutMs, promptMs } = suite.times
      const [holder, waiter] = await Promise.all([
        suite.open({ watchdogTimeoutMs }),
        suite.open({ watchdogTimeoutMs }),
      ])
      const lease = await holder.lock.lock()
      const passes = [1, 2, 3].map(() => waiter.lock.withLock(() => 'served'))
      await suite.untilQueued(3)
      await suite.engine.wipe?.()
      const wipedAt = performance.now()
      await Promise.all(passes)
      suite.expectInTime(performance.now() - wipedAt, watchdogTimeoutMs + promptMs)
      await whenAborted(lease.signal)
    })
  })
}
