import { ClosedError, LockLostError, type Holdfast, type Lease } from '@holdfast/core'
import { expect } from '../../expect/expect.js'
import { uniqueName, until } from '../../support/until.js'
import { watchResources } from '../../support/open-resources.js'
import { failureOf, untilWaiters } from '../../support/observing.js'
import type { LinkedClient } from '../../engine-under-test.js'
import type { Suite } from '../../support/suite.js'

/** Nothing is left of a client that was closed. */
export function describeClosing(suite: Suite): void {
  /** Holds the lock until `finish` is called. */
  async function holdLock(holdfast: Holdfast) {
    let finish: () => void = () => undefined
    const finished = new Promise<void>((resolve) => (finish = resolve))
    let lease: Lease | undefined
    const done = holdfast.getLock(suite.lockName).withLock(async (entered) => {
      lease = entered
      await finished
      return 'result'
    })
    done.catch(() => undefined)
    return { done, finish, lease: await until(() => lease) }
  }

  const it = suite.scenarios()
  const itLinked = suite.scenarios({ needs: ['openLinked'] })

  suite.part('always: closing', () => {
    it('close() leaves no timer, no socket and no process', async () => {
      const expectNone = watchResources()
      const { holdfast, lock } = suite.openUnused()
      const held = await holdLock(holdfast)
      const waiting = lock.lock({ waitMs: 60_000 })
      await untilWaiters(holdfast, 1)
      held.finish()
      await held.done
      await waiting
      await holdfast.getLock(uniqueName('other')).lock({ leaseMs: 60_000 })
      await holdfast.close()
      await expectNone()
    })

    it('close() before the first use leaves nothing behind', async () => {
      const expectNone = watchResources()
      await suite.openUnused().holdfast.close()
      await expectNone()
    })

    itLinked(
      'close() ends after an outage in which nothing reached the client, twenty times of twenty',
      async () => {
        const outlast = async ({ holdfast, link }: LinkedClient, n: number): Promise<void> => {
          const lock = holdfast.getLock(`${suite.lockName}/${n}`)
          link.blackHole(n % 2 === 0 ? 'toClient' : 'both')
          // Some clients have given up their connections by then, and are looking for the store again.
          await failureOf(lock.lock({ signal: AbortSignal.timeout(200 + 300 * (n % 10)) }))
          link.heal()
          await holdfast.close()
        }
        const clients = await suite.openManyLinked(20, { commandTimeoutMs: 1_000 })
        await Promise.all(clients.map(outlast))
      },
    )

    itLinked(
      'close() ends soon although the store is unresponsive, with a release in the background and holds that are open',
      async () => {
        const { holdfast, link } = await suite.openLinked({ commandTimeoutMs: 300 })
        const left = await holdfast.getLock(`${suite.lockName}/left`).lock()
        await holdfast.getLock(`${suite.lockName}/open`).lock()
        link.blackHole('both')
        await left.unlock()
        const startedAt = performance.now()
        await holdfast.close()
        // The leases are 30 s.
        suite.expectInTime(performance.now() - startedAt, suite.times.promptMs)
      },
    )

    it('close() may be called any number of times, and releases what is held', async () => {
      const { holdfast, lock } = await suite.open()
      await lock.lock()
      await Promise.all([holdfast.close(), holdfast.close({ drainMs: 10_000 }), holdfast.close()])
      await holdfast.close()
      await holdfast[Symbol.asyncDispose]()
      expect(await failureOf(lock.lock())).toBeInstanceOf(ClosedError)
      expect(await suite.count()).toBe(0)
    })

    it('close({ drainMs }) waits for holders, and then nothing is lost', async () => {
      const { holdfast, lock } = await suite.open()
      const lost: unknown[] = []
      holdfast.on('lost', (event) => lost.push(event))
      const held = await holdLock(holdfast)
      let isClosed = false
      const closing = holdfast.close({ drainMs: 20_000 }).then(() => (isClosed = true))
      expect(await failureOf(lock.lock())).toBeInstanceOf(ClosedError)
      expect(isClosed).toBe(false)
      expect(held.lease.isHeld).toBe(true)
      expect((await suite.inspect()).holder).toMatchObject({ owner: held.lease.owner, holdCount: 1 })
      held.finish()
      await expect(held.done).resolves.toBe('result')
      await closing
      expect(lost).toEqual([])
      expect(await suite.count()).toBe(0)
    })

    it('a hold that outlasts the drain is aborted before the next client gets in', async () => {
      const [{ holdfast }, other] = await Promise.all([suite.open(), suite.open()])
      const order: string[] = []
      const held = await holdLock(holdfast)
      const next = other.lock.withLock(() => order.push('next got in'))
      await suite.untilQueued(1)
      held.lease.signal.addEventListener('abort', () => order.push('aborted'))
      await holdfast.close({ drainMs: 100 })
      await next
      expect(order).toEqual(['aborted', 'next got in'])
      held.finish()
      const failure = await failureOf(held.done)
      expect(failure).toBeInstanceOf(LockLostError)
      expect(failure).toMatchObject({ reason: 'closed', result: 'result' })
    })

    it('close() ends waits with ClosedError, and their queue entries are gone', async () => {
      const [holder, { holdfast, lock }] = await Promise.all([suite.open(), suite.open()])
      const held = await holder.lock.lock()
      const waits = [lock.lock(), lock.withLock(() => undefined), lock.tryLock({ waitMs: 60_000 })]
      const ends = Promise.allSettled(waits)
      await suite.untilQueued(3)
      await holdfast.close()
      for (const end of await ends) {
        expect(end).toMatchObject({
          status: 'rejected',
          reason: { code: 'CLOSED', lockName: suite.lockName },
        })
      }
      expect((await suite.inspect()).waiterCount).toBe(0)
      await held.unlock()
    })

    it('holders re-enter and acquire other locks while the client drains, and calls from outside are refused', async () => {
      const { holdfast, lock } = await suite.open()
      const other = holdfast.getLock(uniqueName('other'))
      let closing: Promise<void> | undefined
      await lock.withLock(async (lease) => {
        closing = holdfast.close({ drainMs: 20_000 })
        await lock.withLock(() => expect(lease.holdCount).toBe(2))
        const inner = await lock.tryLock()
        expect(inner?.holdCount).toBe(2)
        await inner?.unlock()
        expect(await other.withLock(() => other.isHeld())).toBe(true)
        const refused = await failureOf(holdfast.detached(() => other.lock()))
        expect(refused).toBeInstanceOf(ClosedError)
        expect(String(refused)).toContain('is closing: only calls inside withLock, withPermits')
      })
      await closing
      expect(String(await failureOf(lock.lock()))).toContain('the Holdfast client is closed')
      expect(await suite.count()).toBe(0)
    })

    it('a drain lets a scope go on to its next lock, and holders wait for one that another client holds', async () => {
      const [{ holdfast, lock }, rival] = await Promise.all([suite.open(), suite.open()])
      const other = holdfast.getLock(uniqueName('other'))
      const kept = await rival.holdfast.getLock(other.name).lock()
      let closing: Promise<void> | undefined
      const work = holdfast.scope(async () => {
        await lock.lock()
        const waiting = other.lock()
        await untilWaiters(holdfast, 1)
        closing = holdfast.close({ drainMs: 20_000 })
        await lock.unlock()
        await kept.unlock()
        const lease = await waiting
        await other.unlock()
        await lock.lock()
        return lease.name
      })
      expect(await work).toBe(other.name)
      await closing
      expect(await suite.count()).toBe(0)
    })

    it('once the drain is over, calls and waits inside a hold end with ClosedError, too', async () => {
      const [{ holdfast, lock }, rival] = await Promise.all([suite.open(), suite.open()])
      const other = holdfast.getLock(uniqueName('other'))
      const kept = await rival.holdfast.getLock(other.name).lock()
      const failures: unknown[] = []
      let closing: Promise<void> | undefined
      const held = lock.withLock(async () => {
        const waiting = failureOf(other.lock())
        await untilWaiters(holdfast, 1)
        closing = holdfast.close({ drainMs: 100 })
        failures.push(await waiting, await failureOf(other.tryLock()))
      })
      expect(await failureOf(held)).toMatchObject({ code: 'LOCK_LOST', reason: 'closed' })
      await closing
      for (const failure of failures) expect(failure).toBeInstanceOf(ClosedError)
      expect(failures.length).toBe(2)
      await kept.unlock()
    })
  })
}
