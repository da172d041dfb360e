import { startSteppableRedis, uniqueName, until, type SteppableRedis, soon } from '@holdfast/testkit'
import { LockLostError, type Holdfast, type Lease } from '@holdfast/core'
import { closeAfterTest, closeAll, openHoldfast } from './support/clients.js'
import { LockInRedis } from './support/lock-in-redis.js'
import { nextEvent } from './support/next-event.js'
import { queueUp } from './support/queue-up.js'
import { forkClient } from './support/remote-client.js'

const watchdogTimeoutMs = 2_000

interface Stage {
  readonly url: string
  readonly step: (stepMs: number) => Promise<void>
  readonly name: string
  readonly inRedis: LockInRedis
  readonly clients: readonly [Holdfast, Holdfast]
}

afterEach(closeAll)

/** These can only tell something on Linux with a C compiler; elsewhere they pass without a look. */
function whereClocksStep(name: string, test: (stage: Stage) => Promise<void>): void {
  it(name, async () => {
    const redis = await startSteppableRedis()
    if (redis) await test(stageOn(redis))
  })
}

function stageOn(redis: SteppableRedis): Stage {
  closeAfterTest(() => redis.stop())
  const { url } = redis.server
  const first = openHoldfast(url, { watchdogTimeoutMs })
  const second = openHoldfast(url, { watchdogTimeoutMs })
  const name = uniqueName('clock-step')
  return {
    url,
    step: (stepMs) => redis.stepClock(stepMs),
    name,
    inRedis: new LockInRedis(first.redis, name),
    clients: [first.holdfast, second.holdfast],
  }
}

/** Who got in, in that order, with their tokens. */
class Entries {
  readonly order: number[] = []
  readonly tokens: number[] = []

  note(who: number, lease: Lease): void {
    this.order.push(who)
    this.tokens.push(lease.fencingToken)
  }

  expectGrowingTokens(): void {
    expect(this.tokens).toEqual([...new Set(this.tokens)].sort((a, b) => a - b))
  }
}

/** Waiters numbered from `from`, of either client in turn; each leaves as soon as it is in. */
function queueWaiters(stage: Stage, from: number, count: number, entries: Entries) {
  const locks = Array.from({ length: count }, (_, n) => stage.clients[(from + n) % 2 === 0 ? 0 : 1])
  return queueUp(
    stage.inRedis,
    locks.map((client) => client.getLock(stage.name)),
    (lease, n) => entries.note(from + n, lease),
  )
}

describe('the clock of Redis steps back by 10 seconds while one holds and others wait', () => {
  const cases = [
    ['the hold is left at once', 0],
    ['the hold outlives renewals', 3],
  ] as const
  for (const [when, renewals] of cases) {
    whereClocksStep(`${when}: order is kept, tokens grow, no waiter waits longer`, async (stage) => {
      const entries = new Entries()
      const holder = stage.clients[0]
      const lease = await holder.getLock(stage.name).lock()
      entries.note(0, lease)
      const before = await queueWaiters(stage, 1, 4, entries)
      await stage.step(-10_000)
      for (let n = 0; n < renewals; n += 1) await nextEvent(holder, 'renewed')
      const after = await queueWaiters(stage, 5, 2, entries)
      expect(lease.isHeld).toBe(true)
      await lease.unlock()
      await soon(Promise.all([...before, ...after]))
      expect(entries.order).toEqual([0, 1, 2, 3, 4, 5, 6])
      entries.expectGrowingTokens()
    })
  }

  whereClocksStep('tokens grow for a client that has seen none of them', async (stage) => {
    const entries = new Entries()
    const { holdfast: fresh } = openHoldfast(stage.url)
    await stage.clients[0].getLock(stage.name).withLock((lease) => entries.note(0, lease))
    await stage.step(-10_000)
    await fresh.getLock(stage.name).withLock((lease) => entries.note(1, lease))
    entries.expectGrowingTokens()
  })
})

whereClocksStep(
  'a step back lengthens the lease of a dead holder by the step, and no more',
  async (stage) => {
    const stepMs = 3_000
    const remote = await forkClient(stage.url, { watchdogTimeoutMs })
    await remote.lock(stage.name)
    const entry = await remote.untilAcquired()
    const entries = new Entries()
    const passed = await queueWaiters(stage, 1, 2, entries)
    await remote.kill()
    await stage.step(-stepMs)
    const steppedAt = performance.now()
    await soon(Promise.all(passed))
    expect(performance.now() - steppedAt).toBeGreaterThan(stepMs)
    expect(entries.order).toEqual([1, 2])
    expect(Math.min(...entries.tokens)).toBeGreaterThan(entry.token)
    entries.expectGrowingTokens()
  },
)

describe('the clock of Redis steps forward beyond the lease', () => {
  whereClocksStep('the holder learns it at its next renewal', async (stage) => {
    const holder = stage.clients[0]
    const lease = await holder.getLock(stage.name).lock()
    const lost = nextEvent(holder, 'lost')
    await stage.step(10_000)
    // The deadline by itself would say `expired`, and say it later.
    await expect(lost).resolves.toMatchObject({ error: { reason: 'not-held' } })
    expect(lease.signal.reason).toBeInstanceOf(LockLostError)
    expect(lease.isHeld).toBe(false)
    await expect(lease.unlock()).rejects.toThrow(LockLostError)
  })

  whereClocksStep('every waiter is served, with larger tokens', async (stage) => {
    const entries = new Entries()
    const holder = stage.clients[0]
    const lease = await holder.getLock(stage.name).lock()
    entries.note(0, lease)
    const lost = nextEvent(holder, 'lost')
    const passed = await queueWaiters(stage, 1, 4, entries)
    await stage.step(10_000)
    await soon(Promise.all(passed))
    await lost
    // Places live by the same clock, so their order may be lost with them.
    expect([...entries.order].sort()).toEqual([0, 1, 2, 3, 4])
    entries.expectGrowingTokens()
    await until(() => lease.signal.aborted)
  })

  whereClocksStep('tokens still grow when it is set right again', async (stage) => {
    const entries = new Entries()
    for (const [who, stepMs] of [0, 3_600_000, -3_600_000].entries()) {
      await stage.step(stepMs)
      const { holdfast: fresh } = openHoldfast(stage.url)
      await fresh.getLock(stage.name).withLock((lease) => entries.note(who, lease))
    }
    expect(entries.order).toEqual([0, 1, 2])
    entries.expectGrowingTokens()
  })
})
