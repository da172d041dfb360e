import { memory, type MemoryStore } from '@holdfast/stores/memory'
import { Holdfast } from '../src/index.js'
import { closeAfterTest, closeAll } from './support/clients.js'
import type { LinkedEngine } from '@holdfast/conformance'
import { slowEngine } from './support/slow-engine.js'

// What waits leave behind that end before their first reply comes, in virtual time.

const waitMs = 10
const oneWayMs = 100
const tasks = 24
/** A client may have so many owners of one object in doubt, and one more for each task that tries just then. */
const mostMarks = 16 + tasks

let store: MemoryStore
let far: LinkedEngine

beforeEach(() => {
  jest.useFakeTimers()
  store = memory()
  far = slowEngine(store, () => oneWayMs)
})

afterEach(async () => {
  await inVirtualTime(closeAll())
  jest.useRealTimers()
})

async function inVirtualTime<T>(work: Promise<T>): Promise<T> {
  const state = { isOpen: true }
  const settled = (): void => {
    state.isOpen = false
  }
  work.then(settled, settled)
  for (let i = 0; i < 60_000 && state.isOpen; i++) await jest.advanceTimersByTimeAsync(1)
  return work
}

const pass = (ms: number): Promise<unknown> => jest.advanceTimersByTimeAsync(ms)

async function open({ engine } = far): Promise<Holdfast> {
  const holdfast = new Holdfast({ engine, commandTimeoutMs: 1_000 }).on('error', () => undefined)
  closeAfterTest(() => holdfast.close())
  await inVirtualTime(holdfast.ping())
  return holdfast
}

type Attempt = (holdfast: Holdfast, waitMs: number) => Promise<{ unlock(): Promise<void> } | null>

const kinds: readonly (readonly [kind: string, attempt: Attempt])[] = [
  ['lock', (holdfast, ms) => holdfast.getLock('a').tryLock({ waitMs: ms })],
  ['read lock', (holdfast, ms) => holdfast.getReadWriteLock('a').read.tryLock({ waitMs: ms })],
  ['write lock', (holdfast, ms) => holdfast.getReadWriteLock('a').write.tryLock({ waitMs: ms })],
  [
    'semaphore',
    async (holdfast, ms) => {
      const lease = await holdfast.getSemaphore('a', { permits: 2 }).tryAcquire({ waitMs: ms })
      return lease && { unlock: () => lease.release() }
    },
  ],
]

/** Tasks that try again and again. @returns how often they did, once they have ended */
async function tryFor(ms: number, holdfast: Holdfast, attempt: Attempt): Promise<number> {
  const endsAt = performance.now() + ms
  let count = 0
  const work = Array.from({ length: tasks }, async () => {
    while (performance.now() < endsAt) {
      count++
      const lease = await attempt(holdfast, waitMs).catch(() => null)
      await lease?.unlock()
    }
  })
  await inVirtualTime(Promise.all(work))
  return count
}

const marks = (): number => store.leaks().filter(({ kind }) => kind === 'tombstone').length

describe.each(kinds)('of a %s, waits that are shorter than a round trip', (_, attempt) => {
  it('leave nothing once their replies are there', async () => {
    const holdfast = await open()
    expect(await tryFor(2_000, holdfast, attempt)).toBeGreaterThan(2_000)
    await pass(1_000)
    expect(store.leaks().filter(({ kind }) => kind !== 'session')).toEqual([])
  })

  it('do not keep a longer one out', async () => {
    const holdfast = await open()
    const trying = tryFor(2_000, holdfast, attempt)
    await pass(500)
    const lease = await attempt(holdfast, 1_500)
    expect(lease).not.toBeNull()
    await Promise.all([trying, lease?.unlock()])
  })

  it('leave as many marks as a client may have in doubt, however many they are, when no replies come', async () => {
    const holdfast = await open()
    far.link.blackHole('toStore')
    expect(await tryFor(3_000, holdfast, attempt)).toBeGreaterThan(3_000)
    far.link.heal()
    await pass(5_000)
    expect(marks()).toBeLessThanOrEqual(mostMarks)
    const lease = await inVirtualTime(attempt(holdfast, 5_000))
    expect(lease).not.toBeNull()
    await inVirtualTime(lease?.unlock() ?? Promise.resolve())
  })
})

it('a late request that got no reply never enters', async () => {
  const holdfast = await open()
  far.link.blackHole('toStore')
  const attempt = holdfast.getLock('a').tryLock({ waitMs })
  expect(await inVirtualTime(attempt.catch(() => null))).toBeNull()
  await pass(3_000)
  far.link.heal()
  await pass(3_000)
  expect(marks()).toBe(1)
  expect(store.leaks().filter(({ kind }) => kind === 'hold')).toEqual([])
})

it('what was held back while replies were missing goes out when they come, in order, all of it', async () => {
  const holdfast = await open()
  far.link.blackHole('toStore')
  await tryFor(500, holdfast, (client, ms) => client.getLock('a').tryLock({ waitMs: ms }))
  const order: number[] = []
  const waits = Array.from({ length: 100 }, (_, n) =>
    holdfast.getLock('a').withLock(() => {
      order.push(n)
    }),
  )
  await pass(1_000)
  far.link.heal()
  await inVirtualTime(Promise.all(waits))
  expect(order).toEqual(Array.from({ length: 100 }, (_, n) => n))
})
