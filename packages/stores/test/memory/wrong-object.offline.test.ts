import { Redis } from 'ioredis'
import { bridge, Holdfast, HoldfastQuorum, InvalidArgumentError, lockName } from '@holdfast/core'
import { memory } from '../../src/memory/index.js'

/** As the one of pg. */
class Pool {
  query(): void {}
}

const opened: { close(): Promise<void> }[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((client) => client.close()))
})

const secret = 's3cret'
const redisUrl = `redis://app:${secret}@127.0.0.1:1`
const postgresUrl = `postgres://app:${secret}@127.0.0.1:1/app`

function open(): Holdfast {
  const holdfast = new Holdfast({ engine: memory() })
  opened.push(holdfast)
  return holdfast
}

function openQuorum(): HoldfastQuorum {
  const quorum = new HoldfastQuorum({ masters: [1, 2, 3].map(() => ({ engine: memory() })) })
  opened.push(quorum)
  return quorum
}

/** One of everything that a program has at hand, by what messages call it. */
function objects(): Record<string, unknown> {
  const holdfast = open()
  return {
    undefined: undefined,
    null: null,
    'a number': 7,
    'an array': [],
    'a string that begins with postgres://': postgresUrl,
    'a string that begins with http://': `http://app:${secret}@127.0.0.1`,
    'a URL object that begins with postgres:': new URL(postgresUrl),
    'a function': memory,
    'a promise': Promise.resolve(1),
    'a Holdfast client': holdfast,
    'a HoldfastQuorum client': openQuorum(),
    'a lock engine': memory(),
    'a lock': holdfast.getLock('a'),
    'a bridged lock': bridge((work) => work(), holdfast.getLock('a')),
    'a multi lock': holdfast.getMultiLock(['a', 'b']),
    'a read/write lock': holdfast.getReadWriteLock('a'),
    'a semaphore': holdfast.getSemaphore('a', { permits: 1 }),
    'a latch': holdfast.getCountDownLatch('a'),
  }
}

/** What a caller without types may write. */
const apply = (fn: unknown, on: unknown, ...given: unknown[]): unknown =>
  Reflect.apply(fn as () => unknown, on, given)

const construct = (type: new (options: never) => unknown, given: unknown[]): unknown =>
  Reflect.construct(type, given)

const call = (on: object, method: string, ...given: unknown[]): unknown =>
  apply(Reflect.get(on, method), on, ...given)

