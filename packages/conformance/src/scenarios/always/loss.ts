import { LockLostError } from '@holdfast/core'
import type { LinkDirection } from '../../engine-under-test.js'
import { failureOf, stall, untilWaiters, whenAborted } from '../../support/observing.js'
import type { Suite } from '../../support/suite.js'

const directions: readonly (readonly [LinkDirection, string])[] = [
  ['both', 'in both directions'],
  ['toStore', 'towards the store'],
  ['toClient', 'towards the client'],
]

/** A holder learns of its loss before a rival gets in. */
export function describeLoss(suite: Suite): void {
  describe('always: loss', () => {
    for (const [direction, where] of directions) {
      suite.scenario(
        `a holder whose link swallows everything ${where} claims nothing when a rival gets in, 20 times of 20`,
        async () => {
          await Promise.all(Array.from({ length: 20 }, (_, n) => loseLink(suite, direction, n)))
        },
        { needs: ['openLinked'] },
      )
    }

    for (const [lease, isFixed] of [
      ['fixed', true],
      ['watchdog', false],
    ] as const) {
      suite.scenario(`after a stall past a ${lease} lease, isHeld is false on the first line`, async () => {
        const { leaseMs } = suite.times
        const { lock } = await suite.open({ watchdogTimeoutMs: leaseMs })
        const held = await lock.lock(isFixed ? { leaseMs } : {})
        const { signal } = held
        expect(held.isHeld).toBe(true)
        stall(leaseMs + 100)
        expect(held.isHeld).toBe(false)
        expect(held.remainingMs()).toBe(0)
        expect(signal.aborted).toBe(true)
        expect(() => {
          held.assertHeld()
        }).toThrow(LockLostError)
        expect(await failureOf(held.unlock())).toBeInstanceOf(LockLostError)
      })
    }

    suite.scenario(
      'a holder that was frozen past its lease claims nothing when it thaws',
      async () => {
        const { watchdogTimeoutMs } = suite.times
        const [frozen, other] = await Promise.all([suite.fork({ watchdogTimeoutMs }), suite.open()])
        await frozen.lock(suite.lockName)
        await frozen.untilAcquired()
        expect(await frozen.isHeld()).toBe(true)
        await frozen.freeze()
        const lease = await other.lock.lock()
        frozen.thaw()
        expect(await frozen.isHeld()).toBe(false)
        expect((await suite.inspect()).holder).toMatchObject({ owner: lease.owner, holdCount: 1 })
        await lease.unlock()
      },
      { needs: ['otherProcess'] },
    )
  })
}

/** Cuts a holder off while a rival waits. */
async function loseLink(suite: Suite, direction: LinkDirection, n: number): Promise<void> {
  const { watchdogTimeoutMs } = suite.times
  const [holder, rival] = await Promise.all([suite.openLinked({ watchdogTimeoutMs }), suite.open()])
  const name = `${suite.lockName}/${n}`
  const lease = await holder.holdfast.getLock(name).lock()
  const lost = whenAborted(lease.signal)
  const entering = rival.holdfast.getLock(name).withLock(() => lease.isHeld)
  await untilWaiters(rival.holdfast, 1)
  holder.link.blackHole(direction)
  // By the clock: the signal may be late in a process that is short of time.
  expect(await entering).toBe(false)
  await lost
  expect(lease.signal.reason).toBeInstanceOf(LockLostError)
}
