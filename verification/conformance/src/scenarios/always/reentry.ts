import { InvalidArgumentError, LockLostError, NotOwnerError, type Lease } from '@holdfast/core'
import { expect } from '../../expect/expect.js'
import { failureOf, nextEvent, Witness } from '../../support/observing.js'
import type { Suite } from '../../support/suite.js'

/** Nested calls share the hold around them; others do not. */
export function describeReentry(suite: Suite): void {
  const it = suite.scenarios()

  suite.part('always: re-entry', () => {
    it('calls nested through several functions count 3, 2, 1, free', async () => {
      const { lock } = await suite.open()
      const counts: number[] = []
      const note = async (): Promise<void> => {
        counts.push(await suite.count())
      }
      const readStock = (): Promise<void> => lock.withLock(note)
      const reserve = async (): Promise<void> => {
        await lock.withLock(async () => {
          await readStock()
          await note()
        })
      }
      await lock.withLock(async () => {
        await reserve()
        await note()
      })
      await note()
      expect(counts).toEqual(suite.countsEntries ? [3, 2, 1, 0] : [1, 1, 1, 0])
    })

    it('nested leases share owner and count of the hold', async () => {
      const { lock } = await suite.open()
      await lock.withLock(async (outer) => {
        await lock.withLock((inner) => {
          expect(inner.owner).toBe(outer.owner)
          expect(inner.holdCount).toBe(2)
          expect(lock.holdCount()).toBe(2)
        })
        expect(outer.holdCount).toBe(1)
      })
      expect(lock.holdCount()).toBe(0)
      expect(lock.isHeld()).toBe(false)
    })

    it('siblings that start inside a hold share it, and take turns', async () => {
      const { lock } = await suite.open()
      const witness = new Witness()
      const owners = await lock.withLock(async (outer) => {
        const inner = [1, 2, 3].map(() =>
          lock.withLock(async (lease) => {
            await witness.visit()
            return lease.owner
          }),
        )
        return [outer.owner, ...(await Promise.all(inner))]
      })
      expect(new Set(owners).size).toBe(1)
      expect(witness).toMatchObject({ most: 1, entries: 3 })
      expect(await suite.count()).toBe(0)
    })

    it('tryLock inside a hold re-enters', async () => {
      const { lock } = await suite.open()
      await lock.withLock(async () => {
        const lease = await lock.tryLock()
        expect(lease?.holdCount).toBe(2)
        await lease?.unlock()
      })
    })

    it('an inner lease that outlives the outer one keeps the hold', async () => {
      const { lock } = await suite.open()
      const outer = await lock.lock()
      const inner = await outer.run(() => lock.lock())
      await outer.unlock()
      expect(inner.isHeld).toBe(true)
      expect(await suite.count()).toBe(1)
      await inner.unlock()
      expect(await lock.isLocked()).toBe(false)
    })

    it('an inner fixed lease shortens nothing, and neither does leaving it', async () => {
      const { lock } = await suite.open()
      await lock.withLock(async (outer) => {
        const expectFullLease = async (): Promise<void> => {
          expect(await lock.remainingMs()).toBeGreaterThan(25_000)
          expect(outer.remainingMs()).toBeGreaterThan(25_000)
        }
        await expectFullLease()
        await lock.withLock({ leaseMs: suite.times.leaseMs }, expectFullLease)
        await expectFullLease()
      })
    })

    it('an inner watchdog lease extends a fixed outer one', async () => {
      const { lock } = await suite.open()
      const leaseMs = suite.times.watchdogTimeoutMs
      await lock.withLock({ leaseMs }, async (outer) => {
        expect(outer.remainingMs()).toBeLessThan(leaseMs)
        await lock.withLock(() => expect(outer.remainingMs()).toBeGreaterThan(25_000))
      })
    })

    it('a task that outlives the hold it began in has to wait like any other', async () => {
      const { lock } = await suite.open()
      let goOn = (): void => undefined
      const gate = new Promise<void>((resolve) => (goOn = resolve))
      let detached: Promise<string> | undefined
      const first = await lock.withLock((lease) => {
        detached = gate.then(() => lock.withLock(({ owner, holdCount }) => `${owner}/${holdCount}`))
        return lease.owner
      })
      const other = await lock.lock()
      goOn()
      await lock.isLocked()
      expect(other.isHeld).toBe(true)
      await other.unlock()
      const entered = await detached
      expect(entered).toMatch(/\/1$/)
      expect(entered).not.toContain(`${first}/`)
    })

    it('re-entry into an enclosing hold that was lost is refused', async () => {
      const [{ lock }, rival] = await Promise.all([suite.open(), suite.open()])
      const failure = await failureOf(
        lock.withLock({ leaseMs: suite.times.leaseMs }, async () => {
          const taken = await rival.lock.lock()
          try {
            await lock.withLock(() => 'got in')
          } finally {
            await taken.unlock()
          }
        }),
      )
      expect(failure).toBeInstanceOf(LockLostError)
      expect(await lock.isLocked()).toBe(false)
    })

    it('lock() outside withLock, run and scope does not let later calls re-enter', async () => {
      const { lock } = await suite.open()
      const lease = await lock.lock()
      expect(await lock.tryLock()).toBeNull()
      expect(lock.isHeld()).toBe(false)
      await lease.unlock()
    })

    it('lease.run lets nested calls re-enter, and takes no count', async () => {
      const { lock } = await suite.open()
      const lease = await lock.lock()
      await lease.run(async () => {
        expect(lock.holdCount()).toBe(1)
        await lock.withLock((inner) => {
          expect(inner.owner).toBe(lease.owner)
          expect(inner.holdCount).toBe(2)
        })
      })
      expect(lease.holdCount).toBe(1)
      await lease.unlock()
    })

    it('lease.run without a function is refused, and takes nothing from the lease', async () => {
      const { lock } = await suite.open()
      const lease = await lock.lock()
      const run = (): unknown => Reflect.apply(lease.run.bind(lease), undefined, [])
      await expect(run()).rejects.toBeInstanceOf(InvalidArgumentError)
      await expect(run()).rejects.toThrow('run needs a function to run, got undefined')
      expect(lease.isHeld).toBe(true)
      await lease.unlock()
    })

    it('unlocking a lease twice leaves once', async () => {
      const { lock } = await suite.open()
      const outer = await lock.lock()
      const inner = await outer.run(() => lock.lock())
      await Promise.all([inner.unlock(), inner.unlock()])
      await inner.unlock()
      expect(await suite.count()).toBe(1)
      await outer.unlock()
      await expect(outer.run(() => undefined)).rejects.toBeInstanceOf(NotOwnerError)
    })

    it('a listener never re-enters the hold of the call that started its timer', async () => {
      const { holdfast, lock } = await suite.open()
      const listened = nextEvent(holdfast, 'lost').then(() => lock.tryLock())
      await lock.withLock(async () => {
        await holdfast.getLock(`${lock.name}/inner`).lock({ leaseMs: suite.times.leaseMs })
        expect(await listened).toBeNull()
      })
    })

    it('a listener of a lease signal never re-enters the hold around it', async () => {
      const { holdfast, lock } = await suite.open()
      await lock.withLock(async () => {
        const inner = await holdfast.getLock(`${lock.name}/inner`).lock({ leaseMs: suite.times.leaseMs })
        const entered = await new Promise<Lease | null>((resolve) =>
          inner.signal.addEventListener('abort', () => resolve(lock.tryLock())),
        )
        expect(entered).toBeNull()
      })
    })
  })
}
