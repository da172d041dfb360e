import { AsyncLocalStorage } from 'node:async_hooks'
import { sharedRedisUrl, startRedis, uniqueName, until, type RedisServer } from '@holdfast/testkit'
import { LockLostError, type HoldfastEvents, type Lock } from '../src/index.js'
import { closeAll, openClient } from './support/clients.js'
import { nextEvent } from './support/next-event.js'
import { openQuorum } from './support/quorum.js'

const nothing = (): Promise<void> => Promise.resolve()
const open = openClient

/** A queue as many are: what ends one job starts the next, which so runs in the async context of the job before it. */
class SmallQueue {
  readonly #jobs: (() => Promise<void>)[] = []
  running = 0

  constructor(readonly concurrency: number) {}

  add<T>(job: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#jobs.push(() => job().then(resolve, reject))
      this.#startNext()
    })
  }

  #startNext(): void {
    if (this.running === this.concurrency) return
    const job = this.#jobs.shift()
    if (!job) return
    this.running += 1
    void job().then(() => {
      this.running -= 1
      this.#startNext()
    })
  }
}

/** Opens once. */
class Gate {
  open: () => void = nothing
  readonly opened = new Promise<void>((resolve) => (this.open = resolve))
}

/** Counts who is inside at once: each stays until some have met, or for a while. */
class Room {
  most = 0
  entries = 0
  #inside = 0

  /** @param patienceMs - short where nobody is to come: then each visit takes as long */
  constructor(readonly patienceMs = 30) {}

