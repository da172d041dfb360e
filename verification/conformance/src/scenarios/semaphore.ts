import { ClosedError, InvalidArgumentError, UnavailableError, type Semaphore } from '@holdfast/core'
import { expect } from '../expect/expect.js'
import { commandsPerCycle } from '../support/commands-per-cycle.js'
import { hungMs, uniqueName, until } from '../support/until.js'
import { failureOf, nextEvent, someTurns, untilWaiters, whenAborted, Witness } from '../support/observing.js'
import type { Client, Suite } from '../support/suite.js'

/** Up to so many permits at once, in order of arrival. */
export function describeSemaphore(suite: Suite): void {
  const semaphoreOf = ({ holdfast }: Client, permits: number): Semaphore =>
    holdfast.getSemaphore(suite.lockName, { permits })

  async function open(permits: number): Promise<Client & { readonly semaphore: Semaphore }> {
    const client = await suite.open()
    return { ...client, semaphore: semaphoreOf(client, permits) }
  }

  const untilQueued = async (semaphore: Semaphore, count: number): Promise<void> => {
    const what = (): string => `${count} in the queue`
    await until(async () => (await semaphore.inspect()).waiterCount === count, { what, timeoutMs: hungMs })
  }

  const it = suite.scenarios()
  const itLinked = suite.scenarios({ needs: ['openLinked'] })

  suite.part('semaphore', () => {
    it('of many callers on two clients, as many are inside as there are permits', async () => {
      const [a, b] = await Promise.all([open(3), open(3)])
      const witness = new Witness()
      // The first stay until as many are inside as may be.
      const calls = Array.from({ length: 30 }, (_, n) =>
        (n % 2 === 0 ? a : b).semaphore.withPermits(() =>
          witness.visit(() => until(() => witness.most >= 3).then(someTurns)),
        ),
      )
      await Promise.all(calls)
      expect([witness.entries, witness.most]).toEqual([30, 3])
      expect(await a.semaphore.available()).toBe(3)
    })

    it('one that holds permits acquires locks and further permits while its client drains', async () => {
      const { holdfast, semaphore } = await open(2)
      let closing: Promise<void> | undefined
      const isLocked = await semaphore.withPermits(async () => {
        closing = holdfast.close({ drainMs: 20_000 })
        await semaphore.withPermits((further) => expect(further.isHeld).toBe(true))
        const lock = holdfast.getLock(uniqueName('other'))
        return lock.withLock(() => lock.isHeld())
      })
      expect(isLocked).toBe(true)
      expect(await failureOf(semaphore.acquire())).toBeInstanceOf(ClosedError)
      await closing
    })

    it('large request: it is not overtaken by small ones, and they follow it', async () => {
      const [a, b] = await Promise.all([open(3), open(3)])
      const held = [await a.semaphore.acquire(), await a.semaphore.acquire()]
      const order: string[] = []
      const large = b.semaphore.withPermits({ permits: 3 }, () => order.push('large'))
      await untilQueued(a.semaphore, 1)
      expect(await a.semaphore.tryAcquire()).toBeNull()
      const small = [1, 2].map((n) => a.semaphore.withPermits(() => order.push(`small ${n}`)))
      await untilQueued(a.semaphore, 3)
      for (const lease of held) await lease.release()
      await Promise.all([large, ...small])
      expect(order[0]).toBe('large')
    })

    it('request above the size: refused before anything is sent', async () => {
      const { semaphore } = await open(2)
      for (const permits of [0, 3, 1.5, NaN]) {
        const error = await failureOf(semaphore.acquire({ permits }))
        expect(error).toBeInstanceOf(InvalidArgumentError)
        expect(String(error)).toContain('permits must be an integer from 1 to 2')
      }
    })

    it('a request above what a resize left keeps its position and holds nobody up', async () => {
      const [a, b] = await Promise.all([open(3), open(3)])
      const held = await a.semaphore.acquire({ permits: 3 })
      const large = b.semaphore.acquire({ permits: 3 })
      await untilQueued(a.semaphore, 1)
      await a.semaphore.resize(2)
      await held.release()
      const small = await a.semaphore.acquire()
      expect(b.holdfast.stats().waiters).toBe(1)
      await small.release()
      await a.semaphore.resize(3)
      await (await large).release()
    })

    it('a request above what a resize left is served before those that came later, once there is room for it again', async () => {
      const [a, b] = await Promise.all([open(3), open(3)])
      const held = await a.semaphore.acquire()
      await a.semaphore.resize(2)
      const order: string[] = []
      const large = b.semaphore.withPermits({ permits: 3 }, () => order.push('large'))
      await untilQueued(a.semaphore, 1)
      const later = [a, b].map(({ semaphore }) =>
        semaphore.withPermits({ permits: 2 }, () => order.push('later')),
      )
      await untilQueued(a.semaphore, 3)
      await a.semaphore.resize(3)
      await held.release()
      await Promise.all([large, ...later])
      expect(order).toEqual(['large', 'later', 'later'])
    })

    it('at the end of a resize the sizes of the processes apply again, and those who entered by it still hold', async () => {
      const [a, b] = await Promise.all([open(3), open(3)])
      await a.semaphore.resize(2, { keepMs: suite.times.leaseMs })
      const large = b.semaphore.acquire({ permits: 3 })
      await untilQueued(a.semaphore, 1)
      const small = await a.semaphore.acquire()
      const isOver = async (): Promise<boolean> => (await a.semaphore.inspect()).permits === 3
      await until(isOver, { what: () => 'the end of the resize', timeoutMs: hungMs })
      expect(await a.semaphore.inspect()).toMatchObject({ available: 2, holderCount: 1, waiterCount: 1 })
      await small.release()
      await (await large).release()
    })

    it('a resize after one that is over is in force for those who knew that one, too', async () => {
      const [a, b] = await Promise.all([open(3), open(3)])
      const permits = async (client: typeof a): Promise<number> => (await client.semaphore.inspect()).permits
      await a.semaphore.resize(1, { keepMs: suite.times.leaseMs })
      expect([await permits(a), await permits(b)]).toEqual([1, 1])
      const isOver = async (): Promise<boolean> => (await permits(a)) === 3 && (await permits(b)) === 3
      await until(isOver, { what: () => 'the end of the resize', timeoutMs: hungMs })
      await b.semaphore.withPermits(() => undefined)
      await b.semaphore.resize(2)
      const c = await open(3)
      expect([await permits(a), await permits(b), await permits(c)]).toEqual([2, 2, 2])
      expect(await a.semaphore.tryAcquire({ permits: 3 })).toBeNull()
      await a.semaphore.resize(0)
      expect(await c.semaphore.tryAcquire()).toBeNull()
    })

    it('shrink below used: nobody is evicted, and nobody enters until enough left', async () => {
      const { semaphore, holdfast } = await open(3)
      const resized = nextEvent(holdfast, 'resized')
      const leases = [await semaphore.acquire(), await semaphore.acquire(), await semaphore.acquire()]
      await semaphore.resize(1)
      expect(await resized).toEqual({ name: semaphore.name, kind: 'semaphore', size: 1 })
      expect(leases.map(({ isHeld }) => isHeld)).toEqual([true, true, true])
      expect(await semaphore.available()).toBe(0)
      await leases[0]?.release()
      await leases[1]?.release()
      expect(await semaphore.tryAcquire()).toBeNull()
      await leases[2]?.release()
      const last = await semaphore.tryAcquire()
      expect(last?.isHeld).toBe(true)
      expect(await semaphore.tryAcquire()).toBeNull()
      await last?.release()
    })

    it('growing lets waiters in at once, and 0 pauses', async () => {
      const [a, b] = await Promise.all([open(1), open(1)])
      await a.semaphore.resize(0)
      const waiting = [b.semaphore.acquire(), b.semaphore.acquire()]
      await untilQueued(a.semaphore, 2)
      await a.semaphore.resize(2)
      for (const lease of await Promise.all(waiting)) await lease.release()
      expect(await a.semaphore.inspect()).toMatchObject({ permits: 2, available: 2, holderCount: 0 })
    })

    it('two sizes at once: each acquisition goes by the size of its own process', async () => {
      const [before, after] = await Promise.all([open(1), open(3)])
      const held = await before.semaphore.acquire()
      expect(await before.semaphore.tryAcquire()).toBeNull()
      const more = await after.semaphore.tryAcquire({ permits: 2 })
      expect(more?.permits).toBe(2)
      expect(await after.semaphore.tryAcquire()).toBeNull()
      await held.release()
      await more?.release()
    })

    it('partial release twice: permits go back once each, in any order of the calls', async () => {
      const [a, b] = await Promise.all([open(4), open(4)])
      const lease = await a.semaphore.acquire({ permits: 4 })
      await Promise.all([lease.release(1), lease.release(1)])
      expect([lease.permits, await b.semaphore.available()]).toEqual([2, 2])
      const two = await b.semaphore.tryAcquire({ permits: 2 })
      expect(two).not.toBeNull()
      expect(await failureOf(lease.release(3))).toBeInstanceOf(InvalidArgumentError)
      await Promise.all([lease.release(1), lease.release()])
      await lease.release()
      expect([lease.permits, lease.isHeld, await b.semaphore.available()]).toEqual([0, false, 2])
      await two?.release()
    })

    itLinked(
      'a resize whose reply was lost is in force, the call says so or that it cannot know, and it undoes no later one',
      async () => {
        const client = await suite.openLinked()
        const other = await open(3)
        const semaphore = semaphoreOf(client, 3)
        await semaphore.withPermits(() => undefined)
        const resized: number[] = []
        client.holdfast.on('resized', ({ size }) => resized.push(size))
        const replyLost = client.link.loseNextReply()
        // Some connections, as those to a Cluster, send it again by themselves, under the same id.
        const known = await semaphore.resize(2).then(
          () => [2],
          (error: unknown) => {
            expect(error).toBeInstanceOf(UnavailableError)
            return []
          },
        )
        await replyLost
        expect((await other.semaphore.inspect()).permits).toBe(2)
        await other.semaphore.resize(1)
        await semaphore.withPermits(() => undefined)
        expect((await other.semaphore.inspect()).permits).toBe(1)
        await semaphore.resize(2)
        expect([(await other.semaphore.inspect()).permits, resized]).toEqual([2, [...known, 2]])
      },
    )

    itLinked('a partial release whose reply was lost gives back the permits once', async () => {
      const client = await suite.openLinked()
      const semaphore = semaphoreOf(client, 4)
      const other = await open(4)
      const lease = await semaphore.acquire({ permits: 3 })
      const replyLost = client.link.loseNextReply()
      await lease.release(1)
      await replyLost
      expect(await other.semaphore.available()).toBe(2)
      await lease.release()
      expect(await other.semaphore.available()).toBe(4)
    })

    it('it is not reentrant: a nested call takes more permits', async () => {
      const { semaphore } = await open(2)
      await semaphore.withPermits(async (outer) => {
        await semaphore.withPermits(async (inner) => {
          expect(inner.owner).not.toBe(outer.owner)
          expect(await semaphore.tryAcquire()).toBeNull()
        })
      })
    })

    it('a fixed lease of permits ends like that of a lock, and its signal aborts', async () => {
      const { leaseMs } = suite.times
      const { semaphore } = await open(1)
      const lease = await semaphore.acquire({ leaseMs })
      const waiting = semaphore.acquire()
      await whenAborted(lease.signal)
      expect(lease.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'ended', owner: lease.owner })
      await (await waiting).release()
      expect(await failureOf(lease.release())).toMatchObject({ code: 'LOCK_LOST' })
    })

    it('forceRelease evicts the owner that it names, and nobody else', async () => {
      const [a, b] = await Promise.all([open(2), open(2)])
      const [victim, other] = [await a.semaphore.acquire(), await a.semaphore.acquire()]
      const waiting = b.semaphore.acquire()
      await untilWaiters(b.holdfast, 1)
      await untilQueued(a.semaphore, 1)
      expect(await b.semaphore.forceRelease(victim.owner)).toBe(true)
      const next = await waiting
      await whenAborted(victim.signal)
      expect([victim.isHeld, other.isHeld, next.isHeld]).toEqual([false, true, true])
      expect(await b.semaphore.forceRelease(victim.owner)).toBe(false)
      await other.release()
      await next.release()
    })

    it('a lost lease gives nothing back, and its number of permits stays', async () => {
      const { semaphore } = await open(3)
      const lease = await semaphore.acquire({ permits: 3 })
      await semaphore.forceRelease(lease.owner)
      await whenAborted(lease.signal)
      expect(await failureOf(lease.release(1))).toMatchObject({ code: 'LOCK_LOST' })
      expect(lease.permits).toBe(3)
    })

    it('forceRelease refuses what is not an owner, and evicts nobody', async () => {
      const { semaphore } = await open(2)
      const lease = await semaphore.acquire({ permits: 2 })
      for (const given of ['used', '', 'c1', undefined, 5]) {
        const call: unknown = Reflect.apply(semaphore.forceRelease.bind(semaphore), undefined, [given])
        expect(await failureOf(Promise.resolve(call))).toMatchObject({ code: 'INVALID_ARGUMENT' })
      }
      expect(await semaphore.available()).toBe(0)
      await lease.release()
    })

    it('inspect() shows permits, holders and waiters', async () => {
      const [a, b] = await Promise.all([open(3), open(3)])
      const held = await a.semaphore.acquire({ permits: 2 })
      const waiting = b.semaphore.acquire({ permits: 2 })
      await untilQueued(a.semaphore, 1)
      const info = await a.semaphore.inspect()
      expect(info).toMatchObject({
        kind: 'semaphore',
        permits: 3,
        available: 1,
        holderCount: 1,
        waiterCount: 1,
      })
      expect(info.holders).toMatchObject([{ owner: held.owner, permits: 2 }])
      expect(info.waiters).toMatchObject([{ permits: 2 }])
      await held.release()
      await (await waiting).release()
    })

    suite.scenario(
      'process dies: its permits return when its lease ends',
      async () => {
        const { watchdogTimeoutMs } = suite.times
        const remote = await suite.fork({ watchdogTimeoutMs })
        const { semaphore } = await open(2)
        await remote.acquire(suite.lockName, 2)
        await remote.untilAcquired()
        const waiting = semaphore.acquire({ permits: 2 })
        await untilQueued(semaphore, 1)
        await remote.kill()
        await (await waiting).release()
      },
      { needs: ['otherProcess'] },
    )

    suite.scenario(
      'a cycle takes no more commands than promised, contended or not',
      async () => {
        const [a, b] = await Promise.all([open(3), open(3)])
        const { uncontended = 0, contended = 0 } = suite.traits.commandsPerCycle ?? {}
        const alone = await commandsPerCycle(suite, 100, async () => {
          for (let n = 0; n < 100; n += 1) await a.semaphore.withPermits(() => undefined)
        })
        expect(alone).toBeLessThan(uncontended + 0.1)
        const held = await a.semaphore.acquire({ permits: 3 })
        const behindOthers = await commandsPerCycle(suite, 100, async () => {
          const passes = Array.from({ length: 100 }, () => b.semaphore.withPermits(() => undefined))
          await untilWaiters(b.holdfast, 100)
          await held.release()
          await Promise.all(passes)
        })
        expect(behindOthers).toBeLessThan(contended + 0.1)
      },
      { needs: ['commandCount'], isPromised: suite.traits.commandsPerCycle !== undefined },
    )

    it('a time-out names the semaphore and a holder', async () => {
      const { semaphore } = await open(1)
      const lease = await semaphore.acquire()
      const error = await failureOf(semaphore.acquire({ waitMs: suite.times.waitMs }))
      expect(error).toMatchObject({ code: 'LOCK_TIMEOUT', lockName: semaphore.name, holder: lease.owner })
      expect(String(error)).toContain(`waiting for semaphore ${semaphore.name} (held by ${lease.owner}`)
      await lease.release()
    })
  })
}