/** Calls that each take one thing, and the kinds of it that they do take. */
const calls: [call: string, make: (holdfast: Holdfast) => (given: unknown) => unknown, takes: string[]][] = [
  ['new Holdfast(_)', () => (given) => construct(Holdfast, [given]), []],
  ['new Holdfast({ redis: _ })', () => (redis) => construct(Holdfast, [{ redis }]), []],
  ['new Holdfast({ engine: _ })', () => (engine) => construct(Holdfast, [{ engine }]), ['a lock engine']],
  ['new HoldfastQuorum(_)', () => (given) => construct(HoldfastQuorum, [given]), []],
  ['new HoldfastQuorum({ masters: _ })', () => (masters) => construct(HoldfastQuorum, [{ masters }]), []],
  [
    'new HoldfastQuorum({ masters: [_, …] })',
    () => (one) => construct(HoldfastQuorum, [{ masters: [one, one, one] }]),
    [],
  ],
  [
    'new HoldfastQuorum({ masters: [{ engine: _ }, …] })',
    () => (engine) =>
      construct(HoldfastQuorum, [{ masters: [{ engine }, { engine: memory() }, { engine: memory() }] }]),
    ['a lock engine'],
  ],
  ['getLock(_)', (on) => (name) => call(on, 'getLock', name), []],
  ['getLock(name, _)', (on) => (given) => call(on, 'getLock', 'a', given), ['undefined']],
  ['getFencedLock(_)', (on) => (name) => call(on, 'getFencedLock', name), []],
  ['getReadWriteLock(_)', (on) => (name) => call(on, 'getReadWriteLock', name), []],
  ['getSemaphore(_, …)', (on) => (name) => call(on, 'getSemaphore', name, { permits: 1 }), []],
  ['getSemaphore(name, _)', (on) => (given) => call(on, 'getSemaphore', 'a', given), []],
  ['getCountDownLatch(_)', (on) => (name) => call(on, 'getCountDownLatch', name), []],
  ['getMultiLock(_)', (on) => (given) => call(on, 'getMultiLock', given), []],
  ['getMultiLock([_])', (on) => (given) => call(on, 'getMultiLock', [given]), ['a lock']],
  ['scope(_)', (on) => (given) => call(on, 'scope', given), ['a function']],
  ['bind(_)', (on) => (given) => call(on, 'bind', given), ['a function']],
  ['detached(_)', (on) => (given) => call(on, 'detached', given), ['a function']],
  ['on(_, …)', (on) => (event) => call(on, 'on', event, () => undefined), []],
  ['on(event, _)', (on) => (listener) => call(on, 'on', 'lost', listener), ['a function']],
  ['locks(_)', (on) => (given) => call(on, 'locks', given), ['undefined']],
  ['clientReports(_)', (on) => (given) => call(on, 'clientReports', given), ['undefined']],
  ['close(_)', (on) => (given) => call(on, 'close', given), ['undefined']],
  ['bridge(_, lock)', (on) => (old) => apply(bridge, undefined, old, on.getLock('a')), ['a function']],
  ['bridge(old, _)', () => (lock) => apply(bridge, undefined, () => undefined, lock), ['a lock']],
  ['lockName(_)', () => (text) => apply(lockName, undefined, text), []],
  ['lock(_)', (on) => (given) => call(on.getLock('b'), 'lock', given), ['undefined']],
  ['withLock(_, fn)', (on) => (given) => call(on.getLock('b'), 'withLock', given, () => 1), ['undefined']],
  ['forceUnlock(_)', (on) => (given) => call(on.getLock('b'), 'forceUnlock', given), ['undefined']],
]

/** Where messages show the value itself, or only count it. */
const named: Record<string, RegExp> = {
  'a number': /(got|event) (a number|7)/,
  'an array': /(got|event) (an (empty )?array|\[\]|0)/,
  undefined: /undefined/,
  null: /(got|event|is) null/,
  'a function': /function|no options of its own but reentrant/,
}

const isText = (kind: string): boolean => kind.startsWith('a string')

