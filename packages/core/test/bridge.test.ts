import { sharedRedisUrl, uniqueName } from '@holdfast/testkit'
import { bridge, HoldfastError, InvalidArgumentError, type Holdfast, type Lock } from '../src/index.js'
import { closeAll, openClient } from './support/clients.js'
import { nextEvent } from './support/next-event.js'

let holdfast: Holdfast
let lock: Lock
let isOldHeld = false
let oldEntries = 0

beforeEach(() => {
  holdfast = openClient(sharedRedisUrl())
  lock = holdfast.getLock(uniqueName('bridge'))
  isOldHeld = false
  oldEntries = 0
})

afterEach(closeAll)

/** A lock that is not reentrant: a second entry is an error rather than a deadlock. */
async function oldLock<T>(work: () => Promise<T>): Promise<T> {
  if (isOldHeld) throw new Error('the old lock is held')
  isOldHeld = true
  oldEntries += 1
  try {
    return await work()
  } finally {
    isOldHeld = false
  }
}

it('a bridged call holds both locks, returns what its callback returned, and leaves both', async () => {
  const result = await bridge(oldLock, lock).withLock({ waitMs: 5_000 }, (lease) => {
    expect(isOldHeld).toBe(true)
    expect(lock.isHeld()).toBe(true)
    return lease.holdCount
  })
  expect(result).toBe(1)
  expect(isOldHeld).toBe(false)
  expect(await lock.isLocked()).toBe(false)
})

it('nested calls take the old lock once, through another bridge as well', async () => {
  const depth = await bridge(oldLock, lock).withLock(() =>
    bridge(oldLock, holdfast.getLock(lock.name)).withLock(({ holdCount }) => holdCount),
  )
  expect({ depth, oldEntries }).toEqual({ depth: 2, oldEntries: 1 })
})

it('the old lock is held until a nested call that was not awaited is over', async () => {
  const bridged = bridge(oldLock, lock)
  let finish = (): void => undefined
  const finished = new Promise<void>((resolve) => (finish = resolve))
  const outerLeft = nextEvent(holdfast, 'released')
  let nested: Promise<boolean> = Promise.resolve(false)
  const outer = bridged.withLock(
    () =>
      new Promise<void>((entered) => {
        nested = bridged.withLock(async () => {
          entered()
          await finished
          return isOldHeld
        })
      }),
  )
  expect(await outerLeft).toMatchObject({ holdCount: 1 })
  finish()
  expect(await nested).toBe(true)
  await outer
  expect(isOldHeld).toBe(false)
})

it('a failure inside leaves both locks', async () => {
  const failing = bridge(oldLock, lock).withLock(() => {
    throw new Error('no paper')
  })
  await expect(failing).rejects.toThrow('no paper')
  expect(isOldHeld).toBe(false)
  expect(await lock.isLocked()).toBe(false)
})

it('a failure of the old lock is passed on, and the new one is not touched', async () => {
  const broken = bridge(() => Promise.reject(new Error('quorum not reached')), lock)
  await expect(broken.withLock(() => 'never')).rejects.toThrow('quorum not reached')
  expect(holdfast.stats().acquired).toBe(0)
})

it('a timeout of the new lock leaves the old one', async () => {
  const held = await lock.lock()
  const bridged = bridge(oldLock, lock).withLock({ waitMs: 0 }, () => 'never')
  await expect(bridged).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' })
  expect(isOldHeld).toBe(false)
  await held.unlock()
})

it('is refused inside a hold that was acquired without the old lock', async () => {
  const inside = lock.withLock(() => bridge(oldLock, lock).withLock(() => 'never'))
  await expect(inside).rejects.toThrow(HoldfastError)
  await expect(inside).rejects.toThrow('acquire it through the bridge')
  expect(oldEntries).toBe(0)
})

it('a call after the outer one is over takes the old lock again', async () => {
  const bridged = bridge(oldLock, lock)
  let later = (): Promise<number> => Promise.resolve(0)
  await bridged.withLock(() => {
    later = () => bridged.withLock(({ holdCount }) => holdCount)
  })
  expect(await later()).toBe(1)
  expect(oldEntries).toBe(2)
})

it('anything but a function and a lock is refused', () => {
  const bridgeAnything = (...args: unknown[]): unknown => Reflect.apply(bridge, undefined, args)
  expect(() => bridgeAnything(5, lock)).toThrow(
    new InvalidArgumentError('bridge needs a function to run, got 5'),
  )
  expect(() => bridgeAnything(oldLock, 'x')).toThrow(
    new InvalidArgumentError(
      'bridge needs a lock of this package, got a string; write bridge(oldLock, lock)',
    ),
  )
  expect(bridge(oldLock, lock).name).toBe(lock.name)
})
