import { EventEmitter, once } from 'node:events'
import { linkedEngine } from '@holdfast/conformance'
import { bridge, Holdfast, HoldfastQuorum, locked, LockLostError } from '@holdfast/core'
import { memory, type MemoryStore } from '../../src/memory/index.js'

let store: MemoryStore
let ann: Holdfast
let bob: Holdfast
let quorum: HoldfastQuorum

beforeEach(() => {
  store = memory()
  ann = new Holdfast({ engine: store })
  bob = new Holdfast({ engine: store })
  quorum = new HoldfastQuorum({
    masters: [0, 1, 2].map(() => ({ engine: memory() })),
    restartQuarantineMs: 0,
  })
})

afterEach(() => Promise.all([ann, bob, quorum].map((client) => client.close())))

type Callback = (lease: { readonly signal: AbortSignal }) => Promise<never>

const evict = (name: string) => bob.getLock(name).forceUnlock()

/** Ways to run a callback in a hold, and how that is lost. */
const ways: [way: string, run: (fn: Callback) => Promise<unknown>, lose: () => Promise<unknown>][] = [
  ['withLock', (fn) => ann.getLock('x').withLock(fn), () => evict('x')],
  [
    'withLock of a write lock',
    (fn) => ann.getReadWriteLock('rw').write.withLock(fn),
    () => bob.getReadWriteLock('rw').write.forceUnlock(),
  ],
  [
    'withLock of a read lock',
    (fn) => ann.getReadWriteLock('rw').read.withLock(fn),
    () => bob.getReadWriteLock('rw').read.forceUnlock(),
  ],
  ['withLock of a multi lock', (fn) => ann.getMultiLock(['x', 'y']).withLock(fn), () => evict('y')],
  [
    'withLock of a quorum lock',
    (fn) => quorum.getLock('q').withLock(fn),
    () => quorum.getLock('q').forceUnlock(),
  ],
  ['withLock of a bridge', (fn) => bridge((work) => work(), ann.getLock('x')).withLock(fn), () => evict('x')],
  ['withLock in a scope', (fn) => ann.scope(() => ann.getLock('x').withLock(fn)), () => evict('x')],
  [
    'a nested withLock and the one around it',
    (fn) => ann.getLock('x').withLock(() => ann.getLock('x').withLock(fn)),
    () => evict('x'),
  ],
  [
    'withPermits',
    (fn) => ann.getSemaphore('s', { permits: 1 }).withPermits(fn),
    () =>
      bob
        .getSemaphore('s', { permits: 1 })
        .inspect()
        .then(({ holders: [holder] }) =>
          bob.getSemaphore('s', { permits: 1 }).forceRelease(holder?.owner ?? ''),
        ),
  ],
  [
    'lease.run',
    async (fn) => {
      const lease = await ann.getLock('x').lock()
      return lease.run(() => fn(lease)).finally(() => lease.unlock().catch(() => undefined))
    },
    () => evict('x'),
  ],
  [
    'run of a multi lease',
    async (fn) => {
      const lease = await ann.getMultiLock(['x', 'y']).lock()
      return lease.run(() => fn(lease)).finally(() => lease.unlock().catch(() => undefined))
    },
    () => evict('x'),
  ],
]

/** How callbacks fail on a signal. */
const failures: [failure: string, fail: (signal: AbortSignal) => Promise<never>, name: string][] = [
  [
    'an event',
    (signal) =>
      once(new EventEmitter(), 'never', { signal }).then(() => Promise.reject(new Error('not aborted'))),
    'AbortError',
  ],
  [
    'an error that has nothing to do with it',
    (signal) => once(signal, 'abort').then(() => Promise.reject(new TypeError('oops'))),
    'TypeError',
  ],
]

describe.each(ways)('%s', (...[, run, lose]) => {
  it.each(failures)(
    'rejects with the loss when its callback fails with that of %s',
    async (...[, fail, name]) => {
      let reason: unknown
      const running = run(({ signal }) => {
        signal.addEventListener('abort', () => (reason = signal.reason as unknown))
        setImmediate(() => void lose())
        return fail(signal)
      })
      const error: unknown = await running.catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(LockLostError)
      expect(error).toMatchObject({ code: 'LOCK_LOST', cause: { name } })
      expect((error as LockLostError).loss).toBe(reason)
      expect(JSON.stringify(error)).not.toContain('"loss"')
    },
  )

  it('rejects with the loss itself, unchanged, when its callback throws that', async () => {
    const running = run(async ({ signal }) => {
      setImmediate(() => void lose())
      await once(signal, 'abort')
      throw signal.reason as Error
    })
    const error: unknown = await running.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(LockLostError)
    expect((error as LockLostError).loss).toBeUndefined()
  })

  it('rejects with what its callback throws while nothing is lost', async () => {
    const own = new Error('own')
    await expect(run(() => Promise.reject(own))).rejects.toBe(own)
  })
})

