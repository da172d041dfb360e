import { LockLostError } from '@holdfast/core'
import { expect } from '../../expect/expect.js'
import type { LinkDirection } from '../../engine-under-test.js'
import { failureOf, stall, whenAborted } from '../../support/observing.js'
import type { Suite } from '../../support/suite.js'
import { hungMs, until } from '../../support/until.js'

const directions: readonly (readonly [LinkDirection, string])[] = [
  ['both', 'in both directions'],
  ['toStore', 'towards the store'],
  ['toClient', 'towards the client'],
]

/** A holder learns of its loss before a rival gets in. */
export function describeLoss(suite: Suite): void {
  suite.part('always: loss', () => {
    for (const [direction, where] of directions) {
      suite.scenario(
        `a holder whose link swallows everything ${where} claims nothing when a rival gets in, 20 times of 20`,
        () => loseLinks(suite, direction, 20),
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
        expect(() => held.assertHeld()).toThrow(LockLostError)
        expect(await failureOf(held.unlock())).toBeInstanceOf(LockLostError)
      })
    }

    suite.scenario(
      'after a stall past its session a process claims nothing on the first line, whatever the lease',
      async () => {
        const { watchdogTimeoutMs, promptMs } = suite.times
        const [{ lock }, rival] = await Promise.all([suite.open({ watchdogTimeoutMs }), suite.open()])
        const held = await lock.lock({ leaseMs: 60_000 })
        const waiting = rival.lock.lock({ waitMs: watchdogTimeoutMs + promptMs })
        await suite.untilQueued(1)
        stall(watchdogTimeoutMs + 100)
        expect(held.isHeld).toBe(false)
        expect(held.remainingMs()).toBe(0)
        expect(held.signal.reason).toMatchObject({ reason: 'expired' })
        expect(String(held.signal.reason)).toContain('the session of this client at the store ended')
        await (await waiting).unlock()
      },
      {
        isPromised: suite.hasSessions,
        otherwise: {
          title: 'it claims a lease that is longer than the stall',
          run: async () => {
            const { leaseMs: watchdogTimeoutMs } = suite.times
            const { lock } = await suite.open({ watchdogTimeoutMs })
            const held = await lock.lock({ leaseMs: 60_000 })
            stall(watchdogTimeoutMs + 100)
            expect(held.isHeld).toBe(true)
            await held.unlock()
          },
        },
      },
    )

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

/** Cuts holders off, each from a lock of its own that a rival waits for. */
async function loseLinks(suite: Suite, direction: LinkDirection, count: number): Promise<void> {
  const { watchdogTimeoutMs } = suite.times
  const rival = await suite.open()
  // All of them connect before the first lease begins.
  const holders = await suite.openManyLinked(count, { watchdogTimeoutMs })
  const leases = await Promise.all(
    holders.map(({ holdfast }, n) => holdfast.getLock(`${suite.lockName}/${n}`).lock()),
  )
  const losses = Promise.all(leases.map(({ signal }) => whenAborted(signal)))
  let entered = 0
  const claims = leases.map((lease) =>
    rival.holdfast.getLock(lease.name).withLock(() => {
      entered += 1
      return lease.isHeld
    }),
  )
  // A machine that is too busy to renew a hold loses it earlier, and then its rival is in already.
  await until(() => rival.holdfast.stats().waiters + entered >= count, {
    what: () => `${count} rivals to wait or to be in, there are ${rival.holdfast.stats().waiters + entered}`,
    timeoutMs: hungMs,
  })
  for (const { link } of holders) link.blackHole(direction)
  // By the clock: a signal may be late in a process that is short of time.
  expect(await Promise.all(claims)).toEqual(Array(count).fill(false))
  await losses
  for (const { signal } of leases) expect(signal.reason).toBeInstanceOf(LockLostError)
}
