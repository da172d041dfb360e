import { Holdfast } from '@holdfast/core'
import type { EngineHost, EngineSession, LockEngine } from '@holdfast/core/engine'
import { expect } from '../expect/expect.js'
import { nextEvent } from '../support/observing.js'
import type { Suite } from '../support/suite.js'

/** What notifications may do that anyone could have sent. */
export function describeForgedNotices(suite: Suite): void {
  /** A client of the engine, and what the engine's session reports to. */
  function openReachable(): { holdfast: Holdfast; host: EngineHost; session: EngineSession } {
    const engine = suite.engine.engine?.()
    if (!engine) throw new Error(`${suite.engine.name} offers no engine`)
    let opened: { host: EngineHost; session: EngineSession } | undefined
    const reachable: LockEngine = {
      name: engine.name,
      traits: engine.traits,
      open: (host) => {
        const session = engine.open(host)
        opened = { host, session }
        return session
      },
    }
    const holdfast = new Holdfast({ engine: reachable })
    suite.endAfterScenario(() => holdfast.close())
    if (!opened) throw new Error('the client opened no session')
    return { holdfast, ...opened }
  }

  suite.part('forged notices', () => {
    suite.scenario(
      'a grant without the proof of the queue entry, an eviction and a wake-up that nobody made change nothing',
      async () => {
        const holder = await suite.open()
        const held = await holder.lock.lock()
        const { holdfast, host, session } = openReachable()
        const { id } = session.names.locate(suite.lockName, 'lock')
        const waits = nextEvent(holdfast, 'waiting')
        const waiting = holdfast.getLock(suite.lockName).lock()
        const { owner } = await waits
        let hasEntered = false
        const entered = waiting.then((lease) => {
          hasEntered = true
          return lease
        })
        const serverUs = Date.now() * 1_000
        for (const [token, leaseMs] of [
          [serverUs, 30_000],
          [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
        ] as const) {
          host.granted(id, owner, { proof: '', token, leaseMs, serverUs })
          host.granted(id, owner, { proof: 'AAAAAAAAAAAAAAAA', token, leaseMs })
          host.granted(id, held.owner, { proof: 'AAAAAAAAAAAAAAAA', token, leaseMs, serverUs })
          host.revoked(owner)
          host.revoked(held.owner)
          host.wake(id, owner)
          host.wake(id, held.owner)
        }
        // Whatever the client sent was sent before this, and this is answered.
        await session.steps.inspect(session.names.locate(suite.lockName, 'lock'), 1)
        expect(hasEntered).toBe(false)
        expect(held.isHeld).toBe(true)
        expect((await suite.inspect()).holder?.owner).toBe(held.owner)
        await held.unlock()
        const lease = await entered
        expect(lease.owner).toBe(owner)
        if (suite.traits.fencing !== 'none')
          expect(lease.fencingToken).toBeLessThan(serverUs + 86_400_000_000)
        expect(lease.remainingMs()).toBeLessThanOrEqual(30_000)
        await lease.unlock()
      },
      { needs: ['engine'] },
    )
  })
}