it('a function that is locked rejects with the loss, too', async () => {
  const work = locked(ann.getLock('x'))(async () => {
    await evict('x')
    throw new TypeError('oops')
  })
  await expect(work()).rejects.toMatchObject({ code: 'LOCK_LOST', cause: { name: 'TypeError' } })
})

it('the signals of leases warn of no leak, however many listen', async () => {
  const warnings: unknown[] = []
  const note = (warning: unknown): void => void warnings.push(warning)
  process.on('warning', note)
  const leases = [
    await ann.getLock('x').lock(),
    await ann.getMultiLock(['a', 'b']).lock(),
    await ann.getSemaphore('s', { permits: 1 }).acquire(),
    await quorum.getLock('q').lock(),
  ]
  for (const { signal } of leases) for (let i = 0; i < 20; i++) signal.addEventListener('abort', () => i)
  await new Promise(setImmediate)
  process.off('warning', note)
  expect(warnings).toEqual([])
})

describe('a timeout of ordinary contention says who holds, for how long and what to do, in at most 25 words', () => {
  const rw = () => ann.getReadWriteLock('rw')
  const semaphore = (client: Holdfast) => client.getSemaphore('s', { permits: 1 })
  const waitMs = 30
  it.each<[object: string, hold: () => Promise<unknown>, wait: () => Promise<unknown>]>([
    ['a lock', () => ann.getLock('x').lock(), () => bob.getLock('x').lock({ waitMs })],
    ['a lock of the own client', () => ann.getLock('x').lock(), () => ann.getLock('x').lock({ waitMs })],
    ['a single attempt', () => ann.getLock('x').lock(), () => ann.getLock('x').lock({ waitMs: 0 })],
    ['a write lock', () => rw().read.lock(), () => rw().write.lock({ waitMs })],
    ['a read lock', () => rw().write.lock(), () => rw().read.lock({ waitMs })],
    ['a semaphore', () => semaphore(ann).acquire(), () => semaphore(ann).acquire({ waitMs })],
    ['a multi lock', () => ann.getLock('b').lock(), () => ann.getMultiLock(['a', 'b']).lock({ waitMs })],
    ['a quorum lock', () => quorum.getLock('q').lock(), () => quorum.getLock('q').lock({ waitMs })],
  ])('of %s', async (...[, hold, wait]) => {
    const { owner } = (await hold()) as { owner: string }
    const { message } = (await wait().catch((error: unknown) => error)) as Error
    expect(message).toContain(`held by ${owner}`)
    expect(message).toMatch(/^timed out after \d+ ms .*; retry or raise waitMs$/)
    expect(message.split(' ').length).toBeLessThanOrEqual(25)
  })

  it('of a latch', async () => {
    await ann.getCountDownLatch('l').trySetCount(1)
    const { message } = (await ann
      .getCountDownLatch('l')
      .wait({ waitMs })
      .catch((error: unknown) => error)) as Error
    expect(message).toMatch(/^timed out after \d+ ms waiting for latch l to open/)
    expect(message.split(' ').length).toBeLessThanOrEqual(25)
  })

  it('and only a wait behind the own context says that', async () => {
    const error: unknown = await ann
      .getLock('x')
      .withLock(() => ann.getLock('x').lock({ waitMs, reentrant: false }))
      .catch((thrown: unknown) => thrown)
    expect(String(error)).toContain('self-deadlock')
  })
})

it('an error shows the name of its public class', async () => {
  const { engine, link } = linkedEngine(store)
  const silent = new Holdfast({ engine, commandTimeoutMs: 500 })
  await silent.getLock('x').withLock(() => undefined)
  link.blackHole('both')
  const { inspect } = await import('node:util')
  const error: unknown = await silent
    .getLock('x')
    .lock({ waitMs: 300 })
    .catch((thrown: unknown) => thrown)
  expect(inspect(error)).toMatch(/^UnavailableError: /)
  await silent.close()
})
