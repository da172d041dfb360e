import { Holdfast, type ClientReport } from '@holdfast/core'
import { memory, type MemoryStore } from '@holdfast/stores/memory'

let store: MemoryStore
let ann: Holdfast
let bob: Holdfast

beforeEach(async () => {
  jest.useFakeTimers()
  store = memory()
  ann = new Holdfast({ engine: store, label: 'ann' })
  bob = new Holdfast({ engine: store, label: 'bob' })
  for (const client of [ann, bob]) await client.getLock('first-use').withLock(() => undefined)
})

afterEach(async () => {
  await Promise.all([ann.close(), bob.close()])
  expect(jest.getTimerCount()).toBe(0)
  jest.restoreAllMocks()
  jest.useRealTimers()
})

/** Has ann ask bob. */
const ask = (more: { readonly spreadMs?: number } = {}): Promise<ClientReport[]> =>
  ann.clientReports({ clientIds: [bob.clientId], withinMs: 20_000, ...more })

const outcomeOf = (asking: Promise<unknown>): Promise<unknown> => asking.catch((error: unknown) => error)

describe('clientReports()', () => {
  it('rejects when its own client closes meanwhile', async () => {
    const outcome = outcomeOf(ask({ spreadMs: 10_000 }))
    await jest.advanceTimersByTimeAsync(0)
    await ann.close()
    expect(await outcome).toMatchObject({ code: 'CLOSED' })
  })

  it('rejects once its client has closed, even if it asks that client alone', async () => {
    await ann.close()
    for (const clientIds of [[], [ann.clientId], [ann.clientId, bob.clientId]])
      expect(await outcomeOf(ann.clientReports({ clientIds }))).toMatchObject({ code: 'CLOSED' })
  })

  it('ends in time without the report of a client that closes before it reports', async () => {
    const asking = ask({ spreadMs: 10_000 })
    await jest.advanceTimersByTimeAsync(0)
    await bob.close()
    await jest.advanceTimersByTimeAsync(20_000)
    expect(await asking).toEqual([])
  })

  it('takes the report of a client whose question the store did not acknowledge', async () => {
    store.dropNextReply()
    expect(await ask()).toHaveLength(1)
  })

  it('rejects when neither an acknowledgement nor a report arrives', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0.9)
    store.dropNextReply()
    const outcome = outcomeOf(ask({ spreadMs: 10_000 }))
    for (let ms = 0; ms < 1_000; ms += 10) await jest.advanceTimersByTimeAsync(10)
    expect(await outcome).toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('rejects in time while its client receives no notifications', async () => {
    store.disconnect()
    const outcome = outcomeOf(ask())
    await jest.advanceTimersByTimeAsync(20_000)
    await jest.advanceTimersByTimeAsync(1)
    store.reconnect()
    expect(await outcome).toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('is not disturbed by another one that the same client makes meanwhile', async () => {
    const slow = ask({ spreadMs: 10_000 })
    await jest.advanceTimersByTimeAsync(0)
    expect(await ask()).toHaveLength(1)
    await jest.advanceTimersByTimeAsync(10_000)
    expect(await slow).toHaveLength(1)
  })

  it('counts waits from the first question on, and begins again when nobody has asked for a minute', async () => {
    const counted = async (): Promise<number | undefined> => (await ask())[0]?.waits.count
    const acquire = (): Promise<void> => bob.getLock('order').withLock(() => undefined)
    await acquire()
    expect(await counted()).toBe(0)
    await acquire()
    await acquire()
    expect(await counted()).toBe(2)
    await jest.advanceTimersByTimeAsync(59_000)
    await acquire()
    expect(await counted()).toBe(3)
    await jest.advanceTimersByTimeAsync(61_000)
    await acquire()
    expect(await counted()).toBe(0)
  })

  it('lists the last 20 losses, the newest first', async () => {
    for (let n = 1; n <= 25; n++) {
      await bob.getLock(`order:${n}`).lock()
      await ann.getLock(`order:${n}`).forceUnlock()
    }
    const [report] = await ask()
    expect(report?.counts.lost).toBe(25)
    expect(report?.losses.map(({ name }) => name)).toEqual(
      Array.from({ length: 20 }, (_, i) => `order:${25 - i}`),
    )
  })
})

it('a refresh tells a waiter the present holder and position, for reports and for an error that no reading helps', async () => {
  const held = await ann.getLock('order').lock()
  const carol = new Holdfast({ engine: store, label: 'carol' })
  const passed = carol.getLock('order').lock()
  await jest.advanceTimersByTimeAsync(0)
  const inVain = outcomeOf(bob.getLock('order').lock({ waitMs: 25_000 }))
  await jest.advanceTimersByTimeAsync(0)
  await held.unlock()
  const lease = await passed
  const waitOfBob = async () => (await ask())[0]?.queue[0]
  expect(await waitOfBob()).toMatchObject({ holder: held.owner, position: 2 })
  await jest.advanceTimersByTimeAsync(10_000)
  expect(await waitOfBob()).toMatchObject({ holder: lease.owner, position: 1 })
  await jest.advanceTimersByTimeAsync(14_850)
  store.dropNextReply()
  await jest.advanceTimersByTimeAsync(150)
  expect(await inVain).toMatchObject({ code: 'LOCK_TIMEOUT', holder: lease.owner, position: 1 })
  await jest.advanceTimersByTimeAsync(5_000)
  await lease.unlock()
  await carol.close()
})

it('an eviction whose announcement is not acknowledged evicts all the same', async () => {
  const lease = await bob.getLock('order').lock()
  store.dropNextReply()
  expect(await ann.getLock('order').forceUnlock({ owner: lease.owner, by: 'ada@ops' })).toBe(true)
  expect(lease.isHeld).toBe(false)
  expect(lease.signal.reason).toMatchObject({ reason: 'revoked', by: 'ada@ops' })
})

it('an announced eviction that evicted nobody gives its name to no eviction a minute later', async () => {
  const lease = await bob.getLock('order').lock()
  expect(await ann.getLock('other').forceUnlock({ owner: lease.owner, by: 'ada@ops' })).toBe(false)
  await jest.advanceTimersByTimeAsync(61_000)
  await ann.getLock('order').forceUnlock()
  expect(lease.signal.reason).toMatchObject({ reason: 'revoked' })
  expect(lease.signal.reason).not.toHaveProperty('by')
})

it('inspect says for how long the holder has held, by its own clock', async () => {
  const lease = await bob.getLock('order').lock()
  await jest.advanceTimersByTimeAsync(1_234)
  const { holder } = await ann.getLock('order').inspect()
  expect(holder).toMatchObject({ owner: lease.owner, heldMs: 1_234 })
  await lease.unlock()
})
