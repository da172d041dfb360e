import { sharedRedisUrl, uniqueName } from '@holdfast/testkit'
import { bridge, HoldfastError, InvalidArgumentError, LockLostError } from '../src/index.js'
import type { BridgedLock, Holdfast, Lock, OldLock } from '../src/index.js'
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

it('a bridged tryWithLock runs its callback with both locks, and leaves the old one if the new one is taken', async () => {
  const bridged = bridge(oldLock, lock)
  const run = () => bridged.tryWithLock(() => [isOldHeld, lock.isHeld()])
  expect(await run()).toEqual({ ran: true, value: [true, true] })
  const lease = await lock.lock()
  expect(await run()).toEqual({ ran: false, holder: lease.owner })
  expect(isOldHeld).toBe(false)
  await lease.unlock()
  expect(await bridged.withLock(run)).toEqual({ ran: true, value: [true, true] })
  expect(oldEntries).toBe(3)
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
    new InvalidArgumentError(
      'bridge takes a function that runs its work inside the old lock, got 5; write bridge((work) => withOldLock(work), lock)',
    ),
  )
  expect(() => bridgeAnything(lock, oldLock)).toThrow(
    'inside the old lock, got a lock, which comes second; write bridge((work) => withOldLock(work), lock)',
  )
  expect(() => bridgeAnything(oldLock, 'x')).toThrow(
    new InvalidArgumentError(
      'bridge needs a lock of this package, got a string; write bridge((work) => withOldLock(work), lock)',
    ),
  )
  expect(bridge(oldLock, lock).name).toBe(lock.name)
})

describe('an old lock that does not keep the work inside', () => {
  // What plain JavaScript may write.
  const plain = (old: unknown): BridgedLock => bridge(old as OldLock, lock)
  const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  it.each([
    ['returns something else', (work: () => Promise<unknown>) => work().then(() => 'old')],
    ['returns nothing', (work: () => Promise<unknown>) => work().then(() => undefined)],
  ])('one that %s leaves the result as it is', async (_, old) => {
    expect(await plain(old).withLock(() => 42)).toBe(42)
  })

  it('one that swallows an error, or throws another, leaves the error as it is', async () => {
    for (const then of [() => undefined, () => Promise.reject(new Error('wrapped'))]) {
      const failing = plain((work: () => Promise<unknown>) => work().catch(then)).withLock(() => {
        throw new Error('no paper')
      })
      await expect(failing).rejects.toThrow('no paper')
    }
  })

  it.each([
    ['did not run the work', () => 'old', 'resolved without running its work', 0],
    ['did not wait for it', (work: () => unknown) => void work(), 'resolved before its work had ended', 1],
    [
      'ran it twice',
      (work: () => Promise<unknown>) => Promise.allSettled([work(), work()]),
      'ran its work a second time',
      1,
    ],
  ])('one that %s is refused, with the cure, when the work is over', async (_, old, what, times) => {
    const work = jest.fn(nextTick)
    const refused = await plain(old)
      .withLock(work)
      .catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(InvalidArgumentError)
    expect(refused).toHaveProperty(
      'message',
      expect.stringMatching(new RegExp(`${what}.*; have it run the work once`)),
    )
    expect(work).toHaveBeenCalledTimes(times)
    expect(await lock.isLocked()).toBe(false)
  })

  it('one that runs the work after it resolved runs nothing', async () => {
    let run: () => Promise<unknown> = nextTick
    const bridged = plain((work: () => Promise<unknown>) => {
      run = work
    })
    const work = jest.fn()
    await expect(bridged.withLock(work)).rejects.toThrow('without running its work')
    await expect(run()).rejects.toThrow('too late')
    expect(work).not.toHaveBeenCalled()
  })

  it('one that did not wait for it shows in a lease, too', async () => {
    const lease = await plain((work: () => unknown) => void work()).lock()
    expect(lease.isHeld).toBe(false)
    expect(() => lease.assertHeld()).toThrow('no longer held')
    await expect(lease.unlock()).rejects.toThrow('before its work had ended')
    expect(await lock.isLocked()).toBe(false)
  })
})

