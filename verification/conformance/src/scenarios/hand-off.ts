import { expect } from '../expect/expect.js'
import { commandsPerCycle } from '../support/commands-per-cycle.js'
import { failureOf, nextEvent, untilWaiters, Witness } from '../support/observing.js'
import type { Suite } from '../support/suite.js'
import { until } from '../support/until.js'

/** How a free lock finds its next holder, and what that costs. */
export function describeHandOff(suite: Suite): void {
  const { traits } = suite
  const isGranted = traits.handOff === 'grant'
  const [shortestPollMs, longestPollMs] =
    typeof traits.handOff === 'string' ? [Infinity, 0] : traits.handOff.pollMs
  const { uncontended = 0, contended = 0 } = traits.commandsPerCycle ?? {}
  const commandCount = async (): Promise<number> => (await suite.engine.commandCount?.()) ?? 0

  /** A waiter of one client behind a holder of another, and whether its client was notified of a grant. */
  async function handOver(): Promise<{ wasGranted: boolean; inStore: string | undefined; owner: string }> {
    const [holder, waiter] = await Promise.all([suite.open(), suite.open()])
    let wasGranted = false
    waiter.holdfast.on('granted', () => {
      wasGranted = true
    })
    const held = await holder.lock.lock()
    const waiting = waiter.lock.lock()
    await suite.untilQueued(1)
    await held.unlock()
    const inStore = (await suite.inspect()).holder?.owner
    const lease = await waiting
    await lease.unlock()
    return { wasGranted, inStore, owner: lease.owner }
  }

  const it = suite.scenarios()

  suite.part('handOff', () => {
    suite.scenario(
      'a release makes the waiter the holder at once, and the granted event reports it',
      async () => {
        const { wasGranted, inStore, owner } = await handOver()
        expect(wasGranted).toBe(true)
        expect(inStore).toBe(owner)
      },
      {
        isPromised: isGranted,
        otherwise: {
          title: 'no granted event is emitted, and the waiter gets in by a request of its own',
          run: async () => {
            expect((await handOver()).wasGranted).toBe(false)
          },
        },
      },
    )

    suite.scenario(
      'a listener that aborts the wait at the moment of its grant leaves no hold',
      async () => {
        const [holder, waiter] = await Promise.all([suite.open(), suite.open()])
        const abort = new AbortController()
        const reason = new Error('changed my mind')
        waiter.holdfast.on('granted', () => abort.abort(reason))
        const held = await holder.lock.lock()
        const waiting = failureOf(waiter.lock.lock({ signal: abort.signal }))
        await suite.untilQueued(1)
        await held.unlock()
        expect(await waiting).toBe(reason)
        expect(waiter.holdfast.stats().holds).toBe(0)
        await suite.untilUnused()
      },
      { isPromised: isGranted },
    )

    suite.scenario(
      'a granted lease is as long as the waiter wanted, also when it is longer than the watchdog time',
      async () => {
        const { watchdogTimeoutMs } = suite.times
        const [holder, waiter] = await Promise.all([suite.open(), suite.open({ watchdogTimeoutMs })])
        const held = await holder.lock.lock()
        const waiting = waiter.lock.lock({ leaseMs: 60_000 })
        await suite.untilQueued(1)
        await held.unlock()
        const lease = await waiting
        expect(lease.remainingMs()).toBeGreaterThan(50_000)
        expect((await suite.inspect()).holder?.remainingMs).toBeGreaterThan(50_000)
        await lease.unlock()
      },
      {
        isPromised: !suite.hasSessions,
        otherwise: {
          title: 'it lasts while the session of its client does',
          run: async () => {
            const { watchdogTimeoutMs } = suite.times
            const [holder, waiter] = await Promise.all([suite.open(), suite.open({ watchdogTimeoutMs })])
            const held = await holder.lock.lock()
            const waiting = waiter.lock.lock({ leaseMs: 60_000 })
            await suite.untilQueued(1)
            await held.unlock()
            const lease = await waiting
            expect(lease.remainingMs()).toBeLessThanOrEqual(watchdogTimeoutMs)
            const laterMs = performance.now() + 2 * watchdogTimeoutMs
            await until(() => performance.now() > laterMs)
            expect(lease.isHeld).toBe(true)
            expect((await suite.inspect()).holder).toMatchObject({ owner: lease.owner })
            await lease.unlock()
          },
        },
      },
    )

    it('a short lease that a waiter wants begins when it gets in', async () => {
      const { leaseMs } = suite.times
      const [holder, waiter] = await Promise.all([suite.open(), suite.open()])
      const held = await holder.lock.lock()
      const waiting = waiter.lock.lock({ leaseMs })
      await suite.untilQueued(1)
      await held.unlock()
      const lease = await waiting
      expect(lease.isHeld).toBe(true)
      expect(lease.remainingMs()).toBeLessThan(leaseMs)
      expect(await nextEvent(waiter.holdfast, 'lost')).toMatchObject({ owner: lease.owner })
    })

    it('60 waiters of three clients pass the lock on without a pause', async () => {
      const clients = await Promise.all([1, 2, 3].map(() => suite.open()))
      const held = await clients[0]?.lock.lock()
      const witness = new Witness()
      const passes = clients.flatMap(({ lock }) =>
        Array.from({ length: 20 }, () => lock.withLock(() => witness.visit())),
      )
      await suite.untilQueued(60)
      const startedAt = performance.now()
      await held?.unlock()
      await Promise.all(passes)
      expect(witness).toMatchObject({ most: 1, entries: 60 })
      suite.expectInTime(performance.now() - startedAt, 10_000 + 60 * longestPollMs)
    })

    suite.scenario(
      'ten waiters of one client send no more requests while they wait than one that polls',
      async () => {
        const [holder, waiter] = await Promise.all([suite.open(), suite.open()])
        const held = await holder.lock.lock()
        const before = await commandCount()
        const startedAt = performance.now()
        const waits = Array.from({ length: 10 }, () => waiter.lock.tryLock({ waitMs: 1_500 }))
        expect(new Set(await Promise.all(waits))).toEqual(new Set([null]))
        const polls = (performance.now() - startedAt) / shortestPollMs
        // Each requests once, once more when notifications reach the client, and withdraws its entry at the end.
        expect((await commandCount()) - before).toBeLessThan(10 * Math.max(4, contended) + polls)
        await held.unlock()
      },
      { needs: ['commandCount'] },
    )

    suite.scenario(
      'a cycle takes no more commands than promised, contended or not',
      async () => {
        const [holder, waiter] = await Promise.all([suite.open(), suite.open()])
        const alone = await commandsPerCycle(suite, 100, async () => {
          for (let n = 0; n < 100; n += 1) await holder.lock.withLock(() => undefined)
        })
        const held = await holder.lock.lock()
        const behindOthers = await commandsPerCycle(suite, 100, async () => {
          const passes = Array.from({ length: 100 }, () => waiter.lock.withLock(() => undefined))
          await untilWaiters(waiter.holdfast, 100)
          await held.unlock()
          await Promise.all(passes)
        })
        expect(alone).toBeLessThan(uncontended + 0.1)
        expect(behindOthers).toBeLessThan(contended + 0.1)
      },
      {
        needs: ['commandCount'],
        isPromised: traits.commandsPerCycle !== undefined,
        otherwise: {
          title: 'a waiter sends no more than it has to',
          run: async () => {
            const { lock } = await suite.open()
            const before = await commandCount()
            for (let n = 0; n < 100; n += 1) await lock.withLock(() => undefined)
            expect((await commandCount()) - before).toBeLessThan(1_000)
          },
        },
      },
    )
  })
}
