import { memory, type MemoryStore } from '@holdfast/stores/memory'
import { Holdfast, type HoldfastQuorum, type Lease, type LockLostError } from '../src/index.js'
import type { Addressing } from '../src/engine/index.js'
import { closeAfterTest, closeAll } from './support/clients.js'
import { openQuorumOn, useQuorum } from './support/quorum.js'
import { SlowEngine } from './support/slow-engine.js'

// What takes how long, in virtual time.

let stores: [MemoryStore, MemoryStore, MemoryStore]

beforeEach(() => {
  jest.useFakeTimers()
  stores = [memory(), memory(), memory()]
})

afterEach(async () => {
  await inVirtualTime(closeAll())
  jest.useRealTimers()
})

/** Lets time pass until the work is done; how long that took, milliseconds. */
async function elapsed(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await inVirtualTime(work)
  return performance.now() - startedAt
}

async function inVirtualTime<T>(work: Promise<T>): Promise<T> {
  const state = { isOpen: true }
  const settled = (): void => {
    state.isOpen = false
  }
  work.then(settled, settled)
  for (let i = 0; i < 60_000 && state.isOpen; i++) await jest.advanceTimersByTimeAsync(1)
  return work
}

async function open(
  options: Parameters<typeof openQuorumOn>[1] = {},
  engines = slow(0),
): Promise<HoldfastQuorum> {
  const quorum = openQuorumOn(engines, { memberTimeoutMs: 1_000, ...options })
  return inVirtualTime(useQuorum(quorum.on('error', () => undefined)))
}

/** The stores, with replies that take a while. */
const slow = (oneWayMs: number): SlowEngine[] => stores.map((store) => new SlowEngine(store, () => oneWayMs))

/** A hold at one master alone. */
async function holdAlone(engine: MemoryStore, leaseMs: number): Promise<Lease> {
  const holdfast = new Holdfast({ engine }).on('error', () => undefined)
  closeAfterTest(() => holdfast.close())
  return inVirtualTime(holdfast.getLock('job').lock({ leaseMs }))
}

const lossOf = (lease: Lease): Promise<LockLostError> =>
  new Promise((resolve) =>
    lease.signal.addEventListener('abort', () => resolve(lease.signal.reason as LockLostError)),
  )

describe('a hold with a limit', () => {
  it('lasts as long as it may, even if some votes were kept while another was waited for', async () => {
    const quorum = await open()
    stores[2].disconnect()
    await holdAlone(stores[1], 1_500)
    const lease = await inVirtualTime(quorum.getLock('job').lock({ maxHoldMs: 2_000 }))
    expect(lease.remainingMs()).toBeGreaterThan(1_750)
    await inVirtualTime(lossOf(lease))
    expect(lease.signal.reason).toMatchObject({
      reason: 'ended',
      message: expect.stringContaining('maxHoldMs') as string,
    })
  })

  it.each([0, 30])(
    'ends by its limit, not for want of a majority, when replies take %d ms',
    async (oneWayMs) => {
      const quorum = await open({}, slow(oneWayMs))
      const lease = await inVirtualTime(quorum.getLock('job').lock({ maxHoldMs: 500 }))
      const loss = await inVirtualTime(lossOf(lease))
      expect(loss.reason).toBe('ended')
      expect(loss.message).toMatch(/the hold limit \(maxHoldMs\) passed/)
    },
  )

  it('is renewed until then, and ends by it', async () => {
    const quorum = await open({ watchdogTimeoutMs: 600 }, slow(5))
    const lease = await inVirtualTime(quorum.getLock('job').lock({ maxHoldMs: 1_000 }))
    const lost = lossOf(lease)
    // Less the time of the reply that it began with.
    expect(await elapsed(lost)).toBe(995)
    expect((await lost).reason).toBe('ended')
  })

  it('still ends for want of a majority when the masters are gone before', async () => {
    const quorum = await open({ watchdogTimeoutMs: 600 })
    const lease = await inVirtualTime(quorum.getLock('job').lock({ maxHoldMs: 3_000 }))
    stores[0].disconnect()
    stores[1].disconnect()
    expect((await inVirtualTime(lossOf(lease))).reason).toBe('minority')
  })
})

describe('several that try at once', () => {
  const zones = [0, 1, 2]
  /** Each is close to a master of its own, which therefore gets its request first. */
  const inZone = (zone: number): SlowEngine[] =>
    stores.map((store, i) => new SlowEngine(store, () => (i === zone ? 0 : 4)))

  it('one of them gets a free lock, though each has the vote of one master first', async () => {
    const clients: HoldfastQuorum[] = []
    for (const zone of zones) clients.push(await open({}, inZone(zone)))
    for (let i = 0; i < 5; i++) {
      const leases = await inVirtualTime(
        Promise.all(clients.map((client) => client.getLock(`job${i}`).tryLock())),
      )
      const held = leases.flatMap((lease) => lease ?? [])
      expect(held).toHaveLength(1)
      for (const lease of held) await inVirtualTime(lease.unlock())
    }
  })

  it('does not insist when another owner has a majority, nor for long when several have votes', async () => {
    const quorum = await open({}, slow(5))
    const holder = await open({}, slow(0))
    stores[0].disconnect()
    const lease = await inVirtualTime(holder.getLock('job').lock())
    stores[0].reconnect()
    await inVirtualTime(useQuorum(quorum))
    expect(await elapsed(quorum.getLock('job').tryLock())).toBeLessThan(25)
    await inVirtualTime(lease.unlock())
    await holdAlone(stores[1], 20_000)
    await holdAlone(stores[2], 20_000)
    const attempt = quorum.getLock('job').tryLock()
    const tookMs = await elapsed(attempt)
    expect([await attempt, tookMs > 100, tookMs < 350]).toEqual([null, true, true])
  })
})

