import {
  Holdfast,
  HoldfastQuorum,
  LockTimeoutError,
  type AcquireOptions,
  type CountDownLatch,
} from '@holdfast/core'
import type { LockEngine } from '@holdfast/core/engine'
import { memory } from '../../src/memory/index.js'

/** A store whose replies take a while, or do not come. */
class Distance {
  ms = 0

  async of<T>(reply: Promise<T>): Promise<T> {
    const { ms } = this
    return new Promise<T>((resolve, reject) => {
      setTimeout(() => void reply.then(resolve, reject), ms)
    })
  }

  engine(engine: LockEngine = memory()): LockEngine {
    return {
      name: engine.name,
      traits: engine.traits,
      open: (host) => {
        const session = engine.open(host)
        const { steps, latches } = session
        const acquire = steps.acquire.bind(steps)
        steps.acquire = (...request) => this.of(acquire(...request))
        const acquireMany = steps.acquireMany?.bind(steps)
        if (acquireMany) steps.acquireMany = (...request) => this.of(acquireMany(...request))
        const wait = latches?.wait.bind(latches)
        if (latches && wait) latches.wait = (...request) => this.of(wait(...request))
        return session
      },
    }
  }
}

type Try = (options: AcquireOptions) => Promise<unknown>

const tripMs = 60
const shortMs = 30
/** Longer than any wait here. */
const silentMs = 3_000

let store: Distance
let clients: Holdfast[]
let quorum: HoldfastQuorum
const errors: unknown[] = []

const settle = async <T>(work: Promise<T>): Promise<T | Error> => {
  const end = jest.fn()
  const settled = work
    .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
    .finally(end)
  for (let i = 0; i < 100 && end.mock.calls.length === 0; i++) await jest.advanceTimersByTimeAsync(100)
  return settled
}

beforeEach(async () => {
  jest.useFakeTimers()
  errors.length = 0
  store = new Distance()
  clients = [0, 1].map(() => new Holdfast({ engine: store.engine() }))
  quorum = new HoldfastQuorum({
    masters: [0, 1, 2].map(() => ({ engine: store.engine() })),
    restartQuarantineMs: 0,
    memberTimeoutMs: 1_000,
  })
  for (const client of [...clients, quorum]) {
    client.on('error', (error) => errors.push(error))
    await settle(client.getLock('first-use').withLock(() => undefined))
  }
  store.ms = tripMs
})

afterEach(async () => {
  store.ms = 0
  await settle(Promise.all([...clients, quorum].map((client) => client.close())))
  jest.useRealTimers()
})

const client = (n = 0): Holdfast => clients[n] ?? new Holdfast({ engine: memory() })
const isOpen = (latch: CountDownLatch, { waitMs }: AcquireOptions) => latch.tryWait({ waitMs })

/** Of each object: a call that may end in vain, and the same as an error, as far as there is one. */
const objects: [object: string, attempt: Try, inVain: unknown, rejecting?: Try][] = [
  ['a lock', (o) => client().getLock('x').tryLock(o), null, (o) => client().getLock('x').lock(o)],
  ['a write lock', (o) => client().getReadWriteLock('rw').write.tryLock(o), null],
  ['a read lock', (o) => client().getReadWriteLock('rw').read.tryLock(o), null],
  ['a semaphore', (o) => client().getSemaphore('s', { permits: 1 }).tryAcquire(o), null],
  ['a latch', (o) => isOpen(client().getCountDownLatch('l'), o), false],
  [
    'a multi lock that requests all at once',
    (o) => client().getMultiLock(['a', 'b']).tryLock(o),
    null,
    (o) => client().getMultiLock(['a', 'b']).lock(o),
  ],
  ['a quorum lock', (o) => quorum.getLock('q').tryLock(o), null, (o) => quorum.getLock('q').lock(o)],
]

describe('a reply that a call did not wait for is no outage', () => {
  it.each(objects)('of %s', async (...[, attempt, inVain, rejecting]) => {
    expect(await settle(attempt({ waitMs: shortMs }))).toBe(inVain)
    if (rejecting) {
      const error = await settle(rejecting({ waitMs: shortMs }))
      expect(error).toBeInstanceOf(LockTimeoutError)
      expect(String(error)).toContain('(no reply in time); retry or raise waitMs')
    }
    expect(errors).toEqual([])
  })

  it('of a multi lock whose time ends between two members', async () => {
    const locks = [client(0).getLock('a'), client(1).getLock('b')]
    const multi = client().getMultiLock(locks)
    for (let waitMs = tripMs - 3; waitMs < 2 * tripMs; waitMs += 3)
      expect(await settle(multi.tryLock({ waitMs }))).toBe(null)
    expect(await settle(multi.lock({ waitMs: tripMs + 2 }))).toBeInstanceOf(LockTimeoutError)
    expect(errors).toEqual([])
    await expect(settle(multi.tryLock({ waitMs: 3 * tripMs }))).resolves.toHaveProperty('isHeld', true)
  })

  it('of a nested call, which leaves the hold around it as it was', async () => {
    const lock = client().getLock('x')
    const nested = lock.withLock(async (lease) => {
      const outcomes = [
        await lock.tryLock({ waitMs: shortMs }),
        await lock.lock({ waitMs: shortMs }).catch(String),
        await client().getMultiLock(['x', 'y']).tryLock({ waitMs: shortMs }),
      ]
      return { outcomes, isHeld: lease.isHeld }
    })
    expect(await settle(nested)).toEqual({
      outcomes: [null, expect.stringMatching(/^LockTimeoutError/), null],
      isHeld: true,
    })
    expect(errors).toEqual([])
  })
})

describe('a store that does not reply for long enough is unavailable', () => {
  it.each(objects)('to %s', async (...[, attempt]) => {
    store.ms = silentMs
    expect(await settle(attempt({ waitMs: 400 }))).toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('to a nested call', async () => {
    const lock = client().getLock('x')
    const nested = lock.withLock(() => {
      store.ms = silentMs
      return lock.tryLock({ waitMs: 400 })
    })
    expect(await settle(nested)).toMatchObject({ code: 'UNAVAILABLE' })
  })

  it('to waits that are each too short to find that out', async () => {
    store.ms = silentMs
    const outcomes: unknown[] = []
    for (let i = 0; i < 2; i++) {
      const attempt = client().getLock('x').tryLock({ waitMs: shortMs })
      outcomes.push(await settle(attempt))
    }
    expect(outcomes).toEqual([null, expect.objectContaining({ code: 'UNAVAILABLE' })])
  })
})
