import { LockLostError, type Lease } from '@holdfast/core'
import { expect } from '../../expect/expect.js'
import { failureOf, Witness, untilWaiters, whenAborted } from '../../support/observing.js'
import type { Suite } from '../../support/suite.js'

/** One owner inside at a time, whatever other clients send, or send late. */
export function describeExclusion(suite: Suite): void {
  const it = suite.scenarios()
  const itLinked = suite.scenarios({ needs: ['openLinked'] })

  suite.part('always: exclusion', () => {
    it('50 concurrent callers of one client are inside one at a time', async () => {
      const { lock } = await suite.open()
      const witness = new Witness()
      await Promise.all(Array.from({ length: 50 }, () => lock.withLock(() => witness.visit())))
      expect(witness).toMatchObject({ most: 1, entries: 50 })
      await suite.untilUnused()
    })

    it('50 concurrent callers of five clients are inside one at a time', async () => {
      const clients = await Promise.all([1, 2, 3, 4, 5].map(() => suite.open()))
      const witness = new Witness()
      const callers = clients.flatMap(({ lock }) =>
        Array.from({ length: 10 }, () => lock.withLock(() => witness.visit())),
      )
      await Promise.all(callers)
      expect(witness).toMatchObject({ most: 1, entries: 50 })
      await suite.untilUnused()
    })

    it('siblings that start outside a hold exclude each other', async () => {
      const { holdfast, lock } = await suite.open()
      const witness = new Witness()
      const visit = (): Promise<void> => lock.withLock(() => witness.visit())
      await holdfast.getLock(`${lock.name}/other`).withLock(() => Promise.all([visit(), visit(), visit()]))
      expect(witness).toMatchObject({ most: 1, entries: 3 })
    })

    it('every outermost acquisition draws a fresh owner', async () => {
      const { lock } = await suite.open()
      const leases: Lease[] = []
      for (let n = 0; n < 3; n += 1) await lock.withLock((lease) => leases.push(lease))
      expect(new Set(leases.map(({ owner }) => owner)).size).toBe(3)
    })

    it('the store names the owner, the client and the count of a hold', async () => {
      const { lock } = await suite.open({ label: 'conformance' })
      expect(await suite.inspect()).toMatchObject({ isLocked: false, holder: null, waiterCount: 0 })
      const lease = await lock.lock()
      const { holder } = await suite.inspect()
      expect(holder).toMatchObject({ owner: lease.owner, holdCount: 1 })
      expect(holder?.client).toMatchObject({ pid: process.pid, label: 'conformance' })
      expect(holder?.remainingMs).toBeGreaterThan(25_000)
      await lease.unlock()
      expect(await suite.inspect()).toMatchObject({ isLocked: false, holder: null })
      expect(await lock.remainingMs()).toBe(0)
    })

    it('tryLock is null while another client holds the lock, and a lease once it is free', async () => {
      const [holder, other] = await Promise.all([suite.open(), suite.open()])
      await holder.lock.withLock(async () => {
        expect(await other.lock.tryLock()).toBeNull()
        expect(await other.lock.isLocked()).toBe(true)
      })
      const lease = await other.lock.tryLock()
      expect(lease?.isHeld).toBe(true)
      await lease?.unlock()
    })

    it('an attempt that does not wait leaves no queue entry', async () => {
      const [holder, other] = await Promise.all([suite.open(), suite.open()])
      const held = await holder.lock.lock()
      expect(await other.lock.tryLock()).toBeNull()
      expect(await suite.queue()).toEqual([])
      await held.unlock()
      expect(await suite.count()).toBe(0)
    })

    it('a release by an owner that lost the lock does not free it for its next holder', async () => {
      const [first, second] = await Promise.all([suite.open(), suite.open()])
      const lost = await first.lock.lock({ leaseMs: suite.times.leaseMs })
      const next = await second.lock.lock()
      expect(await failureOf(lost.unlock())).toBeInstanceOf(LockLostError)
      expect((await suite.inspect()).holder).toMatchObject({ owner: next.owner, holdCount: 1 })
      expect(next.isHeld).toBe(true)
      await next.unlock()
    })

    itLinked('a release that arrives when another owner is inside changes nothing', async () => {
      const { watchdogTimeoutMs, leaseMs } = suite.times
      // Where holds end with their session, that of the client that is cut off has to end.
      const [slow, other] = await Promise.all([suite.openLinked({ watchdogTimeoutMs }), suite.open()])
      const late = await slow.lock.lock({ leaseMs })
      slow.link.blackHole('toStore')
      const leaving = late.unlock().catch(() => undefined)
      const next = await other.lock.lock()
      await leaving
      slow.link.heal()
      await slow.holdfast.getLock(`${suite.lockName}/after`).withLock(() => undefined)
      expect((await suite.inspect()).holder).toMatchObject({ owner: next.owner, holdCount: 1 })
      await next.unlock()
    })

    itLinked(
      'a renewal that arrives when another owner is inside changes nothing, and its sender has lost the lock',
      async () => {
        const { watchdogTimeoutMs } = suite.times
        const [slow, other] = await Promise.all([suite.openLinked({ watchdogTimeoutMs }), suite.open()])
        const late = await slow.lock.lock()
        const waiting = other.lock.lock()
        await untilWaiters(other.holdfast, 1)
        slow.link.blackHole('toStore')
        await whenAborted(late.signal)
        const next = await waiting
        slow.link.heal()
        await slow.holdfast.getLock(`${suite.lockName}/after`).withLock(() => undefined)
        expect((await suite.inspect()).holder).toMatchObject({ owner: next.owner, holdCount: 1 })
        expect(next.isHeld).toBe(true)
        await next.unlock()
        expect(await failureOf(late.unlock())).toBeInstanceOf(LockLostError)
      },
    )
  })
}
