import { heirOf } from '@holdfast/core/engine'
import { InvalidArgumentError, UnavailableError, type Lease } from '@holdfast/core'
import { expect } from '../../expect/expect.js'
import { BareSession } from '../../support/bare-session.js'
import { failureOf } from '../../support/observing.js'
import type { Suite } from '../../support/suite.js'
import { uniqueName, until } from '../../support/until.js'

/** A lock is handed over to the one bearer of a ticket, and is not free in between. */
export function describeHandOver(suite: Suite): void {
  const { fencing, fifo, handOff, lease: leases } = suite.traits
  const isPromised = leases.handsOver === true
  const terms = { isPromised }
  const bare = { isPromised, needs: ['engine'] } as const
  const linked = { isPromised, needs: ['openLinked'] } as const
  const withinMs = 60_000

  async function openBare(): Promise<BareSession> {
    const engine = suite.engine.engine?.()
    if (!engine) throw new Error(`${suite.engine.name} offers no engine`)
    const opened = await BareSession.open(engine, suite.lockName)
    suite.endAfterScenario(() => opened.session.close())
    return opened
  }

  const tokenOf = ({ fencingTokenIfAny: token = 0 }: Lease): number => token

  suite.part('always: hand-over', () => {
    suite.scenario(
      'a hand-over leaves the lock to its heir, for that long exactly, and changes nothing when it comes again',
      async () => {
        const store = await openBare()
        const [a = '', b = ''] = store.owners(2)
        const heir = heirOf(a, 'x')
        // Shorter and longer than what is left of the lease.
        for (const keepMs of [40_000, 90_000]) {
          const first = await store.acquire(a)
          expect(await store.release(a, { keepMs, heir })).toBe('released')
          const { token, ttlMs, ...rest } = await store.inspect()
          expect(ttlMs > keepMs - 10_000 && ttlMs <= keepMs + leases.stepMs).toBe(true)
          expect(rest).toMatchObject({ owner: heir, count: 1 })
          if (fencing !== 'none') expect(first).toMatchObject({ token })
          expect(await store.release(a, { keepMs: 95_000, heir })).toBe('released')
          expect(await store.release(a, { keepMs: 95_000, heir: heirOf(a, 'other') })).toBe('not-held')
          expect(await store.release(a)).toBe('not-held')
          expect(await store.renew(60_000, a)).toEqual(['not-held'])
          expect(await store.acquire(b)).toMatchObject({ kind: 'busy', holder: heir })
          const after = await store.inspect()
          expect(after).toMatchObject({ owner: heir, count: 1 })
          expect(after.ttlMs <= ttlMs).toBe(true)
          expect(await store.force(heir)).toBe('released')
          expect(await store.inspect()).toMatchObject({ owner: '' })
        }
      },
      {
        ...bare,
        otherwise: {
          title: 'it is refused, and the lease stays as it is',
          run: async () => {
            const { lock } = await suite.open()
            const lease = await lock.lock()
            expect(await failureOf(lease.handOver({ withinMs }))).toBeInstanceOf(InvalidArgumentError)
            expect(await failureOf(lock.takeOver('x'))).toBeInstanceOf(InvalidArgumentError)
            expect(lease.isHeld).toBe(true)
            await lease.unlock()
          },
        },
      },
    )

    suite.scenario(
      'a take-over enters once, with a larger token, and changes nothing when it comes again or too late',
      async () => {
        const store = await openBare()
        const [a = '', b = '', c = ''] = store.owners(3)
        const heir = heirOf(a, 'x')
        const first = await store.acquire(a)
        await store.release(a, { keepMs: 40_000, heir })
        expect(await store.acquire(c, { heir: heirOf(a, 'other') })).toMatchObject({
          kind: 'busy',
          holder: heir,
        })
        const taken = await store.acquire(b, { heir })
        expect(taken).toMatchObject({ kind: 'held' })
        if (first.kind === 'held' && taken.kind === 'held' && fencing !== 'none')
          expect(taken.token).toBeGreaterThan(first.token)
        expect(await store.acquire(b, { heir })).toEqual(taken)
        const { ttlMs, ...found } = await store.inspect()
        expect(found).toMatchObject({ owner: b, count: 1 })
        expect(ttlMs).toBeGreaterThan(50_000)
        expect(await store.acquire(c, { heir })).toMatchObject({ kind: 'busy', holder: b, position: 0 })
        expect(await store.release(a, { keepMs: 40_000, heir })).toBe('not-held')
        expect(await store.release(b)).toBe('released')
        expect(await store.acquire(b, { heir })).toMatchObject({ kind: 'busy', holder: '', position: 0 })
        expect(await store.acquire(c, { heir })).toMatchObject({ kind: 'busy', holder: '', position: 0 })
        expect(await store.inspect()).toMatchObject({ owner: '', waiterCount: 0 })
      },
      bare,
    )

    suite.scenario(
      'steps that arrive after an eviction, or after their owner was abandoned, hand nothing over',
      async () => {
        const store = await openBare()
        const [a = '', b = '', c = ''] = store.owners(3)
        const heir = heirOf(a, 'x')
        await store.acquire(a)
        await store.force(a)
        expect(await store.release(a, { keepMs: 40_000, heir })).toBe('not-held')
        expect(await store.inspect()).toMatchObject({ owner: '' })
        await store.acquire(b)
        await store.release(b, { keepMs: 40_000, heir })
        await store.release(c, { tombstoneMs: 60_000 })
        expect(await store.acquire(c, { heir })).toEqual({ kind: 'abandoned' })
        expect(await store.inspect()).toMatchObject({ owner: heir })
        await store.force(heir)
        expect(await store.acquire(a, { heir })).toMatchObject({ kind: 'busy', holder: '' })
        await store.acquire(b)
        // As its client does that got no reply: first its own hold, then that of its heir.
        await store.release(b)
        expect(await store.release(b, { keepMs: 40_000, heir })).toBe('not-held')
        expect(await store.inspect()).toMatchObject({ owner: '', waiterCount: 0 })
      },
      bare,
    )

    suite.scenario(
      'the lock is not free between a hand-over and its take-over, by another client with a larger token',
      async () => {
        const [request, worker, rival] = await Promise.all([suite.open(), suite.open(), suite.open()])
        const lost: unknown[] = []
        for (const { holdfast } of [request, worker]) holdfast.on('lost', (event) => lost.push(event))
        const given = await request.lock.lock()
        const { signal } = given
        const token = tokenOf(given)
        const ticket = await given.handOver({ withinMs })
        expect(given.isHeld).toBe(false)
        expect(request.holdfast.stats()).toMatchObject({ holds: 0, released: 2, lost: 0 })
        expect(await rival.lock.tryLock()).toBeNull()
        const { holder } = await suite.inspect()
        expect(holder).toMatchObject({ unattended: 'handed-over', holdCount: 1 })
        expect(JSON.stringify(holder).includes(ticket.slice(-22))).toBe(false)
        await request.holdfast.close()
        const taken = await worker.lock.takeOver(ticket)
        expect(taken?.isHeld).toBe(true)
        if (fencing !== 'none' && taken) expect(tokenOf(taken)).toBeGreaterThan(token)
        expect((await suite.inspect()).holder).toMatchObject({ owner: taken?.owner, holdCount: 1 })
        expect(await rival.lock.tryLock()).toBeNull()
        expect(await rival.lock.takeOver(ticket)).toBeNull()
        await taken?.unlock()
        expect(await worker.lock.takeOver(ticket)).toBeNull()
        expect(signal.aborted).toBe(false)
        expect(lost).toEqual([])
        await suite.untilUnused()
      },
      terms,
    )

    suite.scenario(
      'of several workers with one ticket one gets the lock',
      async () => {
        const clients = await Promise.all([suite.open(), suite.open(), suite.open()])
        const lease = await clients[0].lock.lock()
        const ticket = await lease.handOver({ withinMs })
        const tries = [...clients, ...clients].map(({ lock }) => lock.takeOver(ticket))
        const got = (await Promise.all(tries)).filter((taken) => taken !== null)
        expect(got.length).toBe(1)
        await got[0]?.unlock()
        await suite.untilUnused()
      },
      terms,
    )

    suite.scenario(
      'a ticket that is too old takes nothing over, and the next waiter got the lock when its time was over',
      async () => {
        const options = { watchdogTimeoutMs: 120_000 }
        const [request, waiter] = await Promise.all([suite.open(options), suite.open(options)])
        const given = await request.lock.lock()
        const waiting = waiter.lock.tryLock({ waitMs: 15_000 })
        await suite.untilQueued(1)
        const shortMs = Math.max(1_000, leases.shortestMs)
        const ticket = await given.handOver({ withinMs: shortMs })
        const lease = await waiting
        expect(lease?.isHeld).toBe(true)
        expect(await request.lock.takeOver(ticket)).toBeNull()
        await lease?.unlock()
        expect(await request.lock.takeOver(ticket)).toBeNull()
      },
      { isPromised: isPromised && fifo },
    )

    suite.scenario(
      'a waiter gets the lock once the worker has released it, and long before the ticket would have ended',
      async () => {
        const [request, worker, waiter] = await Promise.all([suite.open(), suite.open(), suite.open()])
        const given = await request.lock.lock()
        const waiting = waiter.lock.lock()
        await suite.untilQueued(1)
        const ticket = await given.handOver({ withinMs: 600_000 })
        const taken = await worker.lock.takeOver(ticket)
        expect((await suite.inspect()).waiterCount).toBe(suite.hasQueue ? 1 : 0)
        await taken?.unlock()
        await (await waiting).unlock()
        await suite.untilUnused()
      },
      terms,
    )

    suite.scenario(
      'a worker that dies delays others by its own lease, however long the ticket was good',
      async () => {
        const { watchdogTimeoutMs, promptMs } = suite.times
        const [request, worker, waiter] = await Promise.all([
          suite.open(),
          suite.openLinked({ watchdogTimeoutMs }),
          suite.open({ watchdogTimeoutMs: 120_000 }),
        ])
        const given = await request.lock.lock()
        const waiting = waiter.lock.lock()
        await suite.untilQueued(1)
        const taken = await worker.lock.takeOver(await given.handOver({ withinMs: 600_000 }))
        expect(taken?.isHeld).toBe(true)
        worker.link.blackHole('toStore')
        const diedAt = performance.now()
        const lease = await waiting
        suite.expectInTime(performance.now() - diedAt, watchdogTimeoutMs + promptMs)
        expect(taken?.isHeld).toBe(false)
        await lease.unlock()
      },
      { ...linked, isPromised: isPromised && (fifo || handOff === 'wake') },
    )

    suite.scenario(
      'forceUnlock ends what was handed over',
      async () => {
        const { lock } = await suite.open()
        const ticket = await (await lock.lock()).handOver({ withinMs })
        expect(await lock.forceUnlock()).toBe(true)
        expect(await lock.takeOver(ticket)).toBeNull()
        expect(await lock.isLocked()).toBe(false)
      },
      terms,
    )

    suite.scenario(
      'a ticket of another lock is refused, and so is anything else',
      async () => {
        const { holdfast, lock } = await suite.open()
        const lease = await lock.lock()
        const ticket = await lease.handOver({ withinMs })
        const other = holdfast.getLock(uniqueName('other'))
        for (const wrong of [other.takeOver(ticket), lock.takeOver(`${ticket}x`), lock.takeOver('')])
          expect(await failureOf(wrong)).toBeInstanceOf(InvalidArgumentError)
        await (await lock.takeOver(ticket))?.unlock()
      },
      terms,
    )

    suite.scenario(
      'a hand-over whose reply was lost hands the lock over, once',
      async () => {
        const [request, worker] = await Promise.all([suite.openLinked(), suite.open()])
        const given = await request.lock.lock()
        const replyLost = request.link.loseNextReply()
        const ticket = await given.handOver({ withinMs })
        await replyLost
        expect(request.holdfast.stats()).toMatchObject({ holds: 0, lost: 0 })
        const taken = await worker.lock.takeOver(ticket)
        expect(taken?.isHeld).toBe(true)
        expect((await suite.inspect()).holder).toMatchObject({ owner: taken?.owner, holdCount: 1 })
        await taken?.unlock()
      },
      linked,
    )

    suite.scenario(
      'a take-over whose reply was lost takes the lock over, once',
      async () => {
        const [request, worker] = await Promise.all([suite.open(), suite.openLinked()])
        const ticket = await (await request.lock.lock()).handOver({ withinMs })
        const replyLost = worker.link.loseNextReply()
        const taken = await worker.lock.takeOver(ticket)
        await replyLost
        expect(taken?.isHeld).toBe(true)
        expect(worker.holdfast.stats().holds).toBe(1)
        expect((await suite.inspect()).holder).toMatchObject({ owner: taken?.owner, holdCount: 1 })
        expect(await request.lock.takeOver(ticket)).toBeNull()
        await taken?.unlock()
        await suite.untilUnused()
      },
      linked,
    )

    for (const direction of ['toStore', 'toClient'] as const) {
      suite.scenario(
        `a hand-over that gets no reply because nothing arrives ${direction === 'toStore' ? 'at the store' : 'from it'} rejects, and frees the lock afterwards`,
        async () => {
          const { holdfast, lock, link } = await suite.openLinked({ commandTimeoutMs: 500 })
          const lease = await lock.lock()
          link.blackHole(direction)
          const failure = await failureOf(lease.handOver({ withinMs }))
          expect(failure).toBeInstanceOf(UnavailableError)
          expect(String(failure)).toMatch(/may stay held for 60000 ms/)
          expect(lease.isHeld).toBe(false)
          link.heal()
          await suite.untilUnused()
          expect(holdfast.stats().holds).toBe(0)
        },
        linked,
      )

      suite.scenario(
        `a take-over that gets no reply because nothing arrives ${direction === 'toStore' ? 'at the store' : 'from it'} rejects, and leaves no hold of its own`,
        async () => {
          const [request, worker] = await Promise.all([
            suite.open(),
            suite.openLinked({ commandTimeoutMs: 500 }),
          ])
          const ticket = await (await request.lock.lock()).handOver({ withinMs })
          worker.link.blackHole(direction)
          expect(await failureOf(worker.lock.takeOver(ticket))).toBeInstanceOf(UnavailableError)
          worker.link.heal()
          const isGone = async (): Promise<boolean> => {
            const holder = (await suite.inspect()).holder
            return holder === null || holder.unattended === 'handed-over'
          }
          await until(isGone, { what: 'the hold of the worker to be gone' })
          // Whether it had taken the lock over or not: the ticket is good for one more worker at the most.
          await (await request.lock.takeOver(ticket))?.unlock()
          await suite.untilUnused()
        },
        linked,
      )
    }
  })
}