describe('lock and tryLock', () => {
  it('hold both locks until unlock()', async () => {
    for (const method of ['lock', 'tryLock'] as const) {
      const lease = await bridge(oldLock, lock)[method]()
      expect([isOldHeld, lease?.isHeld, await lock.isLocked()]).toEqual([true, true, true])
      await lease?.unlock()
      await lease?.unlock()
      expect([isOldHeld, lease?.isHeld, await lock.isLocked()]).toEqual([false, false, false])
    }
  })

  it('leave the old lock when the new one is held: with null, or the error', async () => {
    const held = await lock.lock()
    expect(await bridge(oldLock, lock).tryLock()).toBeNull()
    expect(isOldHeld).toBe(false)
    const timedOut = bridge(oldLock, lock).lock({ waitMs: 0 })
    await expect(timedOut).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' })
    expect(isOldHeld).toBe(false)
    await held.unlock()
  })

  it('pass on what the old lock throws, when it is acquired and when it is released', async () => {
    const broken = bridge(() => Promise.reject(new Error('quorum not reached')), lock)
    await expect(broken.tryLock()).rejects.toThrow('quorum not reached')
    expect(holdfast.stats().acquired).toBe(0)
    const leaky = bridge(async (work) => {
      await work()
      throw new Error('release failed')
    }, lock)
    const lease = await leaky.lock()
    await expect(lease.unlock()).rejects.toThrow('release failed')
    expect(await lock.isLocked()).toBe(false)
  })

  it('re-enter inside the hold, and the old lock is held until the last of them', async () => {
    const bridged = bridge(oldLock, lock)
    const outer = await bridged.lock()
    const inner = await outer.run(() => bridged.tryLock())
    expect(inner?.owner).toBe(outer.owner)
    await outer.unlock()
    expect(isOldHeld).toBe(true)
    await inner?.unlock()
    const next = await bridge(async (work) => {
      while (isOldHeld) await new Promise((resolve) => setImmediate(resolve))
      return oldLock(work)
    }, lock).withLock(({ holdCount }) => holdCount)
    expect({ next, oldEntries }).toEqual({ next: 1, oldEntries: 2 })
  })

  it('are not released by a scope, which would leave the old lock', async () => {
    const lease = await holdfast.scope(() => bridge(oldLock, lock).lock())
    expect([isOldHeld, lease.isHeld]).toEqual([true, true])
    await lease.unlock()
  })
})

describe('an old lock that reports its loss by a signal', () => {
  let old: AbortController
  const losing: OldLock = (work) => oldLock(() => work(old.signal))
  const cause = new Error('extension failed')

  beforeEach(() => {
    old = new AbortController()
  })

  it('takes the lease of withLock along: its signal aborts, it is not held, and the new lock is released', async () => {
    const outcome = bridge(losing, lock).withLock(async (lease) => {
      const { signal } = lease
      old.abort(cause)
      expect([signal.aborted, lease.isHeld, lock.isHeld()]).toEqual([true, false, false])
      expect(signal.reason).toBeInstanceOf(LockLostError)
      expect(() => lease.assertHeld()).toThrow(LockLostError)
      const next = await holdfast.detached(() => lock.lock({ waitMs: 5_000 }))
      await next.unlock()
      return 'done'
    })
    await expect(outcome).rejects.toMatchObject({ reason: 'member-lost', result: 'done', cause: { cause } })
    await expect(outcome).rejects.toThrow('the old lock of the bridge reported its loss: extension failed')
    expect(isOldHeld).toBe(false)
  })

  it('takes the leases of lock and tryLock along, and nested ones', async () => {
    for (const method of ['lock', 'tryLock'] as const) {
      old = new AbortController()
      const bridged = bridge(losing, lock)
      const lease = await bridged[method]()
      const inner = await lease?.run(() => bridged.lock())
      const { signal } = lease ?? {}
      old.abort(cause)
      expect([signal?.aborted, lease?.isHeld, inner?.isHeld]).toEqual([true, false, false])
      await expect(inner?.unlock()).rejects.toThrow(LockLostError)
      await expect(lease?.unlock()).rejects.toThrow(LockLostError)
      expect(isOldHeld).toBe(false)
    }
  })

  it('refuses the call if it was lost before the new lock was acquired', async () => {
    old.abort(cause)
    const work = jest.fn()
    const bridged = bridge(losing, lock)
    await expect(bridged.withLock(work)).rejects.toMatchObject({ reason: 'member-lost' })
    await expect(bridged.lock()).rejects.toMatchObject({ reason: 'member-lost' })
    expect(work).not.toHaveBeenCalled()
    const next = await lock.lock({ waitMs: 5_000 })
    await next.unlock()
    expect(isOldHeld).toBe(false)
  })

  it('changes nothing once the lease is released', async () => {
    const lost = jest.fn()
    holdfast.on('lost', lost)
    const endsLate: OldLock = (work) =>
      oldLock(async () => {
        await work(old.signal)
        old.abort(cause)
      })
    expect(await bridge(endsLate, lock).withLock(() => 'done')).toBe('done')
    expect(lost).not.toHaveBeenCalled()
  })

  it('names the error that redlock puts on its signal, and any other reason as text', async () => {
    const signals = [
      [Object.assign(old.signal, { error: cause }), 'extension failed'],
      [AbortSignal.abort(7), '7'],
    ] as const
    old.abort()
    for (const [signal, text] of signals) {
      const lost = bridge((work) => work(signal), lock).withLock(() => 'never')
      await expect(lost).rejects.toThrow(`reported its loss: ${text}`)
    }
  })

  it('may give anything else to the work, which is ignored, and counts no parameters of it', async () => {
    const withMore = (work: (...args: unknown[]) => Promise<unknown>) => {
      expect(work).toHaveLength(0)
      return work('a key', () => undefined)
    }
    expect(await bridge(withMore as OldLock, lock).withLock((lease) => lease.isHeld)).toBe(true)
  })
})
