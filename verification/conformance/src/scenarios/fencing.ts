import { HoldfastError, type Lease } from '@holdfast/core'
import { expect } from '../expect/expect.js'
import type { Suite } from '../support/suite.js'

/** Whether grants carry numbers that grow. */
export function describeFencing(suite: Suite): void {
  const { fencing } = suite.traits
  const hasTokens = fencing !== 'none'

  const expectGrowing = (tokens: readonly number[]): void => {
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b))
    expect(Math.max(...tokens)).toBeLessThan(2 ** 53)
    expect(Math.min(...tokens)).toBeGreaterThan(0)
  }

  const it = suite.scenarios({ isPromised: hasTokens })

  suite.part('fencing', () => {
    suite.scenario(
      'tokens grow from grant to grant and from client to client, and nested leases share one',
      async () => {
        const [a, b] = await Promise.all([suite.open(), suite.open()])
        const tokens: number[] = []
        const note = ({ fencingToken }: Lease): void => {
          tokens.push(fencingToken)
        }
        for (const { lock } of [a, b, b, a]) await lock.withLock(note)
        const held = await a.lock.lock()
        note(held)
        await held.run(() =>
          a.lock.withLock(({ fencingToken }) => expect(fencingToken).toBe(held.fencingToken)),
        )
        const passes: Promise<void>[] = []
        for (const { lock } of [b, a, b]) {
          passes.push(lock.withLock(note))
          await suite.untilQueued(passes.length)
        }
        expect((await suite.inspect()).fencingToken).toBe(held.fencingToken)
        await held.unlock()
        await Promise.all(passes)
        expect(tokens).toHaveLength(8)
        expectGrowing(tokens)
      },
      {
        isPromised: hasTokens,
        otherwise: {
          title: 'getFencedLock is refused, and fencingToken throws',
          run: async () => {
            const { holdfast, lock } = await suite.open()
            expect(() => holdfast.getFencedLock(suite.lockName)).toThrow(HoldfastError)
            await lock.withLock((lease) => expect(() => lease.fencingToken).toThrow(HoldfastError))
          },
        },
      },
    )

    it('the token of the next holder is larger after a lease has ended on its own', async () => {
      const [a, b] = await Promise.all([suite.open(), suite.open()])
      const first = await a.lock.lock({ leaseMs: suite.times.leaseMs })
      const next = await b.lock.lock()
      expectGrowing([first.fencingToken, next.fencingToken])
      await next.unlock()
    })

    it('getFencedLock gives leases with a token', async () => {
      const { holdfast } = await suite.open()
      await holdfast
        .getFencedLock(suite.lockName)
        .withLock(({ fencingToken }) => expect(fencingToken).toBeGreaterThan(0))
    })

    suite.scenario(
      'tokens grow across the loss of all data',
      async () => {
        const { lock } = await suite.open()
        const before = await lock.withLock(({ fencingToken }) => fencingToken)
        await suite.engine.wipe?.()
        const { lock: fresh } = await suite.open()
        const after = await fresh.withLock(({ fencingToken }) => fencingToken)
        expectGrowing([before, after])
      },
      {
        needs: ['wipe'],
        isPromised: fencing === 'kept',
        otherwise: {
          title: 'a client that has seen a token refuses none, and gets in',
          run: async () => {
            const { lock } = await suite.open()
            await lock.withLock(() => undefined)
            await suite.engine.wipe?.()
            expect(await lock.withLock(() => 'in')).toBe('in')
          },
        },
      },
    )
  })
}
