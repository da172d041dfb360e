import { memory, type MemoryStore } from '@holdfast/stores/memory'
import { Holdfast, type HoldfastQuorum, type Lease, type LockLostError } from '../src/index.js'
import { closeAfterTest, closeAll } from './support/clients.js'
import { openQuorumOn, useQuorum } from './support/quorum.js'
import type { LockEngine } from '../src/engine/index.js'
import { slowEngine } from './support/slow-engine.js'

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
const slow = (oneWayMs: number): LockEngine[] =>
  stores.map((store) => slowEngine(store, () => oneWayMs).engine)

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

describe('what one lock meets at its masters', () => {
  it('a reply after its lease says nothing about the masters: waits for other locks go on', async () => {
    let oneWayMs = 0
    const engines = stores.map((store) => slowEngine(store, () => oneWayMs).engine)
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
