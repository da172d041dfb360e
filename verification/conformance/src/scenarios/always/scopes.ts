import { NotOwnerError } from '@holdfast/core'
import { expect } from '../../expect/expect.js'
import { failureOf, nextEvent, Witness } from '../../support/observing.js'
import type { Suite } from '../../support/suite.js'

/** Imperative locking, as in one thread. */
export function describeScopes(suite: Suite): void {
  const it = suite.scenarios()

  suite.part('always: scopes', () => {
    it('lock() and unlock() pair up across functions', async () => {
      const { holdfast, lock } = await suite.open()
      await holdfast.scope(async () => {
        const audit = async (): Promise<void> => {
          await lock.lock()
          expect(lock.holdCount()).toBe(2)
          await lock.unlock()
        }
        await lock.lock()
        await audit()
        expect(lock.holdCount()).toBe(1)
        expect(await suite.count()).toBe(1)
        await lock.unlock()
        expect(await lock.isLocked()).toBe(false)
      })
    })

    it('tasks of one scope share its hold instead of waiting for each other', async () => {
      const { holdfast, lock } = await suite.open()
      await holdfast.scope(async () => {
        const leases = await Promise.all([lock.lock(), lock.lock(), lock.tryLock({ waitMs: 5_000 })])
        expect(new Set(leases.map((lease) => lease?.owner)).size).toBe(1)
        expect(await suite.count()).toBe(suite.countsEntries ? 3 : 1)
        for (const _ of leases) await lock.unlock()
      })
      expect(await lock.isLocked()).toBe(false)
    })

    it('scopes exclude each other', async () => {
      const { holdfast, lock } = await suite.open()
      const witness = new Witness()
      const task = (): Promise<void> =>
        holdfast.scope(async () => {
          await lock.lock()
          try {
            await witness.visit()
          } finally {
            await lock.unlock()
          }
        })
      await Promise.all([task(), task(), task()])
      expect(witness).toMatchObject({ most: 1, entries: 3 })
    })

    it('unlock() without a scope is refused, and the lock stays held', async () => {
      const { lock } = await suite.open()
      const lease = await lock.lock()
      expect(await failureOf(lock.unlock())).toBeInstanceOf(NotOwnerError)
      expect(await lock.isLocked()).toBe(true)
      await lease.unlock()
    })

    it('unlock() never undoes a withLock around the scope', async () => {
      const { holdfast, lock } = await suite.open()
      await lock.withLock(async (outer) => {
        await holdfast.scope(async () => {
          await lock.lock()
          expect(outer.holdCount).toBe(2)
          await lock.unlock()
          expect(await failureOf(lock.unlock())).toBeInstanceOf(NotOwnerError)
        })
        expect(outer.isHeld).toBe(true)
      })
    })

    it('a lease that left by itself is not left again by the scope', async () => {
      const { holdfast, lock } = await suite.open()
      await holdfast.scope(async () => {
        await lock.lock()
        const inner = await lock.lock()
        await inner.unlock()
        expect(lock.holdCount()).toBe(1)
        await lock.unlock()
        expect(await failureOf(lock.unlock())).toBeInstanceOf(NotOwnerError)
      })
    })

    it('what a scope still holds at its end is released and reported as leaked', async () => {
      const { holdfast, lock } = await suite.open()
      const leaked = nextEvent(holdfast, 'leaked')
      const lease = await holdfast.scope(() => lock.lock())
      expect(await leaked).toEqual({
        name: lock.name,
        kind: lock.kind,
        owner: lease.owner,
        reason: 'scope-ended',
      })
      expect(await lock.isLocked()).toBe(false)
    })

    it('a call that still waits when its scope ends rejects, and what it gets is released', async () => {
      const [{ holdfast, lock }, rival] = await Promise.all([suite.open(), suite.open()])
      const held = await rival.lock.lock()
      let waiting: Promise<unknown> | undefined
      await holdfast.scope(async () => {
        waiting = failureOf(lock.lock())
        await suite.untilQueued(1)
      })
      const leaked = nextEvent(holdfast, 'leaked')
      await held.unlock()
      const failure = await waiting
      expect(failure).toBeInstanceOf(NotOwnerError)
      expect(failure).toMatchObject({ lockName: suite.lockName, owner: (await leaked).owner })
      await rival.lock.withLock(() => undefined)
    })

    it('what a scope lost is reported as lost, and not as leaked', async () => {
      const { holdfast, lock } = await suite.open()
      const reported: string[] = []
      holdfast.on('leaked', () => reported.push('leaked'))
      holdfast.on('lost', () => reported.push('lost'))
      await holdfast.scope(async () => {
        const lease = await lock.lock()
        await lock.forceUnlock()
        expect(lease.isHeld).toBe(false)
      })
      expect(reported).toEqual(['lost'])
    })

    it('a call that waits for its turn in a scope keeps its own time limit', async () => {
      const [{ holdfast, lock }, rival] = await Promise.all([suite.open(), suite.open()])
      const held = await rival.lock.lock()
      await holdfast.scope(async () => {
        const patient = lock.lock()
        expect(await lock.tryLock({ waitMs: suite.times.waitMs })).toBeNull()
        await held.unlock()
        expect((await patient).isHeld).toBe(true)
        await lock.unlock()
      })
    })
  })
}
