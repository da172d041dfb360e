import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Holdfast, LockLostError, type Lease } from '@holdfast/core'
import { memory, type MemoryStore } from '@holdfast/stores/memory'

let store: MemoryStore
let ann: Holdfast
let bob: Holdfast

/** Promises of steps that are under way settle, though no timer rings. */
const settled = async (): Promise<void> => {
  for (let i = 0; i < 50; i++) await Promise.resolve()
}

beforeEach(() => {
  store = memory()
  ann = new Holdfast({ engine: store, label: 'Ann' })
  bob = new Holdfast({ engine: store, label: 'Bob' })
})

afterEach(async () => {
  jest.useRealTimers()
  await Promise.all([ann.close(), bob.close()])
  expect(store.leaks()).toEqual([])
})

describe('clients that share a memory store', () => {
  it('let one owner in at a time, in the order of their requests, by two steps each', async () => {
    const clients = [ann, bob]
    for (const client of clients) await client.getLock('other').withLock(() => undefined)
    const stepsBefore = store.commands
    const order: number[] = []
    let inside = 0
    const calls = Array.from({ length: 100 }, (_, i) =>
      (i % 2 === 0 ? ann : bob).getLock('order').withLock(async () => {
        order.push(i)
        expect(++inside).toBe(1)
        await settled()
        inside--
      }),
    )
    await Promise.all(calls)
    expect(order).toEqual(calls.map((_, i) => i))
    expect(store.commands - stepsBefore).toBe(200)
  })

  it.each([
    ['expire', () => store.expire('order')],
    ['advance', () => store.advance(60_000)],
  ])('do not claim a hold that ended by %s once a rival is in', async (_, end) => {
    const lease = await ann.getLock('order').lock()
    expect(await bob.getLock('order').tryLock()).toBeNull()
    end()
    await using _next = await bob.getLock('order').lock()
    expect(lease.isHeld).toBe(false)
  })

  it('keep a lock for at least atLeastMs, whatever becomes of its holder, and not longer', async () => {
    const [mine, theirs] = [ann.getLock('order'), bob.getLock('order')]
    await mine.withLock({ atLeastMs: 60_000 }, () => mine.withLock(() => undefined))
    const info = await theirs.inspect()
    expect(info).toMatchObject({ isLocked: true, holder: { client: { label: 'Ann' } } })
    expect(ann.stats()).toMatchObject({ holds: 0, released: 1, lost: 0 })
    expect(await mine.tryLock()).toBeNull()
    store.advance(59_000)
    await ann.close()
    expect(await theirs.tryWithLock(() => undefined)).toEqual({ ran: false, holder: info.holder?.owner })
    store.advance(2_000)
    // Its time is over before the lock is left.
    const lease = await theirs.lock({ atLeastMs: 5 })
    const over = performance.now() + 10
    while (performance.now() < over) await settled()
    await lease.unlock()
    expect(await theirs.isLocked()).toBe(false)
    await theirs.withLock({ atLeastMs: 60_000 }, () => undefined)
    expect(await theirs.forceUnlock({ owner: (await theirs.inspect()).holder?.owner ?? '' })).toBe(true)
    expect(await theirs.isLocked()).toBe(false)
  })

  it('keep a lock that is released because its client closes', async () => {
    const lock = ann.getLock('order')
    await lock.lock({ atLeastMs: 60_000 })
    await ann.close()
    expect(await bob.getLock('order').tryLock()).toBeNull()
    store.advance(61_000)
    await (await bob.getLock('order').lock()).unlock()
  })

  it('refuse atLeastMs where a lock cannot be kept', async () => {
    const { read } = ann.getReadWriteLock('catalog')
    await expect(read.lock({ atLeastMs: 1_000 })).rejects.toThrow(
      'a read-lock cannot keep a lock after its release',
    )
    await expect(ann.getLock('order').lock({ atLeastMs: 0 })).rejects.toThrow(
      'atLeastMs must be an integer from 1',
    )
    const together = { waitMs: 0, atLeastMs: 1_000 }
    await expect(ann.getMultiLock(['order']).lock(together)).rejects.toThrow("unknown option 'atLeastMs'")
  })

  it('run a callback if the lock is free within waitMs, and pass on what the callback throws', async () => {
    const [mine, theirs] = [ann.getLock('order'), bob.getLock('order')]
    const lease = await mine.lock()
    const soon = theirs.tryWithLock({ waitMs: 60_000 }, () => theirs.holdCount())
    await settled()
    await lease.unlock()
    expect(await soon).toEqual({ ran: true, value: 1 })
    // Its own timeout is a result; that of a lock inside is an error.
    await using _kept = await ann.getLock('inner').lock()
    const nested = theirs.tryWithLock(() => bob.getLock('inner').withLock({ waitMs: 0 }, () => undefined))
    await expect(nested).rejects.toMatchObject({ code: 'LOCK_TIMEOUT', lockName: 'inner' })
    const lost = mine.tryWithLock(async () => {
      await theirs.forceUnlock()
      return 'late'
    })
    await expect(lost).rejects.toMatchObject({ code: 'LOCK_LOST', result: 'late' })
  })

  it('see who holds and who waits', async () => {
    const lease = await ann.getLock('order').lock()
    const waiting = bob.getLock('order').lock()
    await settled()
    const info = await ann.getLock('order').inspect()
    expect(info).toMatchObject({ holder: { client: { label: 'Ann' } }, waiterCount: 1 })
    await lease.unlock()
    await (await waiting).unlock()
  })

  it('refuse to fence a transaction by name, since there is no database', async () => {
    const query = (): Promise<never> => Promise.reject(new Error('nothing is to be sent'))
    await ann.getLock('order').withLock(async (lease) => {
      await expect(lease.fence({ query })).rejects.toThrow('on the engine memory')
    })
    await ann.getMultiLock(['order']).withLock(async (lease) => {
      await expect(lease.fence({ query })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    })
  })

  it('lose what a failover loses, and get larger tokens afterwards', async () => {
    const lease = await ann.getLock('order').lock()
    store.failOver()
    await settled()
    expect(lease.isHeld).toBe(false)
    await expect(lease.unlock()).rejects.toThrow(LockLostError)
    const next = await ann.getLock('order').lock()
    expect(next.fencingToken).toBeGreaterThan(lease.fencingToken)
    await next.unlock()
  })

  it('neither lose nor double a hold when a reply is dropped', async () => {
    await bob.getLock('other').withLock(() => undefined)
    store.dropNextReply()
    const lease = await bob.getLock('order').lock()
    store.dropNextReply()
    await lease.unlock()
    expect(await ann.getLock('order').isLocked()).toBe(false)
    store.advance(120_000)
  })
})

/** What the fake timers of node:test and Vitest 2 leave alone. */
const datesOnly = {
  doNotFake: ['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'],
} as const

describe.each([
  ['that replace every clock', {}],
  ['that leave performance alone', { doNotFake: [...datesOnly.doNotFake] }],
  ['that leave Date alone', { doNotFake: ['Date' as const] }],
])('under fake timers %s', (_, options) => {
  it('the watchdog keeps a lock for ten minutes, and a fixed lease ends on time', async () => {
    jest.useFakeTimers(options)
    const renewed = await ann.getLock('renewed').lock()
    const fixed = await ann.getLock('fixed').lock({ leaseMs: 10_000 })
    let next: Lease | undefined
    const waiting = bob
      .getLock('fixed')
      .lock()
      .then((lease) => (next = lease))
    await jest.advanceTimersByTimeAsync(9_000)
    expect([fixed.isHeld, next]).toEqual([true, undefined])
    await jest.advanceTimersByTimeAsync(1_100)
    expect([fixed.isHeld, next?.isHeld]).toEqual([false, true])
    await jest.advanceTimersByTimeAsync(600_000)
    expect(renewed.isHeld).toBe(true)
    expect(await bob.getLock('renewed').tryLock()).toBeNull()
    await expect(fixed.unlock()).rejects.toThrow(LockLostError)
    await Promise.all([renewed.unlock(), (await waiting).unlock()])
    const closed = Promise.all([ann.close(), bob.close()])
    await jest.advanceTimersByTimeAsync(10_000)
    await closed
  })
})

it('a hold outlives a test that sets the date', async () => {
  jest.useFakeTimers()
  const lease = await ann.getLock('order').lock()
  jest.setSystemTime(new Date('2030-01-01'))
  expect(lease.isHeld).toBe(true)
  await lease.unlock()
})

it('a process that only waits for a lock lives until it has it', async () => {
  const program = `
    const { Holdfast } = require('@holdfast/core')
    const { memory } = require('@holdfast/stores/memory')
    const engine = memory()
    const [dead, live] = [new Holdfast({ engine }), new Holdfast({ engine })]
    dead.getLock('order').lock({ leaseMs: 300 })
      .then(() => live.getLock('order').lock())
      .then(() => { console.log('entered'); process.exit(0) })
  `
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program], { cwd: `${__dirname}/..` })
  expect(stdout).toBe('entered\n')
})
