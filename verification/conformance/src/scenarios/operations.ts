import {
  InvalidArgumentError,
  type ClientOptions,
  type ListedLock,
  type LockListing,
  type Semaphore,
} from '@holdfast/core'
import { anyOf, expect, textWith } from '../expect/expect.js'
import { hungMs, pause, until } from '../support/until.js'
import { failureOf, untilWaiters, whenAborted } from '../support/observing.js'
import type { Client, Suite } from '../support/suite.js'

/** What operators see of locks and clients, and how they evict a holder that they have looked at. */
export function describeOperations(suite: Suite): void {
  const isPromised = suite.traits.operator === true
  const scenario = (title: string, run: () => Promise<void>, isCarried = true): void =>
    suite.scenario(title, run, { isPromised: isPromised && isCarried })
  const hasShared = suite.traits.kinds?.includes('shared') === true
  const hasLatches = suite.traits.kinds?.includes('latch') === true

  async function all(listing: LockListing): Promise<ListedLock[]> {
    const found: ListedLock[] = []
    for await (const lock of listing) found.push(lock)
    return found.sort((a, b) => (a.name < b.name ? -1 : 1))
  }
  /** A client that receives what others send: its first use does not wait long for that. */
  async function openConnected(options?: ClientOptions): Promise<Client> {
    const client = await suite.open(options)
    const { holdfast } = client
    const isListed = async (): Promise<boolean> =>
      (await holdfast.clients()).some(({ clientId }) => clientId === holdfast.clientId)
    await until(isListed, { what: 'the client to be connected', timeoutMs: hungMs })
    return client
  }
  const semaphoreOf = ({ holdfast }: Client): Semaphore =>
    holdfast.getSemaphore(`${suite.lockName}:s`, { permits: 2 })

  const it = suite.scenarios()

  suite.part('operations', () => {
    suite.scenario(
      'a listing shows each lock that is held, and by whom; once released it is gone from the next',
      async () => {
        const [holder, operator] = await Promise.all([suite.open(), suite.open()])
        const lease = await holder.lock.lock()
        const listing = operator.holdfast.locks({ pattern: `${suite.lockName}*` })
        expect(await all(listing)).toEqual([
          {
            name: suite.lockName,
            object: 'lock',
            holder: lease.owner,
            holderCount: 1,
            remainingMs: anyOf('number'),
            waiterCount: 0,
            fencingToken: lease.fencingToken,
          },
        ])
        expect(listing.progress).toMatchObject({ found: 1, foreign: 0, isComplete: true })
        expect(listing.progress.scanned).toBeGreaterThan(0)
        await lease.unlock()
        expect(await all(listing)).toEqual([])
      },
      {
        isPromised,
        otherwise: {
          title: 'listings, clients and their reports are refused, naming the engine',
          run: async () => {
            const { holdfast } = await suite.open()
            expect(() => holdfast.locks()).toThrow(InvalidArgumentError)
            for (const call of [holdfast.clients(), holdfast.clientReports()])
              expect(await failureOf(call)).toMatchObject({
                code: 'INVALID_ARGUMENT',
                message: textWith('can list neither locks nor clients'),
              })
          },
        },
      },
    )

    scenario(
      'objects of all kinds are listed under their names, and a pattern takes names literally but for * and ?',
      async () => {
        const client = await suite.open()
        const { holdfast } = client
        const name = (more: string): string => `${suite.lockName}${more}`
        const held = [
          await holdfast.getLock(name(':[a]')).lock(),
          await holdfast.getReadWriteLock(name(':catalog')).read.lock(),
        ]
        const permit = await semaphoreOf(client).acquire({ permits: 2 })
        const found = await all(holdfast.locks({ pattern: name('*') }))
        expect(found.map((each) => [each.name, each.object])).toEqual([
          [name(':[a]'), 'lock'],
          [name(':catalog'), 'read-write-lock'],
          [name(':s'), 'semaphore'],
        ])
        expect(await all(holdfast.locks({ pattern: name(':[a]') }))).toHaveLength(1)
        expect(await all(holdfast.locks({ pattern: name(':?') }))).toHaveLength(1)
        expect(await all(holdfast.locks({ pattern: name(':\\??') }))).toHaveLength(0)
        expect(await all(holdfast.locks({ pattern: name('*'), limit: 2 }))).toHaveLength(2)
        await Promise.all([...held.map((lease) => lease.unlock()), permit.release()])
      },
      hasShared,
    )

    scenario('with `contended` only what has waiters is listed', async () => {
      const [holder, other] = await Promise.all([suite.open(), suite.open()])
      const alone = await holder.holdfast.getLock(`${suite.lockName}:alone`).lock()
      const lease = await holder.lock.lock()
      const waiting = other.lock.lock()
      await untilWaiters(other.holdfast, 1)
      await suite.untilQueued(1)
      const found = await all(other.holdfast.locks({ pattern: `${suite.lockName}*`, contended: true }))
      expect(found).toMatchObject([{ name: suite.lockName, holder: lease.owner, waiterCount: 1 }])
      await Promise.all([alone.unlock(), lease.unlock()])
      await (await waiting).unlock()
    })

    scenario(
      'a latch that is waited for is listed',
      async () => {
        const [waiter, operator] = await Promise.all([suite.open(), suite.open()])
        const latch = waiter.holdfast.getCountDownLatch(suite.lockName)
        await latch.trySetCount(1)
        const waiting = latch.wait()
        await untilWaiters(waiter.holdfast, 1)
        const list = (): Promise<ListedLock[]> => all(operator.holdfast.locks({ pattern: suite.lockName }))
        await until(async () => (await list())[0]?.waiterCount === 1, { what: 'the latch to have a waiter' })
        expect(await list()).toMatchObject([{ name: suite.lockName, object: 'latch', holder: null }])
        await latch.countDown()
        await waiting
      },
      hasLatches,
    )

    scenario(
      'connected clients are listed with their process and label, and closed ones are not',
      async () => {
        const [a, b, operator] = await Promise.all([
          openConnected({ label: 'worker a' }),
          openConnected({ label: 'worker b' }),
          openConnected(),
        ])
        const listed = async (): Promise<Map<string, string>> =>
          new Map((await operator.holdfast.clients()).map(({ clientId, client }) => [clientId, client.label]))
        const before = await listed()
        expect(before.get(a.holdfast.clientId)).toBe('worker a')
        expect(before.get(b.holdfast.clientId)).toBe('worker b')
        await b.holdfast.close()
        await until(async () => !(await listed()).has(b.holdfast.clientId), {
          what: 'the closed client to be gone',
          timeoutMs: hungMs,
        })
      },
    )

    scenario('a client that is asked stays listed, although it holds nothing', async () => {
      const { watchdogTimeoutMs } = suite.times
      const [asked, operator] = await Promise.all([openConnected({ watchdogTimeoutMs }), suite.open()])
      const { clientId } = asked.holdfast
      // Longer than a registration lasts that is not renewed.
      const until = Date.now() + 1.5 * watchdogTimeoutMs
      while (Date.now() < until) {
        const askedAt = Date.now()
        const [report] = await operator.holdfast.clientReports({ clientIds: [clientId], withinMs: 5_000 })
        expect(report?.holdCount).toBe(0)
        const listed = await operator.holdfast.clients()
        // After a longer stall the registration of the question before may have expired.
        if (Date.now() - askedAt < watchdogTimeoutMs / 3)
          expect(listed.map((each) => each.clientId)).toContain(clientId)
        await pause()
      }
    })

    scenario('clientReports() has what each client holds and waits for, and for how long', async () => {
      const [holder, waiter, operator] = await Promise.all([
        openConnected({ label: 'holder' }),
        openConnected(),
        openConnected(),
      ])
      const lease = await holder.lock.lock()
      const waiting = waiter.lock.lock()
      await untilWaiters(waiter.holdfast, 1)
      const clientIds = [holder, waiter, operator].map(({ holdfast }) => holdfast.clientId)
      const reports = await operator.holdfast.clientReports({ clientIds, withinMs: 20_000 })
      const reportOf = ({ holdfast: { clientId } }: Client) =>
        reports.find((report) => report.clientId === clientId)
      expect(reports).toHaveLength(3)
      expect(reportOf(holder)).toMatchObject({
        client: { pid: process.pid, label: 'holder', startedAt: anyOf(Date) },
        holdCount: 1,
        waiterCount: 0,
        holds: [{ name: suite.lockName, kind: 'lock', owner: lease.owner, holdCount: 1 }],
        queue: [],
        losses: [],
      })
      expect(reportOf(holder)?.holds[0]?.heldMs).toBeGreaterThanOrEqual(0)
      expect(reportOf(waiter)).toMatchObject({
        holdCount: 0,
        waiterCount: 1,
        queue: [{ name: suite.lockName, kind: 'lock', holder: lease.owner, position: 1 }],
      })
      await lease.unlock()
      await (await waiting).unlock()
    })

    scenario('a report lists the oldest holds that fit into one message, and counts all', async () => {
      const [holder, operator] = await Promise.all([openConnected(), openConnected()])
      const names = Array.from({ length: 40 }, (_, n) => `${suite.lockName}:${n}:${'é'.repeat(200)}`)
      const leases = []
      for (const name of names) leases.push(await holder.holdfast.getLock(name).lock())
      const clientIds = [holder.holdfast.clientId]
      const [report] = await operator.holdfast.clientReports({ clientIds, withinMs: 20_000 })
      const listed = report?.holds.map(({ name }) => name) ?? []
      expect(report?.holdCount).toBe(names.length)
      expect(listed).toEqual(names.slice(0, listed.length))
      expect(listed.length).toBeGreaterThan(5)
      expect(listed.length).toBeLessThan(names.length)
      await Promise.all(leases.map((lease) => lease.unlock()))
    })

    scenario('a loss is reported to those who ask later', async () => {
      const [victim, operator] = await Promise.all([openConnected(), openConnected()])
      const lease = await victim.lock.lock()
      const aborted = whenAborted(lease.signal)
      await operator.lock.forceUnlock()
      await aborted
      const clientIds = [victim.holdfast.clientId]
      const [report] = await operator.holdfast.clientReports({ clientIds, withinMs: 20_000 })
      expect(report?.counts).toMatchObject({ lost: 1 })
      expect(report?.losses).toMatchObject([{ name: suite.lockName, owner: lease.owner, reason: 'revoked' }])
    })

    scenario('inspect says for how long the holder has held and the waiter has waited', async () => {
      const [holder, waiter] = await Promise.all([openConnected(), openConnected()])
      const lease = await holder.lock.lock()
      const waiting = waiter.lock.lock()
      await untilWaiters(waiter.holdfast, 1)
      await suite.untilQueued(1)
      const known = async (): Promise<boolean> => {
        const info = await suite.inspect()
        return info.holder?.heldMs != null && info.waiters[0]?.waitedMs != null
      }
      await until(known, { what: 'both ages', timeoutMs: hungMs })
      await lease.unlock()
      await (await waiting).unlock()
    })

    suite.scenario(
      'a frozen process is missing from clientReports(), which ends in time, and inspect does not wait for it',
      async () => {
        const [frozen, operator] = await Promise.all([suite.fork(), suite.open()])
        await frozen.lock(suite.lockName)
        const { owner } = await frozen.untilAcquired()
        await frozen.freeze()
        const clientIds = [frozen.clientId, operator.holdfast.clientId]
        const reports = await operator.holdfast.clientReports({ clientIds, withinMs: 300 })
        expect(reports.map(({ clientId }) => clientId)).toEqual([operator.holdfast.clientId])
        expect((await operator.lock.inspect()).holder).toMatchObject({ owner, heldMs: null })
      },
      { isPromised, needs: ['otherProcess'] },
    )

    it('an owner that no longer holds the lock is not evicted in place of the one that does', async () => {
      const [first, second, operator] = await Promise.all([suite.open(), suite.open(), suite.open()])
      const seen = await first.lock.lock()
      await seen.unlock()
      const lease = await second.lock.lock()
      expect(await operator.lock.forceUnlock({ owner: seen.owner })).toBe(false)
      expect(lease.isHeld).toBe(true)
      expect(await operator.lock.forceUnlock({ owner: lease.owner })).toBe(true)
      expect(await operator.lock.isLocked()).toBe(false)
    })

    scenario('the evicted holder reads by whom', async () => {
      const [victim, operator] = await Promise.all([openConnected(), openConnected()])
      const lease = await victim.lock.lock()
      const aborted = whenAborted(lease.signal)
      expect(await operator.lock.forceUnlock({ owner: lease.owner, by: 'ada@ops' })).toBe(true)
      await aborted
      expect(lease.signal.reason).toMatchObject({ reason: 'revoked', by: 'ada@ops' })
      expect(String(lease.signal.reason)).toContain('revoked by ada@ops')
    })

    scenario(
      'so does the evicted holder of permits',
      async () => {
        const [victim, operator] = await Promise.all([openConnected(), openConnected()])
        const lease = await semaphoreOf(victim).acquire()
        const aborted = whenAborted(lease.signal)
        expect(await semaphoreOf(operator).forceRelease(lease.owner, { by: 'ada@ops' })).toBe(true)
        await aborted
        expect(lease.signal.reason).toMatchObject({ reason: 'revoked', by: 'ada@ops' })
      },
      hasShared,
    )

    it('text that cannot be printed and malformed owners are refused before anything is sent', async () => {
      const { lock } = await suite.open()
      for (const by of ['', 'a\nb', '\u001b[31m', '\u202e', 'x'.repeat(201)])
        expect(await failureOf(lock.forceUnlock({ by }))).toMatchObject({ code: 'INVALID_ARGUMENT' })
      expect(await failureOf(lock.forceUnlock({ owner: 'nobody' }))).toMatchObject({
        code: 'INVALID_ARGUMENT',
      })
      // What inspect() finds of a free lock: it may have a holder by now.
      const noOwner: object = { owner: undefined }
      expect(await failureOf(lock.forceUnlock(noOwner))).toMatchObject({ code: 'INVALID_ARGUMENT' })
    })
  })
}
