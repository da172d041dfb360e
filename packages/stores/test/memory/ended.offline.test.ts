import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Holdfast } from '@holdfast/core'
import type { HoldContext, LockLostError, LostMessage } from '@holdfast/core'
import { memory, type MemoryStore } from '../../src/memory/index.js'

let store: MemoryStore
let holdfast: Holdfast
const losses: LockLostError[] = []
const ends: HoldContext['end'][] = []

const onEnd = (message: unknown): void => void ends.push((message as HoldContext).end)
const onError = jest.fn()
const onLost = (message: unknown): void => void losses.push((message as LostMessage).error)

beforeEach(() => {
  jest.useFakeTimers()
  store = memory()
  holdfast = new Holdfast({ engine: store })
  losses.length = 0
  ends.length = 0
  onError.mockReset()
  subscribe('tracing:holdfast:hold:asyncEnd', onEnd)
  subscribe('tracing:holdfast:hold:error', onError)
  subscribe('holdfast:lost', onLost)
})

afterEach(async () => {
  unsubscribe('tracing:holdfast:hold:asyncEnd', onEnd)
  unsubscribe('tracing:holdfast:hold:error', onError)
  unsubscribe('holdfast:lost', onLost)
  jest.useRealTimers()
  await holdfast.close()
})

const acquired: [what: string, acquire: () => Promise<{ signal: AbortSignal }>, text: string][] = [
  ['a lock', () => holdfast.getLock('a').lock({ leaseMs: 1_000 }), 'fixed lease'],
  ['a read lock', () => holdfast.getReadWriteLock('a').read.lock({ leaseMs: 1_000 }), 'fixed lease'],
  ['a write lock', () => holdfast.getReadWriteLock('a').write.lock({ leaseMs: 1_000 }), 'fixed lease'],
  ['permits', () => holdfast.getSemaphore('a', { permits: 2 }).acquire({ leaseMs: 1_000 }), 'fixed lease'],
  ['a lock with a limit', () => holdfast.getLock('a').lock({ maxHoldMs: 1_000 }), 'maxHoldMs'],
  ['a renewed lock with a limit', () => holdfast.getLock('a').lock({ maxHoldMs: 45_000 }), 'maxHoldMs'],
]

it.each(acquired)(
  '%s that its options end has its own reason, and is neither a loss nor an error',
  async (_, acquire, text) => {
    const { signal } = await acquire()
    await jest.advanceTimersByTimeAsync(50_000)
    expect(signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'ended' })
    expect(losses.map(({ reason }) => reason)).toEqual(['ended'])
    expect(losses[0]?.message).toContain(text)
    expect(ends).toEqual(['ended'])
    expect(onError).not.toHaveBeenCalled()
    expect(holdfast.stats()).toMatchObject({ acquired: 1, released: 0, ended: 1, lost: 0 })
  },
)

it('locks that were acquired together end together', async () => {
  const lock = holdfast.getMultiLock([holdfast.getLock('a'), holdfast.getLock('b')])
  const lease = await lock.lock({ leaseMs: 1_000 })
  await jest.advanceTimersByTimeAsync(1_000)
  expect(lease.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'ended' })
  expect(losses.map(({ reason }) => reason)).toEqual(['ended', 'ended'])
  expect(ends).toEqual(['ended', 'ended'])
})

it('a callback that its lease cuts off rejects with the reason', async () => {
  const work = holdfast.getLock('a').withLock({ leaseMs: 1_000 }, ({ signal }) => {
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve('late')))
  })
  work.catch(() => undefined)
  await jest.advanceTimersByTimeAsync(1_000)
  await expect(work).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'ended', result: 'late' })
})

it('a hold that was to be renewed and was not is lost, not ended', async () => {
  await holdfast.getLock('a').lock({ maxHoldMs: 120_000 })
  store.disconnect()
  await jest.advanceTimersByTimeAsync(31_000)
  store.reconnect()
  await jest.advanceTimersByTimeAsync(10_000)
  expect(losses.map(({ reason }) => reason)).toEqual(['expired'])
  expect(ends).toEqual(['lost'])
  expect(holdfast.stats()).toMatchObject({ ended: 0, lost: 1 })
})
