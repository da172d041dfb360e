import { getEventListeners } from 'node:events'
import { LockTimeoutError, TooManyWaitersError, type Lease } from '@holdfast/core'
import { expect } from '../../expect/expect.js'
import { failureOf, nextEvent, untilWaiters } from '../../support/observing.js'
import type { Suite } from '../../support/suite.js'

/** How waits end. */
export function describeWaiting(suite: Suite): void {
  const it = suite.scenarios()
  const itWithProcesses = suite.scenarios({ needs: ['otherProcess'] })

  suite.part('always: waiting', () => {
    it('a waiter gets in when the holder leaves', async () => {
      const [holder, waiter] = await Promise.all([suite.open(), suite.open()])
      const held = await holder.lock.lock()
      const waiting = waiter.lock.lock()
      await suite.untilQueued(1)
      const startedAt = performance.now()
      await held.unlock()
      const lease = await waiting
      suite.expectInTime(performance.now() - startedAt, suite.times.promptMs)
      expect(lease.isHeld).toBe(true)
      await lease.unlock()
      await suite.untilUnused()
    })

    it('a waiter that runs out of time names the holder, and its queue entry is gone', async () => {
      const [holder, waiter] = await Promise.all([suite.open(), suite.open()])
      const held = await holder.lock.lock()
      const other = waiter.lock.withLock(() => undefined)
      await suite.untilQueued(1)
      const queue = await suite.queue()
      const failure = await failureOf(waiter.lock.lock({ waitMs: suite.times.waitMs }))
      expect(failure).toBeInstanceOf(LockTimeoutError)
      expect(failure).toMatchObject({ holder: held.owner, lockName: suite.lockName })
      if (suite.traits.fifo) expect(failure).toMatchObject({ position: 2 })
      await suite.untilQueued(1)
      await suite.untilWithdrawn(async () => (await suite.queue()).length === queue.length)
      expect(await suite.queue()).toEqual(queue)
      await held.unlock()
      await other
    })

    it('tryLock with waitMs is null once the time is over, and a lease if the lock is free before', async () => {
      const [holder, waiter] = await Promise.all([suite.open(), suite.open()])
      const held = await holder.lock.lock()
      expect(await waiter.lock.tryLock({ waitMs: suite.times.waitMs })).toBeNull()
      const waiting = waiter.lock.tryLock({ waitMs: 20_000 })
      await suite.untilQueued(1)
      await held.unlock()
      const lease = await waiting
      expect(lease?.isHeld).toBe(true)
      await lease?.unlock()
    })

    it('an aborted waiter rejects with the reason, and its queue entry is gone', async () => {
      const [holder, waiter] = await Promise.all([suite.open(), suite.open()])
      const held = await holder.lock.lock()
      const abort = new AbortController()
      const reason = new Error('no longer wanted')
      const waiting = failureOf(waiter.lock.lock({ signal: abort.signal }))
      await suite.untilQueued(1)
      abort.abort(reason)
      expect(await waiting).toBe(reason)
      await suite.untilQueued(0)
      await held.unlock()
      expect(await suite.count()).toBe(0)
    })

    it('a signal that has already aborted sends nothing', async () => {
      const { lock } = await suite.open()
      const reason = new Error('before it began')
      expect(await failureOf(lock.lock({ signal: AbortSignal.abort(reason) }))).toBe(reason)
      expect(await suite.inspect()).toMatchObject({ isLocked: false, waiterCount: 0 })
    })

    it('one waiter more than maxWaiters is refused at once, and a freed slot can be used', async () => {
      const [holder, waiter] = await Promise.all([suite.open(), suite.open({ maxWaiters: 2 })])
      const held = await holder.lock.lock()
      const abort = new AbortController()
      const first = waiter.lock.lock({ signal: abort.signal }).catch(() => undefined)
      const second = waiter.lock.withLock(() => 'second')
      await suite.untilQueued(2)
      expect(await failureOf(waiter.lock.lock())).toBeInstanceOf(TooManyWaitersError)
      abort.abort()
      await first
      const third = waiter.lock.withLock(() => 'third')
      await untilWaiters(waiter.holdfast, 2)
      await held.unlock()
      expect(await Promise.all([second, third])).toEqual(['second', 'third'])
    })

    it('the waiting event says who holds the lock, and whether it is the own client', async () => {
      const [holder, other] = await Promise.all([suite.open(), suite.open()])
      const held = await holder.lock.lock()
      for (const [client, behindOwnClient] of [
        [holder, true],
        [other, false],
      ] as const) {
        const waiting = nextEvent(client.holdfast, 'waiting')
        const ended = client.lock.tryLock({ waitMs: suite.times.waitMs })
        expect(await waiting).toMatchObject({ name: suite.lockName, holder: held.owner, behindOwnClient })
        if (suite.hasQueue) expect((await waiting).position).toBeGreaterThan(0)
        expect(await ended).toBeNull()
      }
      await held.unlock()
    })

    it('events and figures follow an acquisition from wait to release', async () => {
      const { holdfast, lock } = await suite.open()
      const events = new Map<string, string[]>()
      const note = (owner: string, what: string): void => {
        events.set(owner, [...(events.get(owner) ?? []), what])
      }
      holdfast.on('waiting', ({ owner }) => note(owner, 'waiting'))
      holdfast.on('acquired', ({ owner, holdCount }) => note(owner, `acquired ${holdCount}`))
      holdfast.on('released', ({ owner, holdCount }) => note(owner, `released ${holdCount}`))
      const before = holdfast.stats()
      const held = await lock.lock()
      const waiting = lock.withLock(() => lock.withLock(() => undefined))
      await untilWaiters(holdfast, 1)
      await held.unlock()
      await waiting
      expect([...events.values()]).toEqual([
        ['acquired 1', 'released 0'],
        ['waiting', 'acquired 1', 'acquired 2', 'released 1', 'released 0'],
      ])
      expect(holdfast.stats()).toMatchObject({ holds: 0, waiters: 0, lost: 0 })
      expect(holdfast.stats().acquired - before.acquired).toBe(2)
      expect(holdfast.stats().released - before.released).toBe(2)
    })

    it('many waits may share one signal, which gets one listener, and none once they are over', async () => {
      const { holdfast, lock } = await suite.open()
      const { signal } = new AbortController()
      const held = await lock.lock()
      const waits = Array.from({ length: 30 }, () => lock.tryLock({ signal, waitMs: 1_000 }))
      await untilWaiters(holdfast, 30)
      expect(getEventListeners(signal, 'abort')).toHaveLength(1)
      expect(new Set(await Promise.all(waits))).toEqual(new Set([null]))
      expect(getEventListeners(signal, 'abort')).toHaveLength(0)
      await held.unlock()
    })

    it('a wait that is aborted at the moment of its hand-off leaves no hold', async () => {
      const { holdfast, lock } = await suite.open()
      for (let round = 0; round < 10; round += 1) {
        const held = await lock.lock()
        const abort = new AbortController()
        const waiting: Promise<Lease | null> = lock.lock({ signal: abort.signal }).catch(() => null)
        await untilWaiters(holdfast, 1)
        const left = held.unlock()
        if (round % 2 === 0) abort.abort()
        else void left.then(() => abort.abort())
        await left
        await (await waiting)?.unlock()
      }
      expect(holdfast.stats().holds).toBe(0)
      await suite.untilUnused()
    })

    suite.scenario(
      'a waiter acquires a lock when the least time of the hold before is over, long before its lease would have ended',
      async () => {
        const options = { watchdogTimeoutMs: 120_000 }
        const [holder, waiter] = await Promise.all([suite.open(options), suite.open(options)])
        const held = await holder.lock.lock({ atLeastMs: 2_000 })
        const waiting = waiter.lock.tryLock({ waitMs: 15_000 })
        await suite.untilQueued(1)
        await held.unlock()
        const lease = await waiting
        expect(lease?.isHeld).toBe(true)
        await lease?.unlock()
      },
      { isPromised: suite.keeps && suite.traits.fifo },
    )

    itWithProcesses(
      'a killed holder keeps the lock until its lease ends, and then a waiter gets in',
      async () => {
        const { watchdogTimeoutMs, promptMs } = suite.times
        const [holder, waiter] = await Promise.all([suite.fork({ watchdogTimeoutMs }), suite.open()])
        await holder.lock(suite.lockName)
        await holder.untilAcquired()
        const waiting = waiter.lock.lock()
        await suite.untilQueued(1)
        await holder.kill()
        const killedAt = performance.now()
        const leftMs = await waiter.lock.remainingMs()
        const lease = await waiting
        const waitedMs = performance.now() - killedAt
        expect(waitedMs).toBeGreaterThanOrEqual(leftMs - suite.traits.lease.marginMs - 5)
        suite.expectInTime(waitedMs, watchdogTimeoutMs + promptMs)
        await lease.unlock()
      },
    )

    itWithProcesses('a killed waiter delays the next one by one watchdog time at the most', async () => {
      const { watchdogTimeoutMs, promptMs } = suite.times
      const [dead, holder, next] = await Promise.all([
        suite.fork({ watchdogTimeoutMs }),
        suite.open({ watchdogTimeoutMs }),
        suite.open({ watchdogTimeoutMs }),
      ])
      const held = await holder.lock.lock()
      await dead.lock(suite.lockName)
      await dead.untilWaiting()
      const waiting = next.lock.lock()
      await suite.untilQueued(2)
      await dead.kill()
      await held.unlock()
      const releasedAt = performance.now()
      const lease = await waiting
      suite.expectInTime(performance.now() - releasedAt, watchdogTimeoutMs + promptMs)
      await lease.unlock()
    })

    itWithProcesses(
      'a frozen waiter delays others by one watchdog time at the most, and gets in after it thaws',
      async () => {
        const { watchdogTimeoutMs, promptMs } = suite.times
        const [frozen, holder, next] = await Promise.all([
          suite.fork({ watchdogTimeoutMs }),
          suite.open({ watchdogTimeoutMs }),
          suite.open({ watchdogTimeoutMs }),
        ])
        const held = await holder.lock.lock()
        await frozen.lock(suite.lockName)
        await frozen.untilWaiting()
        const waiting = next.lock.lock()
        await suite.untilQueued(2)
        await frozen.freeze()
        await held.unlock()
        const releasedAt = performance.now()
        const lease = await waiting
        suite.expectInTime(performance.now() - releasedAt, watchdogTimeoutMs + promptMs)
        frozen.thaw()
        await suite.untilQueued(1)
        expect(lease.isHeld).toBe(true)
        await lease.unlock()
        expect((await frozen.untilAcquired()).owner).toContain(frozen.clientId)
        await frozen.unlock()
      },
    )
  })
}
