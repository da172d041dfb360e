import { expect } from '../../expect/expect.js'
import { until } from '../../support/until.js'
import { keptBy } from '@holdfast/core/engine'
import { failureOf } from '../../support/observing.js'
import { BareSession } from '../../support/bare-session.js'
import type { Suite } from '../../support/suite.js'

/** What single steps do when they come twice, late, or from an owner that holds nothing. */
export function describeSteps(suite: Suite): void {
  const bare = { needs: ['engine'] } as const
  const { fifo, handOff, fencing, lease } = suite.traits

  async function open(): Promise<BareSession> {
    const engine = suite.engine.engine?.()
    if (!engine) throw new Error(`${suite.engine.name} offers no engine`)
    const opened = await BareSession.open(engine, suite.lockName)
    suite.endAfterScenario(() => opened.session.close())
    return opened
  }
  const it = suite.scenarios(bare)

  suite.part('always: steps', () => {
    it('an acquire that comes twice enters once, with one token', async () => {
      const store = await open()
      const [a = ''] = store.owners(1)
      const first = await store.acquire(a)
      expect(await store.acquire(a)).toEqual(first)
      expect(first).toMatchObject({ kind: 'held' })
      if (fencing === 'none') expect(first).toMatchObject({ token: 0 })
      expect(await store.inspect()).toMatchObject({ owner: a, count: 1 })
    })

    it('a re-entry and a partial release that come twice set the count they want', async () => {
      const store = await open()
      const [a = ''] = store.owners(1)
      await store.acquire(a)
      for (const _ of [1, 2]) expect(await store.acquire(a, { count: 3 })).toMatchObject({ kind: 'held' })
      expect(await store.inspect()).toMatchObject({ owner: a, count: 3 })
      for (const _ of [1, 2]) expect(await store.release(a, { count: 2 })).toBe('released')
      expect(await store.inspect()).toMatchObject({ owner: a, count: 2 })
      expect(await store.release(a)).toBe('released')
      expect(await store.release(a)).toBe('not-held')
      expect(await store.inspect()).toMatchObject({ owner: '', waiterCount: 0 })
    })

    it('an acquire that comes again after a re-entry keeps the count', async () => {
      const store = await open()
      const [a = ''] = store.owners(1)
      const first = await store.acquire(a)
      await store.acquire(a, { count: 3 })
      expect(await store.acquire(a)).toEqual(first)
      expect(await store.inspect()).toMatchObject({ owner: a, count: 3 })
    })

    it('a re-entry of an owner that holds nothing is lost: it neither enters nor queues', async () => {
      const store = await open()
      const [a = ''] = store.owners(1)
      expect(await store.acquire(a, { count: 2, entryTtlMs: 60_000 })).toEqual({ kind: 'lost' })
      expect(await store.inspect()).toMatchObject({ owner: '', waiterCount: 0 })
    })

    it('a release that keeps the lock leaves it to no client, for that long exactly, and changes nothing when it comes again', async () => {
      const store = await open()
      const [a = '', b = ''] = store.owners(2)
      if (!suite.keeps) {
        const { lock } = await suite.open()
        expect(await failureOf(lock.lock({ atLeastMs: 1_000 }))).toMatchObject({ code: 'INVALID_ARGUMENT' })
        return
      }
      // Shorter and longer than what is left of the lease.
      for (const keepMs of [40_000, 90_000]) {
        expect(await store.acquire(a)).toMatchObject({ kind: 'held' })
        const kept = { owner: keptBy(a), count: 1 }
        expect(await store.release(a, { keepMs })).toBe('released')
        const { ttlMs } = await store.inspect()
        expect(ttlMs > keepMs - 10_000 && ttlMs <= keepMs + lease.stepMs).toBe(true)
        expect(await store.release(a, { keepMs: 95_000 })).toBe('not-held')
        expect(await store.release(a)).toBe('not-held')
        expect(await store.renew(60_000, a)).toEqual(['not-held'])
        expect(await store.acquire(b)).toMatchObject({ kind: 'busy', holder: kept.owner })
        const after = await store.inspect()
        expect(after).toMatchObject(kept)
        expect(after.ttlMs <= ttlMs).toBe(true)
        expect(await store.force(kept.owner)).toBe('released')
        expect(await store.inspect()).toMatchObject({ owner: '' })
      }
    })

    it('an acquire that arrives after its owner was abandoned is refused, on a free lock and on a held one', async () => {
      const store = await open()
      const [late = '', holder = ''] = store.owners(2)
      expect(await store.release(late, { tombstoneMs: 60_000 })).toBe('not-held')
      expect(await store.acquire(late, { entryTtlMs: 60_000 })).toEqual({ kind: 'abandoned' })
      expect(await store.inspect()).toMatchObject({ owner: '', waiterCount: 0 })
      await store.acquire(holder)
      expect(await store.acquire(late, { entryTtlMs: 60_000 })).toEqual({ kind: 'abandoned' })
      expect(await store.inspect()).toMatchObject({ owner: holder, waiterCount: 0 })
    })

    it('release, renewal and eviction of an owner that does not hold change nothing for the holder', async () => {
      const store = await open()
      const [holder = '', stranger = ''] = store.owners(2)
      await store.acquire(holder)
      expect(await store.release(stranger)).toBe('not-held')
      expect(await store.renew(120_000, stranger, holder, stranger)).toEqual([
        'not-held',
        'renewed',
        'not-held',
      ])
      expect(await store.session.steps.force(store.address, stranger)).toEqual({ kind: 'not-held' })
      expect(await store.inspect()).toMatchObject({ owner: holder, count: 1 })
    })

    it('no step shortens a lease', async () => {
      const store = await open()
      const [a = ''] = store.owners(1)
      const { leaseMs } = suite.times
      await store.acquire(a)
      await store.acquire(a, { count: 2, leaseMs })
      await store.renew(leaseMs, a)
      await store.release(a, { count: 1 })
      expect((await store.inspect()).ttlMs).toBeGreaterThan(50_000)
    })

    suite.scenario(
      'a queue request that comes twice keeps one entry and its position',
      async () => {
        const store = await open()
        const [holder = '', a = '', b = ''] = store.owners(3)
        await store.acquire(holder)
        const queue = (owner: string) => store.acquire(owner, { entryTtlMs: 60_000 })
        const first = await queue(a)
        expect(first).toMatchObject({ kind: 'busy', holder })
        await queue(b)
        const again = await queue(a)
        if (fifo) expect(again).toMatchObject({ position: 1 })
        const { waiters, waiterCount } = await store.inspect()
        expect(waiterCount).toBe(2)
        const owners = waiters.map(({ owner }) => owner)
        expect(fifo ? owners : owners.sort()).toEqual([a, b])
        expect(await store.release(a)).toBe('not-held')
        expect(await store.inspect()).toMatchObject({ owner: holder, waiterCount: 1 })
      },
      {
        ...bare,
        isPromised: suite.hasQueue,
        otherwise: {
          title: 'it leaves nothing in the store',
          run: async () => {
            const store = await open()
            const [holder = '', a = ''] = store.owners(2)
            await store.acquire(holder)
            for (const _ of [1, 2]) expect(await store.acquire(a)).toMatchObject({ kind: 'busy', holder })
            expect(await store.inspect()).toMatchObject({ owner: holder, waiterCount: 0 })
          },
        },
      },
    )

    suite.scenario(
      'refresh tells those who wait from those who were granted and those without an entry',
      async () => {
        const store = await open()
        const [holder = '', waiter = '', nobody = ''] = store.owners(3)
        await store.acquire(holder)
        await store.acquire(waiter, { entryTtlMs: 60_000 })
        const replies = await store.refresh(nobody, waiter, holder)
        expect(replies.map(({ state }) => state)).toEqual(['missing', 'waiting', 'granted'])
      },
      { ...bare, isPromised: suite.hasQueue },
    )

    suite.scenario(
      'a refresh that says who is in the way names the present holder and position, also after a release',
      async () => {
        const store = await open()
        const [first = '', second = '', third = ''] = store.owners(3)
        const standing = async () => {
          const [{ holder, position } = {}] = await store.refresh(third)
          return holder === undefined ? undefined : { holder, position }
        }
        await store.acquire(first)
        for (const owner of [second, third]) await store.acquire(owner, { entryTtlMs: 60_000 })
        expect([undefined, { holder: first, position: 2 }]).toContainEqual(await standing())
        await store.release(first)
        expect([undefined, { holder: second, position: 1 }]).toContainEqual(await standing())
      },
      { ...bare, isPromised: suite.traits.handOff === 'grant' && suite.traits.fifo },
    )

    suite.scenario(
      'a release hands the lock to the first waiter that is still alive',
      async () => {
        const store = await open()
        const [holder = '', stale = '', next = ''] = store.owners(3)
        await store.acquire(holder)
        await store.acquire(stale, { entryTtlMs: 100 })
        await store.acquire(next, { entryTtlMs: 60_000 })
        await until(async () => (await store.inspect()).waiters.every(isFresh(stale)))
        expect(await store.release(holder)).toBe('released')
        expect(await store.inspect()).toMatchObject({ owner: next, count: 1 })
        await store.release(next)
        expect(await store.inspect()).toMatchObject({ owner: '' })
      },
      // Where entries live as their sessions do, this one client cannot have a stale one.
      { ...bare, isPromised: fifo && handOff === 'grant' && !suite.hasSessions },
    )

    it('addresses are the same for the same name only, and lead back to it', async () => {
      const { session, address } = await open()
      expect(session.names.locate(suite.lockName, 'lock').id).toBe(address.id)
      expect(session.names.locate(`${suite.lockName}x`, 'lock').id).not.toBe(address.id)
      expect(session.names.resolve(address.id)).toMatchObject({ name: suite.lockName, id: address.id })
      const incarnation = await session.store.incarnation(address)
      expect(incarnation).toBeDefined()
      expect(await session.store.incarnation(address)).toBe(incarnation)
    })
  })
}

/** Whether a queue entry is not the one of that owner, or is over. */
const isFresh =
  (stale: string) =>
  ({ owner, aliveMs }: { readonly owner: string; readonly aliveMs: number }): boolean =>
    owner !== stale || aliveMs <= 0