describe('a queue master that falls silent while the lock is free, after contention', () => {
  async function contendedLately(): Promise<{
    readonly quorum: HoldfastQuorum
    readonly queueMaster: SlowEngine
    readonly second: SlowEngine
  }> {
    const engines = slow(0)
    const [queueMaster, second] = engines
    if (!queueMaster || !second) throw new Error('there are two masters')
    const [holder, quorum] = [await open(), await open({}, engines)]
    const lease = await inVirtualTime(holder.getLock('job').lock())
    const waiting = quorum.getLock('job').lock()
    await jest.advanceTimersByTimeAsync(50)
    await inVirtualTime(lease.unlock())
    await inVirtualTime((await inVirtualTime(waiting)).unlock())
    queueMaster.freeze()
    return { quorum, queueMaster, second }
  }

  it.each([0, 900])('is passed over after a quarter of its time (waitMs %d)', async (waitMs) => {
    const { quorum, queueMaster } = await contendedLately()
    const attempt = quorum.getLock('job').tryLock({ waitMs })
    expect(await elapsed(attempt)).toBeLessThan(300)
    const lease = await attempt
    expect(lease?.isHeld).toBe(true)
    queueMaster.thaw()
    await inVirtualTime(lease?.unlock() ?? Promise.resolve())
  })

  it('does not make a call that asks once take longer than one round, if another master is silent, too', async () => {
    const { quorum, queueMaster, second } = await contendedLately()
    second.freeze()
    const attempt = quorum.getLock('job').tryLock()
    const refused = expect(attempt).rejects.toThrow(
      'master 1 (slow) and master 2 (slow) did not reply within 1050 ms for lock job',
    )
    expect(await elapsed(attempt.catch(() => undefined))).toBeLessThan(1_100)
    await refused
    queueMaster.thaw()
    second.thaw()
  })

  it('is named when a wait ends before that', async () => {
    const { quorum, queueMaster } = await contendedLately()
    const waiting = quorum.getLock('job').lock({ waitMs: 200 })
    await expect(inVirtualTime(waiting)).rejects.toThrow(/^master 1 \(slow\) did not reply within 2\d\d ms/)
    queueMaster.thaw()
  })
})

it('masters that are down are checked with their own addresses', async () => {
  const checked: string[] = []
  const engines = slow(0).map((engine, i) => {
    const open = engine.open.bind(engine)
    engine.open = (host) => {
      const session = open(host)
      const names: Addressing = {
        locate: (name) => ({ name, id: `lock:${name}`, group: String(i) }),
        resolve: (id) => session.names.resolve(id),
      }
      const incarnation = session.store.incarnation.bind(session.store)
      session.store.incarnation = (address) => {
        checked.push(`${i}:${address.group}`)
        return incarnation(address)
      }
      return { ...session, names }
    }
    return engine
  })
  const quorum = await open({}, engines)
  stores[1].disconnect()
  stores[2].disconnect()
  await expect(inVirtualTime(quorum.getLock('job').tryLock())).rejects.toThrow(/too few masters/)
  checked.length = 0
  await expect(inVirtualTime(quorum.getLock('job').tryLock())).rejects.toThrow(/too few masters/)
  expect(new Set(checked)).toEqual(new Set(['1:1', '2:2']))
})

describe('what one lock meets at its masters', () => {
  it('a reply after its lease says nothing about the masters: waits for other locks go on', async () => {
    let oneWayMs = 0
    const engines = stores.map((store) => new SlowEngine(store, () => oneWayMs))
    const [holder, quorum] = [await open(), await open({}, engines)]
    const errors: unknown[] = []
    quorum.on('error', (error) => errors.push(error))
    const held = await inVirtualTime(holder.getLock('other').lock())
    const waiting = quorum.getLock('other').lock()
    await jest.advanceTimersByTimeAsync(50)
    const position = async () => (await inVirtualTime(holder.getLock('other').inspect())).waiters[0]?.owner
    const queued = await position()
    oneWayMs = 80
    await expect(inVirtualTime(quorum.getLock('job').tryLock({ leaseMs: 100 }))).rejects.toThrow(/too late/)
    oneWayMs = 0
    expect([await position(), errors]).toEqual([queued, []])
    const lease = await inVirtualTime(quorum.getLock('job').tryLock())
    await inVirtualTime(lease?.unlock() ?? Promise.resolve())
    await inVirtualTime(held.unlock())
    await inVirtualTime((await inVirtualTime(waiting)).unlock())
  })

  it('a master that is down is reported without the name of the lock that met it', async () => {
    const quorum = await open()
    const messages: string[] = []
    quorum.on('error', ({ message }) => messages.push(message))
    stores[1].dropNextReply()
    await inVirtualTime(quorum.getLock('job').withLock(() => undefined))
    await jest.advanceTimersByTimeAsync(50)
    expect(messages.length).toBeGreaterThan(0)
    expect(messages.join()).not.toContain('job')
  })
})

it.each([1, 251, 501, 751])(
  'a queue master that freezes costs those in its queue one and a half times memberTimeoutMs (after %d ms)',
  async (afterMs) => {
    const engines = slow(0)
    const [holder, quorum] = [await open(), await open({}, engines)]
    const held = await inVirtualTime(holder.getLock('job').lock())
    const waiting = quorum.getLock('job').lock()
    await jest.advanceTimersByTimeAsync(1_000 + afterMs)
    const wentDown = new Promise((resolve) => quorum.once('error', resolve))
    engines[0]?.freeze()
    expect(await elapsed(wentDown)).toBeLessThan(1_510)
    engines[0]?.thaw()
    await inVirtualTime(held.unlock())
    await inVirtualTime((await inVirtualTime(waiting)).unlock())
  },
)
