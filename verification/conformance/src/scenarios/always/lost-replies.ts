import { UnavailableError, type ClientOptions } from '@holdfast/core'
import { expect } from '../../expect/expect.js'
import { until } from '../../support/until.js'
import { failureOf, nextEvent, renewals, untilWaiters, Witness } from '../../support/observing.js'
import type { Client, Suite } from '../../support/suite.js'

/** A command that is carried out twice, late, or without a reply changes nothing the second time. */
export function describeLostReplies(suite: Suite): void {
  const linked = { needs: ['openLinked'] } as const

  /** What the client reports as lost from now on. */
  const lossesOf = ({ holdfast }: Client): string[] => {
    const lost: string[] = []
    holdfast.on('lost', ({ error }) => lost.push(error.message))
    return lost
  }

  /** A client that has used this very lock before, and so knows the store behind it. */
  async function openUsed(options?: ClientOptions) {
    const client = await suite.openLinked(options)
    await client.lock.withLock(() => undefined)
    return client
  }

  const it = suite.scenarios(linked)

  suite.part('always: lost replies', () => {
    it('an acquisition whose reply was lost counts once, and one release frees the lock', async () => {
      const client = await openUsed()
      const lost = lossesOf(client)
      const replyLost = client.link.loseNextReply()
      const lease = await client.lock.lock()
      await replyLost
      expect((await suite.inspect()).holder).toMatchObject({ owner: lease.owner, holdCount: 1 })
      expect(client.holdfast.stats().holds).toBe(1)
      await lease.unlock()
      expect(await suite.count()).toBe(0)
      expect(lost).toEqual([])
    })

    suite.scenario(
      'a release whose reply was lost keeps the lock for its least time, once, and is not reported as a loss',
      async () => {
        const client = await openUsed()
        const lost = lossesOf(client)
        const lease = await client.lock.lock({ atLeastMs: 60_000 })
        const replyLost = client.link.loseNextReply()
        await expect(lease.unlock()).resolves.toBeUndefined()
        await replyLost
        const { holder } = await suite.inspect()
        expect(holder).toMatchObject({ owner: `${lease.owner}:kept`, holdCount: 1 })
        expect(lost).toEqual([])
        await client.lock.forceUnlock()
      },
      { ...linked, isPromised: suite.keeps && !suite.traits.evicts },
    )

    suite.scenario(
      'a release whose reply was lost resolves, and is not reported as a loss',
      async () => {
        const client = await openUsed()
        const lost = lossesOf(client)
        const lease = await client.lock.lock()
        const replyLost = client.link.loseNextReply()
        await expect(lease.unlock()).resolves.toBeUndefined()
        await replyLost
        expect(await suite.count()).toBe(0)
        expect(lost).toEqual([])
      },
      {
        ...linked,
        isPromised: !suite.traits.evicts,
        otherwise: {
          title: 'it counts as a loss, since the hold may have been evicted',
          run: async () => {
            const client = await openUsed()
            const lost = lossesOf(client)
            const lease = await client.lock.lock()
            const replyLost = client.link.loseNextReply()
            const failure = failureOf(lease.unlock())
            await replyLost
            expect(await failure).toMatchObject({ code: 'LOCK_LOST', reason: 'not-held' })
            expect(await suite.count()).toBe(0)
            expect(lost.length).toBe(1)
          },
        },
      },
    )

    it('a renewal whose reply was lost is harmless', async () => {
      const client = await openUsed({ watchdogTimeoutMs: suite.times.watchdogTimeoutMs })
      const lost = lossesOf(client)
      const lease = await client.lock.lock()
      await client.link.loseNextReply()
      await renewals(client.holdfast, 2)
      expect(lease.isHeld).toBe(true)
      expect((await suite.inspect()).holder).toMatchObject({ owner: lease.owner, holdCount: 1 })
      await lease.unlock()
      expect(lost).toEqual([])
    })

    it('a queued request whose reply was lost keeps its one queue entry and its position', async () => {
      const [holder, waiter, last] = await Promise.all([suite.open(), suite.openLinked(), suite.open()])
      const held = await holder.lock.lock()
      const replyLost = waiter.link.loseNextReply()
      const isWaiting = nextEvent(waiter.holdfast, 'waiting')
      const waiting = waiter.lock.withLock(({ owner }) => owner)
      await replyLost
      await suite.untilQueued(1)
      const lastWaiting = last.lock.withLock(({ owner }) => owner)
      await suite.untilQueued(2)
      await isWaiting
      const queue = await suite.queue()
      await held.unlock()
      const owners = await Promise.all([waiting, lastWaiting])
      expect(new Set(owners).size).toBe(2)
      if (suite.hasQueue) expect([...owners].sort()).toEqual([...queue].sort())
      if (suite.traits.fifo) expect(owners).toEqual(queue)
      await suite.untilUnused()
    })

    suite.scenario(
      'nested entries and partial releases end with the right counts when each reply is lost',
      async () => {
        const client = await openUsed()
        const { lock, link } = client
        const lost = lossesOf(client)
        const counts: number[] = []
        const note = async (): Promise<void> => {
          counts.push(await suite.count())
        }
        let replyLost = link.loseNextReply()
        await lock.withLock(async () => {
          await replyLost
          // By this reply the client also knows which store it talks to, which a break made it forget.
          await lock.isLocked()
          replyLost = link.loseNextReply()
          await lock.withLock(async () => {
            await replyLost
            await note()
            await lock.withLock(note)
            await note()
            replyLost = link.loseNextReply()
          })
          await replyLost
          await note()
          replyLost = link.loseNextReply()
        })
        await replyLost
        await note()
        expect(counts).toEqual([2, 3, 2, 1, 0])
        expect(lost).toEqual([])
      },
      { ...linked, isPromised: suite.countsEntries && !suite.traits.evicts },
    )

    it('a single attempt whose reply was lost gets in or rejects, and leaves no hold either way', async () => {
      const { holdfast, lock, link } = await openUsed()
      const replyLost = link.loseNextReply()
      // A driver may repeat what a break cut off.
      const result = await lock.tryLock().catch((error: unknown) => error)
      await replyLost
      if (result instanceof Error) expect(result).toBeInstanceOf(UnavailableError)
      else expect(holdfast.stats().holds).toBe(1)
      await holdfast.close()
      await suite.untilUnused()
    })

    for (const [direction, what] of [
      ['toStore', 'request is under way'],
      ['toClient', 'reply is under way'],
    ] as const) {
      it(`an acquisition that is aborted while its ${what} leaves neither a hold nor a queue entry`, async () => {
        const { lock, link } = await suite.openLinked({ commandTimeoutMs: 1_000 })
        const abort = new AbortController()
        const reason = new Error('changed my mind')
        link.blackHole(direction)
        const acquiring = failureOf(lock.lock({ signal: abort.signal }))
        // Of several commands the last is never sent.
        const isTaken = direction === 'toClient' && suite.tripsPerStep === 1
        if (isTaken) await until(() => suite.count(), { what: 'the lock to be taken' })
        abort.abort(reason)
        expect(await acquiring).toBe(reason)
        link.heal()
        await lock.withLock(() => undefined)
        await suite.untilUnused()
      })
    }

    it('a wait that is abandoned while its request is under way leaves no queue entry', async () => {
      const [holder, waiter] = await Promise.all([
        suite.open(),
        suite.openLinked({ commandTimeoutMs: 1_000 }),
      ])
      const held = await holder.lock.lock()
      waiter.link.blackHole('toStore')
      expect(await failureOf(waiter.lock.lock({ waitMs: 900 }))).toBeInstanceOf(UnavailableError)
      waiter.link.heal()
      await waiter.holdfast.getLock(`${suite.lockName}/after`).withLock(() => undefined)
      await suite.untilQueued(0)
      await held.unlock()
      await suite.untilUnused()
    })

    it('fifty tasks finish one at a time although connections break in the middle of the work', async () => {
      const client = await openUsed()
      const lost = lossesOf(client)
      const witness = new Witness()
      let finished = 0
      const task = (): Promise<void> =>
        client.lock.withLock(() =>
          witness.visit(async () => {
            finished += 1
            if (finished % 10 === 5) client.link.cut()
            await suite.count()
          }),
        )
      await Promise.all(Array.from({ length: 50 }, task))
      expect(witness).toMatchObject({ most: 1, entries: 50 })
      expect(lost).toEqual([])
      await suite.untilUnused()
    })

    it('waiters are served although the lock is handed on while their connections are broken', async () => {
      const [holder, waiter] = await Promise.all([suite.open(), suite.openLinked()])
      const held = await holder.lock.lock()
      const waiting = Array.from({ length: 5 }, () => waiter.lock.withLock(() => undefined))
      await suite.untilQueued(5)
      waiter.link.cut()
      const startedAt = performance.now()
      await held.unlock()
      await Promise.all(waiting)
      suite.expectInTime(performance.now() - startedAt, suite.times.promptMs)
    })

    it('a waiter is served although the lock is handed on while nothing reaches it', async () => {
      const [holder, waiter] = await Promise.all([suite.open(), suite.openLinked()])
      const held = await holder.lock.lock()
      const waiting = waiter.lock.withLock(() => 'in')
      await untilWaiters(waiter.holdfast, 1)
      waiter.link.blackHole('toClient')
      await held.unlock()
      waiter.link.heal()
      waiter.link.cut()
      const healedAt = performance.now()
      expect(await waiting).toBe('in')
      suite.expectInTime(performance.now() - healedAt, suite.times.promptMs)
      await suite.untilUnused()
    })
  })
}
