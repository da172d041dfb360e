import { LockTimeoutError } from '@holdfast/core'
import { expect, listWith } from '../expect/expect.js'
import { failureOf, nextEvent, Witness } from '../support/observing.js'
import type { Client, Suite } from '../support/suite.js'

/** In which order waiters get in. */
export function describeFifo(suite: Suite): void {
  const isPromised = suite.traits.fifo

  /** Waiters that queue up one after the other behind a holder; each leaves as soon as it is in. */
  async function queueUp(
    clients: readonly Client[],
  ): Promise<{ order: number[]; positions: number[]; most: number }> {
    const holder = await suite.open()
    const held = await holder.lock.lock()
    const witness = new Witness()
    const order: number[] = []
    const positions: number[] = []
    const passes: Promise<void>[] = []
    for (const [n, { holdfast, lock }] of clients.entries()) {
      const waiting = nextEvent(holdfast, 'waiting')
      const pass = lock.withLock(async () => {
        order.push(n)
        await witness.visit()
      })
      pass.catch(() => undefined)
      passes.push(pass)
      positions.push((await waiting).position)
      await suite.untilQueued(n + 1)
    }
    await held.unlock()
    await Promise.all(passes)
    return { order, positions, most: witness.most }
  }

  /** Where waiters compete, the next to hold it is known only afterwards. */
  async function namesAHolder(): Promise<void> {
    const [a, b] = await Promise.all([suite.open(), suite.open()])
    const held = await a.lock.lock()
    const failure = await failureOf(b.lock.lock({ waitMs: suite.times.waitMs }))
    expect(failure).toMatchObject({ code: 'LOCK_TIMEOUT', holder: held.owner })
    await held.unlock()
  }

  suite.part('fifo', () => {
    suite.scenario(
      'waiters of two clients get in in the order in which they came',
      async () => {
        const [a, b] = await Promise.all([suite.open(), suite.open()])
        const { order, positions } = await queueUp([a, b, b, a, b, a, a, b])
        expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
        expect(positions).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
      },
      {
        isPromised,
        otherwise: {
          title: 'all of them get in, one at a time',
          run: async () => {
            const [a, b] = await Promise.all([suite.open(), suite.open()])
            const { order, positions, most } = await queueUp([a, b, b, a, b, a, a, b])
            expect([...order].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
            if (suite.hasQueue) expect(Math.min(...positions)).toBeGreaterThan(0)
            expect(most).toBe(1)
          },
        },
      },
    )

    suite.scenario(
      'a wait that times out names the present holder and position, not those it began behind',
      async () => {
        const [a, b, c] = await Promise.all([suite.open(), suite.open(), suite.open()])
        for (let attempts = 1; ; attempts += 1) {
          const held = await a.lock.lock()
          const next = c.lock.lock()
          await suite.untilQueued(1)
          const behindOther = failureOf(b.lock.lock({ waitMs: 2_000 })).then((failure) => {
            const ageMs = failure instanceof LockTimeoutError ? failure.stateAgeMs : undefined
            return { failure, readAtMs: performance.now() - (ageMs ?? 0) }
          })
          await suite.untilQueued(2)
          const behindOwn = failureOf(c.lock.lock({ waitMs: 2_000 }))
          await suite.untilQueued(3)
          await held.unlock()
          const lease = await next
          const heldAtMs = performance.now()
          expect(await behindOwn).toMatchObject({ code: 'LOCK_TIMEOUT', holder: lease.owner })
          const { failure, readAtMs } = await behindOther
          await lease.unlock()
          // The state is read once, and a wait that ends does not wait for a reply that is late.
          if (readAtMs < heldAtMs && attempts < 5) continue
          expect(failure).toMatchObject({ code: 'LOCK_TIMEOUT', holder: lease.owner, position: 1 })
          return
        }
      },
      { isPromised, otherwise: { title: 'it names one that held it', run: namesAHolder } },
    )

    suite.scenario(
      'a waiter that gave up leaves the order of the others as it is',
      async () => {
        const [a, b] = await Promise.all([suite.open(), suite.open()])
        const holder = await suite.open()
        const held = await holder.lock.lock()
        const order: string[] = []
        const first = a.lock.withLock(() => order.push('first'))
        await suite.untilQueued(1)
        const abort = new AbortController()
        const second = b.lock.lock({ signal: abort.signal }).catch(() => order.push('gave up'))
        await suite.untilQueued(2)
        const third = a.lock.withLock(() => order.push('third'))
        await suite.untilQueued(3)
        abort.abort()
        await second
        await suite.untilQueued(2)
        await held.unlock()
        await Promise.all([first, third])
        expect(order).toEqual(['gave up', 'first', 'third'])
      },
      {
        isPromised,
        otherwise: {
          title: 'the others are served',
          run: async () => {
            const [a, b] = await Promise.all([suite.open(), suite.open()])
            const held = await a.lock.lock()
            const abort = new AbortController()
            const gaveUp = b.lock.lock({ signal: abort.signal }).catch(() => 'gave up')
            const served = a.lock.withLock(() => 'served')
            await suite.untilQueued(2)
            abort.abort()
            expect(await gaveUp).toBe('gave up')
            await held.unlock()
            expect(await served).toBe('served')
          },
        },
      },
    )

    suite.scenario(
      '200 waiters in eight processes are served in the order of the queue',
      async () => {
        const { queued, served } = await passManyWaiters(suite)
        expect(served.slice(0, queued.length)).toEqual(queued)
      },
      {
        needs: ['otherProcess'],
        isPromised,
        otherwise: {
          title: 'each of them is served once',
          run: async () => {
            const { queued, served } = await passManyWaiters(suite)
            expect(served).toEqual(listWith(queued))
          },
        },
      },
    )
  })
}

/** How the first waiters stood in the queue, and in which order all of them were served, as far as tokens show it. */
async function passManyWaiters(suite: Suite): Promise<{ queued: string[]; served: string[] }> {
  const workers = await Promise.all(Array.from({ length: 8 }, () => suite.fork()))
  const { lock } = await suite.open()
  const before = await suite.engine.commandCount?.()
  const held = await lock.lock()
  const passes = await Promise.all(workers.map((worker) => worker.pass(suite.lockName, 25)))
  await suite.untilQueued(200)
  const queued = await suite.queue()
  await held.unlock()
  const entries = (await Promise.all(passes.map((passed) => passed()))).flat()
  const after = await suite.engine.commandCount?.()
  const served = entries.sort((a, b) => a.token - b.token).map(({ owner }) => owner)
  expect(new Set(served).size).toBe(200)
  const { commandsPerCycle } = suite.traits
  if (commandsPerCycle && before !== undefined && after !== undefined) {
    // The rest is what clients send periodically.
    expect((after - before) / 201).toBeLessThan(commandsPerCycle.contended + 0.2)
  }
  await suite.untilUnused()
  return { queued, served }
}
