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
        `a holder whose link swallows everything ${where} is notified before a rival gets in, 20 times of 20`,
        async () => {
          const runs = Array.from({ length: 20 }, (_, n) => loseLink(suite, direction, n))
          expect(Math.min(...(await Promise.all(runs)))).toBeGreaterThan(0)
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

/** By how much the holder learned of its loss before the rival got in, milliseconds. */
async function loseLink(suite: Suite, direction: LinkDirection, n: number): Promise<number> {
  const { watchdogTimeoutMs } = suite.times
  const [holder, rival] = await Promise.all([suite.openLinked({ watchdogTimeoutMs }), suite.open()])
  const name = `${suite.lockName}/${n}`
  const lease = await holder.holdfast.getLock(name).lock()
  const lost = whenAborted(lease.signal)
  const entering = rival.holdfast.getLock(name).withLock(() => {
    const at = performance.now()
    return { at, holderClaimedIt: lease.isHeld }
  })
  await untilWaiters(rival.holdfast, 1)
  holder.link.blackHole(direction)
  const [lostAt, { at, holderClaimedIt }] = await Promise.all([lost, entering])
  expect(holderClaimedIt).toBe(false)
  expect(lease.signal.reason).toBeInstanceOf(LockLostError)
  return at - lostAt
}