  readonly visit = async (): Promise<void> => {
    this.#inside += 1
    this.entries += 1
    this.most = Math.max(this.most, this.#inside)
    await until(() => this.most > 1, { timeoutMs: this.patienceMs, everyMs: 5 }).catch(nothing)
    this.#inside -= 1
  }
}

interface Lockable {
  withLock<T>(fn: (lease: { run<U>(fn: () => PromiseLike<U>): Promise<U> }) => PromiseLike<T>): Promise<T>
  withLock<T>(options: { readonly waitMs: number }, fn: () => Promise<T>): Promise<T>
}
type Job = () => Promise<void>

/** Request A waits inside the lock for jobs of its own; those of others are queued behind them, and start in A's context. */
async function mix(lock: Lockable, own: Job, others: readonly Job[]): Promise<void> {
  const queue = new SmallQueue(others.length)
  const gate = new Gate()
  const requestA = lock.withLock(async () => {
    await Promise.all(others.map(() => queue.add(() => gate.opened)))
    await own()
  })
  await until(() => queue.running === others.length)
  const added = others.map((job) => queue.add(job))
  gate.open()
  await Promise.all([requestA, ...added])
}

const openLock = (): Lock => open(sharedRedisUrl()).getLock(uniqueName('borrowed'))

let masters: RedisServer[]

beforeAll(async () => {
  masters = await Promise.all([startRedis(), startRedis(), startRedis()])
})

afterEach(closeAll)

afterAll(() => Promise.all(masters.map((master) => master.stop())))

/** Begins when it is awaited, as queries of knex and Prisma do. */
const lazily = (work: () => Promise<unknown>): PromiseLike<unknown> => ({
  then: (resolve, reject) => work().then(resolve, reject),
})

const kinds: [kind: string, open: () => Lockable, most: number][] = [
  ['a lock', openLock, 1],
  ['a write lock', () => open(sharedRedisUrl()).getReadWriteLock(uniqueName('borrowed')).write, 1],
  ['a read lock, which they share', () => open(sharedRedisUrl()).getReadWriteLock(uniqueName('b')).read, 2],
  [
    'a multi lock',
    () => open(sharedRedisUrl()).getMultiLock([uniqueName('borrowed'), uniqueName('borrowed')]),
    1,
  ],
  ['a quorum lock', () => openQuorum(masters.map(({ url }) => url)).getLock(uniqueName('b')), 1],
]

it.each(kinds)(
  'what a callback returns is awaited inside %s, also a query that begins only then',
  async (_, openOne) => {
    const lock = openOne()
    const again = () => lock.withLock({ waitMs: 10_000 }, () => Promise.resolve('inside'))
    await expect(lock.withLock(() => lazily(again))).resolves.toBe('inside')
    await expect(lock.withLock((lease) => lease.run(() => lazily(again)))).resolves.toBe('inside')
  },
)

describe('jobs that a queue starts in the context of another caller', () => {
  it.each(kinds)('never meet each other inside %s', async (_, openOne, most) => {
    const lock = openOne()
    const room = new Room(most === 1 ? undefined : 30_000)
    const job = (): Promise<void> => lock.withLock(room.visit)
    await mix(lock, nothing, [job, job])
    expect(room).toMatchObject({ most, entries: 2 })
  })

  it('never meet each other inside a multi lock and one of its members', async () => {
    const holdfast = open(sharedRedisUrl())
    const [a, b, c] = ['a', 'b', 'c'].map((name) => holdfast.getLock(uniqueName(name)))
    if (!a || !b || !c) throw new Error('three locks')
    const room = new Room()
    const [ab, bc] = [holdfast.getMultiLock([a, b]), holdfast.getMultiLock([b, c])]
    await mix(ab, nothing, [
      () => ab.withLock(room.visit),
      () => bc.withLock(room.visit),
      () => b.withLock(room.visit),
    ])
    expect(room).toMatchObject({ most: 1, entries: 3 })
  })

  const cures: [cure: string, job: (holdfast: ReturnType<typeof open>, name: string, work: Job) => Job][] = [
    ['bind', (holdfast, name, work) => holdfast.bind(() => holdfast.getLock(name).withLock(work))],
    [
      'detached',
      (holdfast, name, work) => () => holdfast.detached(() => holdfast.getLock(name).withLock(work)),
    ],
    [
      'reentrant: false for the call',
      (holdfast, name, work) => () => holdfast.getLock(name).withLock({ reentrant: false }, work),
    ],
    [
      'reentrant: false for the handle',
      (holdfast, name, work) => () => holdfast.getLock(name, { reentrant: false }).withLock(work),
    ],
  ]

  it.each(cures)('meet nobody with %s, not even that caller itself', async (_, jobOf) => {
    const holdfast = open(sharedRedisUrl())
    const lock = holdfast.getLock(uniqueName('borrowed'))
    const warned = jest.fn()
    holdfast.on('warning', warned)
    const room = new Room()
    const job = jobOf(holdfast, lock.name, room.visit)
    await mix(lock, room.visit, [job, job])
    expect(room).toMatchObject({ most: 1, entries: 3 })
    expect(warned).not.toHaveBeenCalled()
  })

  it('meet nobody with reentrant: false for the client', async () => {
    const lock = open(sharedRedisUrl(), { reentrant: false }).getLock(uniqueName('borrowed'))
    const room = new Room()
    const job = (): Promise<void> => lock.withLock(room.visit)
    await mix(lock, room.visit, [job, job])
    expect(room).toMatchObject({ most: 1, entries: 3 })
  })

  it('run beside that caller otherwise, and a warning has both stacks', async () => {
    const holdfast = open(sharedRedisUrl())
    const lock = holdfast.getLock(uniqueName('borrowed'))
    const warnings: HoldfastEvents['warning'][0][] = []
    holdfast.on('warning', (warning) => warnings.push(warning))
    const room = new Room(30_000)
    const [gate, warned] = [new Gate(), new Gate()]
    holdfast.on('warning', warned.open)
    async function requestB(): Promise<void> {
      await lock.withLock(() => Promise.all([room.visit(), warned.opened]))
    }
    const queue = new SmallQueue(1)
    async function requestA(): Promise<void> {
      await lock.withLock(async () => {
        await queue.add(() => gate.opened)
        await room.visit()
      })
    }
    const a = requestA()
    await until(() => queue.running === 1)
    const b = queue.add(requestB)
    gate.open()
    await Promise.all([a, b])
    expect(room.most).toBe(2)
    expect(warnings).toMatchObject([{ code: 'BODY_ENDED_FIRST' }])
    const [ended, running] = warnings[0]?.message.split('The one that still runs') ?? []
    expect(ended).toMatch(new RegExp(`^lock ${lock.name} \\(owner .*\\): .*holdfast\\.bind`))
    expect(ended).toMatch(/was called\n\s+at .*borrowed-contexts/)
    expect(running).toMatch(/was called\n\s+at .*borrowed-contexts/)
  })
})

it('without a listener the process is warned of it once per client, with both stacks', async () => {
  const emitWarning = jest.spyOn(process, 'emitWarning').mockReturnValue()
  const lock = openLock()
  for (const _ of [1, 2]) {
    const gate = new Gate()
    let forgotten: Promise<void> = Promise.resolve()
    await lock.withLock(() => {
      forgotten = lock.withLock(() => gate.opened)
    })
    gate.open()
    await forgotten
  }
  const calls: unknown[][] = emitWarning.mock.calls
  emitWarning.mockRestore()
  expect(calls).toEqual([
    [
      expect.stringMatching(
        /^lock .* still runs\. .*await it\. Two callbacks .* once per client\.\nThe callback that ended was called\n +at .*borrowed-contexts[^]*\nThe one that still runs was called\n +at .*borrowed-contexts/,
      ),
      { type: 'HoldfastWarning', code: 'HOLDFAST_BODY_ENDED_FIRST' },
    ],
  ])
})

it('a nested call that was not awaited is reported with where both were called, even if nothing was awaited', async () => {
  const holdfast = open(sharedRedisUrl())
  const lock = holdfast.getLock(uniqueName('borrowed'))
  const warned = nextEvent(holdfast, 'warning')
  const gate = new Gate()
  let forgotten: Promise<void> = Promise.resolve()
  async function outer(): Promise<void> {
    await lock.withLock(() => {
      forgotten = lock.withLock(() => gate.opened)
    })
  }
  await outer()
  gate.open()
  expect((await warned).message).toMatch(/ended was called\n\s+at .*outer.*borrowed-contexts/)
  await forgotten
})

describe('a callback that waits for another one in the same hold', () => {
  it('times out naming where the other one was called, at once with waitMs 0, and leaves the hold in order', async () => {
    const lock = openLock()
    await lock.withLock(async ({ owner }) => {
      const gate = new Gate()
      const sibling = lock.withLock(() => gate.opened)
      for (const waitMs of [0, 50]) {
        await expect(lock.withLock({ waitMs }, nothing)).rejects.toMatchObject({
          code: 'LOCK_TIMEOUT',
          owner,
          holder: owner,
          message: expect.stringMatching(
            /hold around the caller.*called at .*borrowed-contexts.*bind.*reentrant: false/,
          ) as unknown,
        })
      }
      const cancelled = lock.withLock({ signal: AbortSignal.timeout(50) }, nothing)
      await expect(cancelled).rejects.toHaveProperty('name', 'TimeoutError')
      gate.open()
      await sibling
      await lock.withLock(({ holdCount }) => expect(holdCount).toBe(2))
    })
    expect(await lock.isLocked()).toBe(false)
  })

  it('learns at once that the hold is lost', async () => {
    const lock = openLock()
    const ended = lock.withLock({ leaseMs: 1_500 }, async () => {
      const gate = new Gate()
      const sibling = lock.withLock({ leaseMs: 1_500 }, () => gate.opened)
      await expect(lock.withLock({ waitMs: 5_000 }, nothing)).rejects.toBeInstanceOf(LockLostError)
      gate.open()
      await sibling.catch(nothing)
    })
    await expect(ended).rejects.toBeInstanceOf(LockLostError)
  })

  it('gets an owner of its own as soon as the hold is released', async () => {
    const holdfast = open(sharedRedisUrl())
    const lock = holdfast.getLock(uniqueName('borrowed'))
    await holdfast.scope(async () => {
      const lease = await lock.lock()
      const gate = new Gate()
      const running = lease.run(() => gate.opened)
      const waiting = lock.withLock(({ owner }) => owner)
      await lease.unlock()
      expect(await waiting).not.toBe(lease.owner)
      gate.open()
      await running
    })
  })

  it('re-enters in callbacks of its own, however deep, without waiting', async () => {
    const lock = openLock()
    const depths = await lock.withLock(() =>
      Promise.all(
        [1, 2].map(() =>
          lock.withLock(() =>
            lock.withLock(() => lock.withLock({ waitMs: 0 }, ({ holdCount }) => holdCount)),
          ),
        ),
      ),
    )
    expect(depths).toEqual([4, 4])
  })

  it('lease.run takes turns, too, and both it and a multi lease obey waitMs', async () => {
    const holdfast = open(sharedRedisUrl())
    const room = new Room()
    const lease = await holdfast.getLock(uniqueName('run')).lock()
    await Promise.all([lease.run(room.visit), lease.run(room.visit)])
    const multi = await holdfast.getMultiLock([uniqueName('run'), uniqueName('run')]).lock()
    await Promise.all([multi.run(room.visit), multi.run(room.visit)])
    expect(room).toMatchObject({ most: 1, entries: 4 })
    for (const one of [lease, multi]) {
      const gate = new Gate()
      const running = one.run(() => gate.opened)
      await expect(one.run({ waitMs: 20 }, nothing)).rejects.toHaveProperty('code', 'LOCK_TIMEOUT')
      gate.open()
      await running
    }
  })
})

describe('reentrant: false', () => {
  it('a wait for a hold around the call says that it waits for itself', async () => {
    const holdfast = open(sharedRedisUrl())
    const lock = holdfast.getLock(uniqueName('self'), { reentrant: false })
    const waiting: HoldfastEvents['waiting'][0][] = []
    holdfast.on('waiting', (event) => waiting.push(event))
    await lock.withLock(async ({ owner }) => {
      await expect(lock.withLock({ waitMs: 1_500 }, nothing)).rejects.toMatchObject({
        holder: owner,
        message: expect.stringMatching(
          /around the caller, which waits for itself \(a self-deadlock\)/,
        ) as unknown,
      })
      await expect(lock.tryLock()).resolves.toBeNull()
      await lock.withLock({ reentrant: true }, ({ holdCount }) => expect(holdCount).toBe(2))
    })
    expect(waiting).toMatchObject([{ behindOwnClient: true, behindItself: true }])
  })

  it('holds for a write lock inside a read lock, a multi lock, a quorum and a scope, too', async () => {
    const holdfast = open(sharedRedisUrl())
    const { read, write } = holdfast.getReadWriteLock(uniqueName('self'), { reentrant: false })
    const self = { message: expect.stringMatching(/waits for itself/) as unknown }
    await read.withLock(async () => {
      await read.withLock(({ holdCount }) => expect(holdCount).toBe(1))
      await expect(write.withLock({ waitMs: 1_500 }, nothing)).rejects.toMatchObject(self)
    })
    const multi = holdfast.getMultiLock([uniqueName('self'), uniqueName('self')], { reentrant: false })
    await multi.withLock(async () => {
      await expect(multi.withLock({ waitMs: 1_500 }, nothing)).rejects.toMatchObject(self)
    })
    const quorum = openQuorum(
      masters.map(({ url }) => url),
      { reentrant: false },
    ).getLock('self')
    await quorum.withLock(async () => {
      await expect(quorum.withLock({ waitMs: 1_500 }, nothing)).rejects.toMatchObject(self)
    })
    const lock = holdfast.getLock(uniqueName('self'), { reentrant: false })
    await holdfast.scope(async () => {
      await lock.lock()
      const next = lock.lock()
      await lock.unlock()
      await next
      await lock.unlock()
    })
  })

  it('unlock() in a scope does not wait for a multi lock that waits for what the scope holds', async () => {
    const holdfast = open(sharedRedisUrl())
    const [a, b] = [holdfast.getLock(uniqueName('self')), holdfast.getLock(uniqueName('self'))]
    const once = holdfast.getLock(a.name, { reentrant: false })
    const multiLocks = [
      holdfast.getMultiLock([a, b], { reentrant: false }),
      holdfast.getMultiLock([once, b]),
      open(sharedRedisUrl(), { reentrant: false }).getMultiLock([a.name, b.name]),
    ]
    await holdfast.scope(async () => {
      for (const multi of multiLocks) {
        await a.lock()
        const next = multi.lock({ waitMs: 10_000 })
        await a.unlock()
        const lease = await next
        await lease.unlock()
      }
    })
  })

  it.each([
    ['a client', () => open(sharedRedisUrl(), { reentrant: 1 as never })],
    ['a handle', () => open(sharedRedisUrl()).getLock('a', { reentrant: null as never })],
    ['a multi lock', () => open(sharedRedisUrl()).getMultiLock(['a'], { reentrant: 'no' as never })],
  ])('refuses anything but true and false for %s', (_, make) =>
    expect(make).toThrow(/reentrant must be true or false, got /),
  )
})

it('bind keeps this, arguments, result and the storages of others, and binds scopes as well', async () => {
  const holdfast = open(sharedRedisUrl())
  const lock = holdfast.getLock(uniqueName('bind'))
  const others = new AsyncLocalStorage<string>()
  const bound = await holdfast
    .scope(async () => {
      await lock.lock()
      const inScope = others.run('at the bind', () =>
        holdfast.bind(function (this: { readonly n: number }, more: number) {
          return [this.n + more, lock.isHeld(), others.getStore()]
        }),
      )
      expect(holdfast.detached(() => lock.isHeld())).toBe(false)
      expect(holdfast.detached(() => others.run('at the call', () => inScope.call({ n: 1 }, 2)))).toEqual([
        3,
        true,
        'at the call',
      ])
      return inScope
    })
    .finally(nothing)
  expect(bound.call({ n: 1 }, 2)).toEqual([3, false, undefined])
})
