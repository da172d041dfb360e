import { LatchGoneError, LockTimeoutError, type CountDownLatch, type HoldfastEvents } from '@holdfast/core'
import { ClosedError, InvalidArgumentError, TooManyWaitersError, type ClientOptions } from '@holdfast/core'
import { expect, textWith } from '../expect/expect.js'
import { failureOf, nextEvent } from '../support/observing.js'
import type { Client, Suite } from '../support/suite.js'
import { until } from '../support/until.js'

interface LatchClient extends Client {
  readonly latch: CountDownLatch
}

/** Count-down latches, for engines that have them. */
export function describeLatch(suite: Suite): void {
  const isPromised = suite.traits.kinds?.includes('latch') === true
  const linked = { isPromised, needs: ['openLinked'] } as const

  const withLatch = <C extends Client>(client: C) => ({
    ...client,
    latch: client.holdfast.getCountDownLatch(suite.lockName),
  })
  const open = async (options?: ClientOptions): Promise<LatchClient> => withLatch(await suite.open(options))
  const openLinked = async (options?: ClientOptions) => withLatch(await suite.openLinked(options))

  /** Begins to wait; resolves when the store knows of it. What is returned settles with the outcome of the wait. */
  async function beginToWait({ holdfast, latch }: LatchClient, options = {}) {
    const waiting = nextEvent(holdfast, 'waiting')
    const outcome = latch.wait(options).then(
      () => 'passed',
      (error: unknown) => error,
    )
    await waiting
    return { outcome }
  }

  const it = suite.scenarios({ isPromised })
  const itLinked = suite.scenarios(linked)

  suite.part('latch', () => {
    suite.scenario(
      'waiters of all clients pass once all parties have counted down',
      async () => {
        const clients = await Promise.all([open(), open(), open()])
        const [{ latch }] = clients
        expect(await latch.trySetCount(3)).toBe(true)
        const waits = await Promise.all([...clients, ...clients].map((client) => beginToWait(client)))
        const lefts = []
        for (const client of clients) {
          expect(await latch.tryWait()).toBe(false)
          lefts.push(await client.latch.countDown())
        }
        expect(lefts).toEqual([2, 1, 0])
        const outcomes = await Promise.all(waits.map(({ outcome }) => outcome))
        expect(new Set(outcomes)).toEqual(new Set(['passed']))
        expect(await latch.tryWait()).toBe(true)
        expect(await latch.countDown()).toBe(0)
        expect(await latch.count()).toBe(0)
      },
      {
        isPromised,
        otherwise: {
          title: 'getCountDownLatch is refused and names the engine',
          run: async () => {
            const { holdfast } = await suite.open()
            expect(() => holdfast.getCountDownLatch(suite.lockName)).toThrow(InvalidArgumentError)
            expect(() => holdfast.getCountDownLatch(suite.lockName)).toThrow(
              / engine \S+ has no count-down latches/,
            )
          },
        },
      },
    )

    it('wait before set: a latch that is not set is not open, and the wait goes on until it is set and opens', async () => {
      const [waiter, other] = await Promise.all([open(), open()])
      expect(await other.latch.tryWait()).toBe(false)
      expect(await other.latch.count()).toBeNull()
      await expect(other.latch.wait({ waitMs: suite.times.waitMs })).rejects.toThrow(
        /to open \(no count is set.*: call trySetCount\)$/,
      )
      const { outcome } = await beginToWait(waiter)
      await other.latch.trySetCount(2)
      expect(await other.latch.countDown()).toBe(1)
      await expect(waiter.latch.wait({ waitMs: suite.times.waitMs })).rejects.toThrow(/to open$/)
      await other.latch.countDown()
      expect(await outcome).toBe('passed')
    })

    it('a count is set by one of several that try, and not again until the latch is open', async () => {
      const [a, b] = await Promise.all([open(), open()])
      const tries = [a, b, a, b].map(({ latch }, n) => latch.trySetCount(n + 1))
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1)
      const { count, left } = await a.latch.inspect()
      expect(left).toBe(count)
      for (let n = 0; n < count; n += 1) await b.latch.countDown()
      const { generation } = await a.latch.inspect()
      expect(await a.latch.trySetCount(5)).toBe(true)
      expect(await b.latch.inspect()).toMatchObject({ isSet: true, isOpen: false, count: 5, left: 5 })
      expect((await b.latch.inspect()).generation).toBeGreaterThan(generation)
    })

    it('a named party counts once, from whichever client, and each other count-down is a party of its own', async () => {
      const [a, b] = await Promise.all([open(), open()])
      await a.latch.trySetCount(4)
      expect(await a.latch.countDown({ as: 'shard-7' })).toBe(3)
      expect(await b.latch.countDown({ as: 'shard-7' })).toBe(3)
      expect(await b.latch.countDown({ as: 'shard-8' })).toBe(2)
      expect((await a.latch.inspect()).parties).toEqual(['shard-7', 'shard-8'])
      expect(await b.latch.countDown()).toBe(1)
      expect(await b.latch.countDown()).toBe(0)
    })

    itLinked('count-down runs twice: one whose reply was lost is sent again and counts once', async () => {
      const [{ latch }, client] = await Promise.all([open(), openLinked()])
      await latch.trySetCount(3)
      // The first one learns the generation.
      await client.latch.countDown()
      const replyLost = client.link.loseNextReply()
      const left = client.latch.countDown()
      await replyLost
      expect(await left).toBe(1)
      expect(await latch.count()).toBe(1)
    })

    itLinked(
      'a count-down whose reply was lost, in a count that is over by then, neither counts in the next one nor says so',
      async () => {
        const [{ latch }, client] = await Promise.all([open(), openLinked()])
        await latch.trySetCount(2)
        await client.latch.countDown()
        await latch.countDown()
        await latch.trySetCount(2)
        const replyLost = client.link.loseNextReply()
        const failure = failureOf(client.latch.countDown({ as: 'shard-7' }))
        await replyLost
        expect(await failure).toMatchObject({ code: 'UNAVAILABLE' })
        expect(await latch.count()).toBe(2)
        expect(await client.latch.countDown({ as: 'shard-7' })).toBe(1)
        const deleted = client.link.loseNextReply()
        await latch.delete()
        await latch.trySetCount(3)
        const next = failureOf(client.latch.countDown())
        await deleted
        expect(await next).toMatchObject({ code: 'UNAVAILABLE' })
        expect(await latch.count()).toBe(3)
      },
    )

    itLinked('a count whose reply was lost is set once, and the caller learns that it set it', async () => {
      const [{ latch }, client] = await Promise.all([open(), openLinked()])
      const replyLost = client.link.loseNextReply()
      const isSet = client.latch.trySetCount(2)
      await replyLost
      expect(await isSet).toBe(true)
      expect(await latch.trySetCount(2)).toBe(false)
    })

    itLinked(
      'opening in a gap: a waiter whose notification was lost passes once its connections are back',
      async () => {
        const [{ latch }, client] = await Promise.all([open(), openLinked()])
        await latch.trySetCount(1)
        const { outcome } = await beginToWait(client)
        client.link.blackHole('toClient')
        await latch.countDown()
        client.link.cut()
        client.link.heal()
        expect(await outcome).toBe('passed')
      },
    )

    itLinked('set again before a waiter looked: it passes all the same', async () => {
      const [{ latch }, client] = await Promise.all([open(), openLinked()])
      await latch.trySetCount(1)
      const { outcome } = await beginToWait(client)
      client.link.blackHole('toClient')
      await latch.countDown()
      expect(await latch.trySetCount(1)).toBe(true)
      client.link.cut()
      client.link.heal()
      expect(await outcome).toBe('passed')
      expect(await latch.count()).toBe(1)
    })

    it('lost latch: waiters fail when it is deleted, and the next count is another matter', async () => {
      const [a, b] = await Promise.all([open(), open()])
      await a.latch.trySetCount(1)
      const waits = await Promise.all([beginToWait(a), beginToWait(b)])
      expect(await b.latch.delete()).toBe(true)
      for (const { outcome } of waits) expect(await outcome).toBeInstanceOf(LatchGoneError)
      expect(await a.latch.tryWait()).toBe(false)
      expect(await a.latch.delete()).toBe(false)
      expect(await failureOf(a.latch.countDown())).toBeInstanceOf(LatchGoneError)
      expect(await a.latch.trySetCount(1)).toBe(true)
      expect(await b.latch.countDown()).toBe(0)
    })

    suite.scenario(
      'lost latch: waiters fail when the store has lost it, even if it was set again and opened by then',
      async () => {
        const { watchdogTimeoutMs } = suite.times
        const [a, b] = await Promise.all([open(), openLinked({ watchdogTimeoutMs })])
        await a.latch.trySetCount(1)
        const { outcome } = await beginToWait(b)
        b.link.blackHole('both')
        await suite.engine.wipe?.()
        await a.latch.trySetCount(1)
        await a.latch.countDown()
        b.link.cut()
        b.link.heal()
        expect(await outcome).toBeInstanceOf(LatchGoneError)
      },
      { isPromised, needs: ['openLinked', 'wipe'] },
    )

    suite.scenario(
      'a wait for a latch that nobody sets outlives the loss of all data',
      async () => {
        const { watchdogTimeoutMs } = suite.times
        const [a, b] = await Promise.all([open(), open({ watchdogTimeoutMs })])
        const { outcome } = await beginToWait(b)
        await suite.engine.wipe?.()
        await a.latch.trySetCount(1)
        await a.latch.countDown()
        expect(await outcome).toBe('passed')
      },
      { isPromised, needs: ['wipe'] },
    )

    it('a wait ends on time, by its signal, or when its client closes', async () => {
      const [{ latch }, client] = await Promise.all([open(), open()])
      await latch.trySetCount(2)
      const { waitMs } = suite.times
      const [late, isOpen] = await Promise.all([failureOf(latch.wait({ waitMs })), latch.tryWait({ waitMs })])
      expect(late).toBeInstanceOf(LockTimeoutError)
      expect(late).not.toHaveProperty('position')
      expect(late).toMatchObject({
        lockName: suite.lockName,
        message: textWith(/waiting for latch/),
      })
      expect(isOpen).toBe(false)
      const abort = new AbortController()
      const [aborted, closed] = await Promise.all([
        beginToWait(client, { signal: abort.signal }),
        beginToWait(client),
      ])
      const reason = new Error('no longer wanted')
      abort.abort(reason)
      expect(await aborted.outcome).toBe(reason)
      expect(await failureOf(latch.wait({ signal: AbortSignal.abort(reason) }))).toBe(reason)
      await client.holdfast.close()
      expect(await closed.outcome).toBeInstanceOf(ClosedError)
      for (const call of [
        () => client.latch.wait(),
        () => client.latch.countDown(),
        () => client.latch.trySetCount(1),
        () => client.latch.inspect(),
      ]) {
        expect(await failureOf(call())).toBeInstanceOf(ClosedError)
      }
    })

    it('one waiter more than maxWaiters is refused, and one that only looks is not', async () => {
      const client = await open({ maxWaiters: 1 })
      await client.latch.trySetCount(1)
      const { outcome } = await beginToWait(client)
      expect(await failureOf(client.latch.wait())).toBeInstanceOf(TooManyWaitersError)
      expect(await client.latch.tryWait()).toBe(false)
      await client.latch.countDown()
      expect(await outcome).toBe('passed')
    })

    it('opened is emitted once per client and opening, before the waiters of that client go on', async () => {
      const [a, b] = await Promise.all([open(), open()])
      await a.latch.trySetCount(1)
      const seen: (string | HoldfastEvents['opened'][0])[] = []
      b.holdfast.on('opened', (event) => seen.push(event))
      a.holdfast.on('opened', (event) => seen.push(event))
      // One after the other: a wait that began later would find it open, and need no event.
      const waits = [await beginToWait(b), await beginToWait(b)]
      const { generation } = await a.latch.inspect()
      await a.latch.countDown()
      await Promise.all(waits.map(async ({ outcome }) => seen.push(String(await outcome))))
      expect(seen).toEqual([{ name: suite.lockName, kind: 'latch', generation }, 'passed', 'passed'])
    })

    it('inspect says what is set, who has counted down and which clients wait', async () => {
      const [a, b] = await Promise.all([open(), open({ label: 'the waiter' })])
      expect(await a.latch.inspect()).toMatchObject({
        isSet: false,
        count: 0,
        waiterCount: 0,
        remainingMs: 0,
      })
      await a.latch.trySetCount(2, { keepMs: 60_000 })
      await Promise.all([beginToWait(b), beginToWait(b)])
      await a.latch.countDown({ as: 'one' })
      // The entry of a client that was stalled has ended, until it is made again.
      const { remainingMs, ...info } = await until(async () => {
        const shown = await a.latch.inspect()
        return shown.waiterCount > 0 ? shown : null
      })
      expect(info).toMatchObject({
        name: suite.lockName,
        kind: 'latch',
        isSet: true,
        isOpen: false,
        count: 2,
        left: 1,
        parties: ['one'],
        waiterCount: 1,
        waiters: [{ clientId: b.holdfast.clientId, client: { label: 'the waiter' } }],
      })
      expect(remainingMs).toBeGreaterThan(50_000)
      expect(remainingMs).toBeLessThanOrEqual(60_000)
      await a.latch.countDown()
    })

    suite.scenario(
      'a count-down is one command, also the first in a client that did not set the count but for the one that it learns by; all waiters of a client look at an opening together',
      async () => {
        const commandCount = async () => (await suite.engine.commandCount?.()) ?? 0
        const [a, b] = await Promise.all([open(), open()])
        // A store may look at a client's rights at its first use of any latch.
        await b.holdfast.getCountDownLatch(`${b.latch.name}-first`).trySetCount(1)
        await a.latch.trySetCount(100)
        const before = await commandCount()
        for (let n = 0; n < 49; n += 1) await a.latch.countDown()
        expect((await commandCount()) - before).toBe(49)
        for (let n = 0; n < 49; n += 1) await b.latch.countDown()
        expect((await commandCount()) - before).toBe(49 + 50)
        const waits = []
        // Each has its reply before the next one asks.
        while (waits.length < 50) waits.push(await beginToWait(b))
        expect((await commandCount()) - before).toBe(49 + 50 + 50)
        await a.latch.countDown()
        await a.latch.countDown()
        await Promise.all(waits.map(({ outcome }) => outcome))
        expect((await commandCount()) - before).toBe(49 + 50 + 50 + 2 + 1)
      },
      {
        isPromised:
          isPromised &&
          suite.traits.lease.of !== 'session' &&
          suite.traits.commandsPerCycle?.uncontended === 2,
        needs: ['commandCount'],
      },
    )

    it('bad arguments are refused before anything is sent', async () => {
      const { holdfast, latch } = withLatch(suite.openUnused())
      const given = (call: (...args: never[]) => unknown, ...args: unknown[]) => {
        return (): unknown => Reflect.apply(call, undefined, args)
      }
      const trySetCount = latch.trySetCount.bind(latch)
      const countDown = latch.countDown.bind(latch)
      const wait = latch.wait.bind(latch)
      const tryWait = latch.tryWait.bind(latch)
      const bad = [
        ...[0, -1, 1.5, NaN, 100_001, '3', undefined].map((count) => given(trySetCount, count)),
        ...[999, 0.5, '1', Infinity].map((keepMs) => given(trySetCount, 1, { keepMs })),
        ...['', 7, 'x'.repeat(257)].map((as) => given(countDown, { as })),
        given(countDown, { name: 'x' }),
        ...[{ waitMs: -1 }, { leaseMs: 1_000 }, { signal: 'now' }, 5].flatMap((options) => [
          given(wait, options),
          given(tryWait, options),
        ]),
      ]
      for (const call of bad) {
        const failure = await failureOf(Promise.resolve().then(call))
        expect(failure).toBeInstanceOf(InvalidArgumentError)
      }
      expect(() => holdfast.getCountDownLatch('')).toThrow(InvalidArgumentError)
      expect(given(holdfast.getCountDownLatch.bind(holdfast), 'x', { keepMs: 1 })).toThrow(
        InvalidArgumentError,
      )
    })
  })
}
