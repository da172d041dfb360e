import { UpgradeError, type ReadWriteLock } from '@holdfast/core'
import { expect } from '../expect/expect.js'
import { commandsPerCycle } from '../support/commands-per-cycle.js'
import { hungMs, until } from '../support/until.js'
import { failureOf, nextEvent, renewals, someTurns, untilWaiters, whenAborted } from '../support/observing.js'
import type { Client, Suite } from '../support/suite.js'

/** Readers together, writers alone, in order of arrival. */
export function describeReadWriteLock(suite: Suite): void {
  const of = ({ holdfast }: Client): ReadWriteLock => holdfast.getReadWriteLock(suite.lockName)

  async function open(options = {}): Promise<Client & ReadWriteLock> {
    const client = await suite.open(options)
    return { ...client, ...of(client) }
  }

  const openTwo = (): Promise<[Client & ReadWriteLock, Client & ReadWriteLock]> =>
    Promise.all([open(), open()])

  /** Resolves when so many wait in the queue. */
  const untilQueued = async ({ read }: ReadWriteLock, count: number): Promise<void> => {
    const what = (): string => `${count} in the queue`
    await until(async () => (await read.inspect()).waiterCount === count, { what, timeoutMs: hungMs })
  }

  const it = suite.scenarios()

  suite.part('read/write lock', () => {
    it('readers hold it together, a writer holds it alone', async () => {
      const [a, b] = await openTwo()
      const [first, second] = await Promise.all([a.read.lock(), b.read.lock()])
      expect(await a.write.tryLock()).toBeNull()
      await Promise.all([first.unlock(), second.unlock()])
      const writing = await a.write.lock()
      expect(await b.read.tryLock()).toBeNull()
      expect(await b.write.tryLock()).toBeNull()
      expect([await b.read.isLocked(), await b.write.isLocked()]).toEqual([false, true])
      await writing.unlock()
      expect([await b.read.isLocked(), await b.write.isLocked()]).toEqual([false, false])
    })

    it('writer not starved: a waiting writer stops later readers', async () => {
      const [a, b] = await openTwo()
      const reading = await a.read.lock()
      const writing = b.write.lock()
      await untilQueued(a, 1)
      expect(await a.read.tryLock()).toBeNull()
      const later = a.read.lock()
      await untilQueued(a, 2)
      await reading.unlock()
      const writer = await writing
      await someTurns()
      expect(a.holdfast.stats().holds).toBe(0)
      await writer.unlock()
      await (await later).unlock()
    })

    it('readers that are next to each other in the queue enter together', async () => {
      const [a, b] = await openTwo()
      const writing = await a.write.lock()
      const first = [a.read.lock(), b.read.lock()]
      await untilQueued(a, 2)
      const second = a.write.lock()
      await untilQueued(a, 3)
      const third = b.read.lock()
      await untilQueued(a, 4)
      await writing.unlock()
      const together = await Promise.all(first)
      expect((await a.read.inspect()).holderCount).toBe(2)
      expect(b.holdfast.stats().waiters + a.holdfast.stats().waiters).toBe(2)
      for (const lease of together) await lease.unlock()
      await (await second).unlock()
      await (await third).unlock()
    })

    it('writer gives up, readers enter', async () => {
      const [a, b] = await openTwo()
      const reading = await a.read.lock()
      const abort = new AbortController()
      const writing = failureOf(b.write.lock({ signal: abort.signal }))
      await untilQueued(a, 1)
      const later = b.read.lock()
      await untilQueued(a, 2)
      abort.abort(new Error('changed my mind'))
      await (await later).unlock()
      expect(await writing).toBe(abort.signal.reason)
      await reading.unlock()
    })

    it('nested entries send nothing', async () => {
      const { read, write } = await open()
      const before = async (): Promise<number> => (await suite.engine.commandCount?.()) ?? 0
      await write.withLock(async () => {
        const count = await before()
        await write.withLock(async () => {
          await read.withLock(() => read.withLock(someTurns))
          expect([read.holdCount(), write.holdCount(), write.isHeld(), read.isHeld()]).toEqual([
            0,
            2,
            true,
            false,
          ])
        })
        expect((await before()) - count).toBe(0)
      })
      await read.withLock(async (outer) => {
        const count = await before()
        await read.withLock((inner) =>
          expect([inner.owner, inner.kind, read.holdCount()]).toEqual([outer.owner, 'read-lock', 2]),
        )
        expect((await before()) - count).toBe(0)
      })
      expect(read.holdCount()).toBe(0)
    })

    it('a writer that keeps a read lease lets waiting readers in at once', async () => {
      const [a, b] = await openTwo()
      const downgraded = nextEvent(a.holdfast, 'downgraded')
      await a.holdfast.scope(async () => {
        const writing = await a.write.lock()
        const reading = await a.read.lock()
        const other = b.read.lock()
        await untilQueued(b, 1)
        await writing.unlock()
        const joined = await other
        expect(reading.isHeld).toBe(true)
        expect(await downgraded).toEqual({ name: a.name, kind: 'read-lock', owner: reading.owner })
        expect(await b.write.tryLock()).toBeNull()
        await joined.unlock()
        await reading.unlock()
      })
      await (await b.write.lock()).unlock()
    })

    it('upgrade in a scope: refused at once, by tryLock too, and nothing is sent', async () => {
      const { holdfast, read, write } = await open()
      await read.withLock(async (lease) => {
        const count = await suite.engine.commandCount?.()
        for (const attempt of [write.lock(), write.tryLock(), write.withLock(() => 'inside')]) {
          const error = await failureOf(attempt)
          expect(error).toBeInstanceOf(UpgradeError)
          expect(error).toMatchObject({ code: 'UPGRADE', lockName: read.name, owner: lease.owner })
        }
        expect(await suite.engine.commandCount?.()).toBe(count)
        expect(lease.isHeld).toBe(true)
      })
      await holdfast.scope(async () => {
        await read.lock()
        expect(await failureOf(write.lock())).toBeInstanceOf(UpgradeError)
        await read.unlock()
        await write.lock()
        await write.unlock()
      })
    })

    it('in a scope each side unlocks its own newest lease', async () => {
      const { holdfast, read, write } = await open()
      await holdfast.scope(async () => {
        await write.lock()
        await read.lock()
        await write.unlock()
        expect([read.holdCount(), write.holdCount()]).toEqual([1, 0])
        expect(await failureOf(write.unlock())).toMatchObject({ code: 'NOT_OWNER' })
        await read.unlock()
      })
      expect(await read.isLocked()).toBe(false)
    })

    it('read inside a lost write: refused with the loss', async () => {
      const [victim, operator] = await openTwo()
      await failureOf(
        victim.write.withLock(async (lease) => {
          const aborted = whenAborted(lease.signal)
          expect(await operator.write.forceUnlock()).toBe(true)
          if (suite.traits.force === 'notified') await aborted
          expect(await failureOf(victim.read.lock())).toMatchObject({ code: 'LOCK_LOST', reason: 'revoked' })
        }),
      )
    })

    it('read.forceUnlock evicts all readers, and the writer behind them enters', async () => {
      const [a, b] = await openTwo()
      const readers = await Promise.all([a.read.lock(), b.read.lock()])
      const writing = a.write.lock()
      await untilQueued(a, 1)
      expect(await b.write.forceUnlock()).toBe(false)
      expect(await b.read.forceUnlock()).toBe(true)
      const writer = await writing
      for (const reader of readers) {
        await whenAborted(reader.signal)
        expect(reader.isHeld).toBe(false)
      }
      expect(await b.read.forceUnlock()).toBe(false)
      await writer.unlock()
    })

    it('read.forceUnlock evicts all readers, however many', async () => {
      const [a, b] = await openTwo()
      const readers = await Promise.all(Array.from({ length: 250 }, () => a.read.lock()))
      expect(await b.read.forceUnlock()).toBe(true)
      expect(await b.read.isLocked()).toBe(false)
      for (const reader of readers) await failureOf(reader.unlock())
    })

    it('holds are renewed, each by itself, and inspect() shows who holds and who waits', async () => {
      const { watchdogTimeoutMs } = suite.times
      const [a, b] = await Promise.all([open({ watchdogTimeoutMs }), open({ watchdogTimeoutMs })])
      const readers = await Promise.all([a.read.lock(), b.read.lock()])
      const writing = b.write.lock()
      await Promise.all([renewals(a.holdfast, 3), renewals(b.holdfast, 3)])
      const info = await a.write.inspect()
      expect(info).toMatchObject({
        kind: 'write-lock',
        isLocked: false,
        holderCount: 2,
        waiterCount: 1,
        waiters: [{ kind: 'write-lock' }],
      })
      expect(info.holders.map(({ owner, kind }) => `${kind} ${owner}`).sort()).toEqual(
        readers.map(({ owner }) => `read-lock ${owner}`).sort(),
      )
      expect(readers.map(({ isHeld }) => isHeld)).toEqual([true, true])
      for (const reader of readers) await reader.unlock()
      await (await writing).unlock()
    })

    it('dead reader goes alone: its hold ends, and those of others stay', async () => {
      const { leaseMs } = suite.times
      const [a, b] = await openTwo()
      const short = await a.read.lock({ leaseMs })
      const long = await b.read.lock()
      await whenAborted(short.signal)
      await until(async () => (await b.read.inspect()).holderCount === 1, {
        what: 'one reader to be left',
        timeoutMs: hungMs,
      })
      expect(long.isHeld).toBe(true)
      expect(await a.write.tryLock()).toBeNull()
      await long.unlock()
    })

    it('one request lets all readers in after an expiry', async () => {
      const { leaseMs } = suite.times
      const [a, b] = await openTwo()
      await a.write.lock({ leaseMs })
      const reading = [b.read.lock(), b.read.lock(), a.read.lock()]
      await untilQueued(b, 3)
      const leases = await Promise.all(reading)
      expect((await b.read.inspect()).holderCount).toBe(3)
      for (const lease of leases) await lease.unlock()
    })

    suite.scenario(
      'dead writer at the head: readers behind it wait one watchdog time at the most',
      async () => {
        const { watchdogTimeoutMs } = suite.times
        const [dead, a] = await Promise.all([suite.fork({ watchdogTimeoutMs }, 'write-lock'), open()])
        const reading = await a.read.lock()
        await dead.lock(suite.lockName)
        await dead.untilWaiting()
        await untilQueued(a, 1)
        const later = a.read.lock()
        await untilQueued(a, 2)
        await dead.kill()
        // The reader that holds is renewed all the time: nothing else ends the wait.
        await (await later).unlock()
        expect(reading.isHeld).toBe(true)
        await reading.unlock()
      },
      { needs: ['otherProcess'] },
    )

    suite.scenario(
      'downgrade unanswered: it is repeated until it is answered, and changes the hold once',
      async () => {
        const client = await suite.openLinked()
        const { read, write } = of(client)
        const other = await open()
        const writing = await write.lock()
        await writing.run(async () => {
          const reading = await read.lock()
          const replyLost = client.link.loseNextReply()
          await writing.unlock()
          await replyLost
          const joined = await other.read.tryLock({ waitMs: 5_000 })
          expect(reading.isHeld).toBe(true)
          await joined?.unlock()
          await reading.unlock()
        })
        expect(await other.write.isLocked()).toBe(false)
        await (await other.write.lock()).unlock()
      },
      { needs: ['openLinked'] },
    )

    suite.scenario(
      'a cycle of a reader takes no more commands than promised, beside other readers and behind writers',
      async () => {
        const [a, b] = await openTwo()
        const { uncontended = 0, contended = 0 } = suite.traits.commandsPerCycle ?? {}
        const other = await a.read.lock()
        const besideOthers = await commandsPerCycle(suite, 100, async () => {
          for (let n = 0; n < 100; n += 1) await b.read.withLock(() => undefined)
        })
        expect(besideOthers).toBeLessThan(uncontended + 0.1)
        await other.unlock()
        const writing = await a.write.lock()
        const behindOthers = await commandsPerCycle(suite, 100, async () => {
          const passes = Array.from({ length: 100 }, (_, n) =>
            (n % 4 === 0 ? b.write : b.read).withLock(() => undefined),
          )
          await untilWaiters(b.holdfast, 100)
          await writing.unlock()
          await Promise.all(passes)
        })
        expect(behindOthers).toBeLessThan(contended + 0.1)
      },
      { needs: ['commandCount'], isPromised: suite.traits.commandsPerCycle !== undefined },
    )

    it('tokens grow from phase to phase, and a writer is above all before it', async () => {
      const [a, b] = await openTwo()
      const tokens: number[] = []
      for (const side of [a.read, b.write, b.read, a.write]) {
        await side.withLock(({ fencingToken }) => tokens.push(fencingToken))
      }
      expect(tokens).toEqual([...tokens].sort((x, y) => x - y))
      expect(new Set(tokens).size).toBe(4)
    })

    it('a lock, a semaphore and a read/write lock of one name have nothing in common', async () => {
      const { holdfast, lock, write } = await open()
      const semaphore = holdfast.getSemaphore(suite.lockName, { permits: 1 })
      const leases = [await lock.lock(), await write.lock()]
      const permit = await semaphore.acquire()
      await untilWaiters(holdfast, 0)
      for (const lease of leases) await lease.unlock()
      await permit.release()
    })
  })
}