describe('what a call cannot take is refused by what it is, without its secrets', () => {
  it.each(calls)('%s', async (title, make, takes) => {
    const holdfast = open()
    const run = make(holdfast)
    for (const [kind, given] of Object.entries(objects())) {
      if (takes.includes(kind)) continue
      // Any text is a name.
      if (
        isText(kind) &&
        /^(getLock\(_|get\w+\(_[,)]|lockName|getMultiLock\(\[)/.test(title) &&
        title !== 'getMultiLock(_)'
      )
        continue
      const error: unknown = await Promise.resolve()
        .then(() => run(given))
        .then(
          () => `${title} took ${kind}`,
          (thrown: unknown) => thrown,
        )
      expect({ kind, error }).toEqual({ kind, error: expect.any(InvalidArgumentError) as unknown })
      const { message } = error as InvalidArgumentError
      expect(message).not.toContain(secret)
      expect(message).toMatch(named[kind] ?? new RegExp(`(got|event) ${kind}`))
    }
  })
})

describe('what belongs elsewhere is shown the way', () => {
  it.each([
    [{ redis: postgresUrl }, /got a string that begins with postgres:\/\/; .*engine: postgres\(\{ url \}\)/],
    [{ redis: memory() }, /got a lock engine; pass an engine as new Holdfast\(\{ engine \}\)$/],
    [
      { engine: redisUrl },
      /got a string that begins with redis:\/\/; pass .* as new Holdfast\(\{ redis \}\)$/,
    ],
    [{ redis: Redis }, /got a function; construct it, as in new Redis\(url\)$/],
    [
      { engine: memory(), prefix: 'a:' },
      /^prefix is an option of new Holdfast\(\{ redis \}\), not of one with an engine: leave it out;/,
    ],
    [{ engine: memory }, /got a function; call it, as in memory\(\)$/],
    [{ redis: InvalidArgumentError }, /got a function; it is a class, pass an object$/],
    // As knex looks, and the class of a pool of pg.
    ...[
      [Object.assign(() => 1, { raw: () => 1, transaction: () => 1 }), 'client of knex', 'config'] as const,
      [Pool, 'function', 'config'] as const,
    ].flatMap(([given, kind, option]) =>
      [{ redis: given }, { engine: given }].map((options): [object, RegExp] => [
        options,
        RegExp(`got a ${kind}; for locks in PostgreSQL pass new Holdfast.*postgres\\(\\{ ${option} \\}`),
      ]),
    ),
    [memory(), /^options must be an object, got a lock engine; pass an engine as new Holdfast/],
    ...[{ url: redisUrl }, { host: '127.0.0.1' }, { client: {} }].map((options): [object, RegExp] => [
      options,
      /^unknown option '(url|host|client)'; pass a URL or an ioredis instance as new Holdfast\(\{ redis \}\); valid options: redis, .*engine/,
    ]),
    [{ redis: redisUrl, engine: memory() }, /^got both redis and engine: give one of the two/],
    // As Bun's client and those of GLIDE look.
    [{ redis: { bufferedAmount: 0, onconnect: null, send: 1 } }, /got Bun's RedisClient; .*: use ioredis, /],
    [
      { redis: { customCommand: 1, updateConnectionPassword: 1 } },
      /got a client of Valkey GLIDE; .*: use ioredis/,
    ],
    [redisUrl, /^options must be an object, got a string .*; pass .* as new Holdfast\(\{ redis \}\)$/],
  ])('new Holdfast(…), case %#', (options, message) =>
    expect(() => construct(Holdfast, [options])).toThrow(message),
  )

  it.each<[call: string, run: (on: Holdfast) => unknown, message: RegExp]>([
    ['lock(5000)', (on) => call(on.getLock('b'), 'lock', 5_000), /got a number; write \{ waitMs: 5000 \}/],
    ['tryLock(5000)', (on) => call(on.getLock('b'), 'tryLock', 5_000), /; write \{ waitMs: 5000 \}/],
    [
      'withLock(5000, fn)',
      (on) => call(on.getLock('b'), 'withLock', 5_000, () => 1),
      /; write \{ waitMs: 5000 \}/,
    ],
    [
      'acquire(3)',
      (on) => call(on.getSemaphore('b', { permits: 5 }), 'acquire', 3),
      /; write \{ permits: 3 \}/,
    ],
    ['close(5000)', (on) => call(on, 'close', 5_000), /; write \{ drainMs: 5000 \}/],
    [
      "countDown('p')",
      (on) => call(on.getCountDownLatch('b'), 'countDown', 'p'),
      /got a string; write \{ as: 'p' \}/,
    ],
    [
      'latch.wait(1000)',
      (on) => call(on.getCountDownLatch('b'), 'wait', 1_000),
      /; write \{ waitMs: 1000 \}/,
    ],
    [
      "getMultiLock('a', 'b')",
      (on) => call(on, 'getMultiLock', 'a', 'b'),
      /got a string; write getMultiLock\(\[lock, 'name'\]\)$/,
    ],
    [
      "getLock('a', 1000)",
      (on) => call(on, 'getLock', 'a', 1_000),
      /got a number; a lock has no options but reentrant: pass others to lock, tryLock or withLock/,
    ],
    [
      "getCountDownLatch('v', 3)",
      (on) => call(on, 'getCountDownLatch', 'v', 3),
      /takes a name only: set the count with latch\.trySetCount\(3\)/,
    ],
    [
      'extend()',
      (on) => on.getLock('b').withLock({ leaseMs: 5_000 }, (lease) => call(lease, 'extend')),
      /^leaseMs must be an integer .*, as in extend\(30_000\), got undefined$/,
    ],
  ])('%s, which gives a value in place of the options', async (_, run, message) => {
    const refused = Promise.resolve().then(() => run(open()))
    await expect(refused).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(message) as unknown,
    })
  })

  it('an engine among the masters of a quorum', () => {
    const masters = [memory(), memory(), memory()]
    expect(() => construct(HoldfastQuorum, [{ masters }])).toThrow(
      /^masters\[0\] must be .*, got a lock engine; pass an engine as masters: \[\{ engine \}, …\]$/,
    )
  })

  it.each<[call: string, run: (on: Holdfast, work: () => unknown) => unknown]>([
    ['withLock', (on, work) => on.getLock('b').withLock(work)],
    ['withLock', (on, work) => on.getLock('b').withLock({ waitMs: 5 }, work)],
    ['withPermits', (on, work) => on.getSemaphore('b', { permits: 1 }).withPermits(work)],
    ['run', (on, work) => on.getLock('b').withLock((lease) => lease.run(work))],
    ['scope', (on, work) => on.scope(work)],
    ['bind', (on, work) => on.bind(work)],
    ['detached', (on, work) => on.detached(work)],
  ])('a generator function, whose work %s would run outside, case %#', async (method, run) => {
    const generators = [function* () {}, async function* () {}]
    for (const work of generators) {
      const refused = Promise.resolve().then(() => run(open(), work))
      await expect(refused).rejects.toThrow(
        RegExp(`^${method} needs a function that does its work, got a generator`),
      )
    }
  })

  it('a lock of another client in a question to a multi lock', async () => {
    const [mine, other] = [open(), open()]
    await mine.getMultiLock([mine.getFencedLock('a'), 'b']).withLock((lease) => {
      expect(() => lease.fencingToken(other.getLock('a'))).toThrow(
        /^fencingToken needs one of the locks of this/,
      )
      expect(lease.fencingToken(mine.getLock('a'))).toBeGreaterThan(0)
    })
  })

  it('a hole in an array', async () => {
    const holed = (...[first, second]: [unknown, unknown]): unknown[] =>
      Object.assign(Array(3), { 0: first, 2: second })
    const masters = holed(redisUrl, redisUrl)
    expect(() => construct(HoldfastQuorum, [{ masters }])).toThrow(/^masters\[1\] is undefined: pass a URL/)
    const names = holed('a', 'b')
    expect(() => call(open(), 'getMultiLock', names)).toThrow(/^members\[1\] .*, got undefined$/)
    const reports = Promise.resolve().then(() => call(open(), 'clientReports', { clientIds: names }))
    await expect(reports).rejects.toThrow(/^clientIds must be an array of client ids/)
  })

  it('a read/write lock and a lock of another copy of the package in a multi lock', () => {
    const holdfast = open()
    const lock = { name: 'a', withLock: () => 1, tryLock: () => 1, forceUnlock: () => 1 }
    for (const [member, message] of [
      [holdfast.getReadWriteLock('a'), /got a read\/write lock: pass one of its sides, read or write$/],
      [lock, /got one of another copy of @holdfast\/core, such as `require` beside `import`$/],
    ] as const) {
      expect(() => call(holdfast, 'getMultiLock', [member])).toThrow(message)
    }
  })

  it('an object of ours in a message to another thread', async () => {
    const holdfast = open()
    const lock = holdfast.getLock('a')
    const bridged = bridge((work) => work(), holdfast.getLock('b'))
    const both = holdfast.getMultiLock(['c', 'd'])
    await using lease = await lock.lock()
    await using bridgedLease = await bridged.lock()
    await using bothLeases = await both.lock()
    const semaphore = holdfast.getSemaphore('e', { permits: 1 })
    await using permit = await semaphore.acquire()
    const latch = holdfast.getCountDownLatch('f')
    const { read, write } = holdfast.getReadWriteLock('g')
    const clients = [holdfast, openQuorum()]
    const locks = [lock, bridged, both, semaphore, latch, read, write, { read, write }]
    for (const given of [
      ...clients,
      ...locks,
      lease,
      bridgedLease,
      bothLeases,
      permit,
      Object.assign({}, lease),
    ]) {
      expect(() => structuredClone(given)).toThrow(
        /clients, locks and leases stay in their thread; in another one, create a client with new Holdfast/,
      )
    }
  })
})
