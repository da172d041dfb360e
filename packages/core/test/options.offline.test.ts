import { inspect } from 'node:util'
import { createServer, type Server } from 'node:net'
import { once } from 'node:events'
import { Cluster, Redis } from 'ioredis'
import { Holdfast, InvalidArgumentError, type HoldfastOptions } from '../src/index.js'
import { closeAfterTest, closeAll } from './support/clients.js'

let listener: Server
let url: string
let connections = 0

beforeAll(async () => {
  listener = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  url = `redis://127.0.0.1:${port}`
})

afterAll(async () => {
  listener.close()
  await once(listener, 'close')
})

beforeEach(() => {
  connections = 0
})

afterEach(closeAll)

/** What a caller without types may hand over. */
const construct = (options: unknown): unknown => Reflect.construct(Holdfast, [options])

const open = (options: Partial<HoldfastOptions> = {}): Holdfast => {
  const holdfast = new Holdfast({ redis: url, ...options })
  closeAfterTest(() => holdfast.close())
  return holdfast
}

/** The error of a call that must fail before anything could have been sent or heard. */
async function atOnce(call: () => unknown): Promise<unknown> {
  let nextTurn: NodeJS.Immediate | undefined
  const late = new Promise((_, reject) => {
    nextTurn = setImmediate(() => reject(new Error('the call did not fail at once')))
  })
  try {
    await Promise.race([Promise.resolve().then(call), late])
  } catch (error) {
    return error
  } finally {
    clearImmediate(nextTurn)
  }
  throw new Error('the call did not fail')
}

/** Had a connection been tried before, it would be there by the time this one is. */
async function expectNothingSent(): Promise<void> {
  const before = connections
  const probe = new Redis(url, { lazyConnect: true, retryStrategy: () => null })
  probe.on('error', () => undefined)
  await expect(probe.connect()).rejects.toThrow()
  expect({ before, after: connections }).toEqual({ before: 0, after: 1 })
}

const badCalls: [options: object, named: RegExp][] = [
  [{ waitMs: -1 }, /^waitMs .* 0 to 2147483647 or Infinity, got -1$/],
  [{ waitMs: 1.5 }, /^waitMs .* got 1\.5$/],
  [{ waitMs: '5' }, /^waitMs .* got '5'$/],
  [{ waitMs: 2 ** 31 }, /^waitMs .* 0 to 2147483647 or Infinity, got 2147483648$/],
  [{ leaseMs: 99 }, /^leaseMs .* 100 to 2147483647 or null, got 99$/],
  [{ leaseMs: Infinity }, /^leaseMs .* or null, got Infinity$/],
  [{ maxHoldMs: 99 }, /^maxHoldMs .* 100 to 2147483647 or Infinity, got 99$/],
  [{ signal: {} }, /^signal must be an AbortSignal or null, got \{\}$/],
  [{ signal: 'stop' }, /^signal must be an AbortSignal or null, got 'stop'$/],
  [{ wait: 5 }, /^unknown option 'wait' \(did you mean waitMs\?\); valid options: /],
  [{ ttl: undefined }, /^unknown option 'ttl'; valid options: /],
]

describe('a bad option of a call is refused at once, and nothing is sent', () => {
  it.each(badCalls)('%p', async (options, named) => {
    const lock = open().getLock('a')
    const work = jest.fn()
    const calls = [
      (): unknown => Reflect.apply(lock.lock.bind(lock), undefined, [options]),
      (): unknown => Reflect.apply(lock.tryLock.bind(lock), undefined, [options]),
      (): unknown => Reflect.apply(lock.withLock.bind(lock), undefined, [options, work]),
    ]
    for (const call of calls) {
      const error = await atOnce(call)
      expect(error).toBeInstanceOf(InvalidArgumentError)
      expect(error).toHaveProperty('message', expect.stringMatching(named))
    }
    expect(work).not.toHaveBeenCalled()
    await expectNothingSent()
  })

  it('options after the function of withLock, with the way to write it', async () => {
    const lock = open().getLock('a')
    const work = jest.fn()
    const call = (): unknown => Reflect.apply(lock.withLock.bind(lock), undefined, [work, { waitMs: 5 }])
    await expect(atOnce(call)).resolves.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'withLock takes its options before the function: withLock(options, fn)',
      lockName: 'a',
    })
    expect(work).not.toHaveBeenCalled()
    await expectNothingSent()
  })

  it.each([[], [{}], [{}, 'work'], [7, () => undefined]])('withLock(%p, %p)', async (...given) => {
    const lock = open().getLock('a')
    const call = (): unknown => Reflect.apply(lock.withLock.bind(lock), undefined, given)
    await expect(atOnce(call)).resolves.toBeInstanceOf(InvalidArgumentError)
    await expectNothingSent()
  })

  it.each([null, 7, 'soon'])('lock and tryLock with %p', async (options) => {
    const lock = open().getLock('a')
    for (const method of ['lock', 'tryLock'] as const) {
      const call = (): unknown => Reflect.apply(lock[method].bind(lock), undefined, [options])
      await expect(atOnce(call)).resolves.toBeInstanceOf(InvalidArgumentError)
    }
    await expectNothingSent()
  })

  it.each([
    [[-1], /permits must be /],
    [[1.5], /permits must be /],
    [['2'], /permits must be /],
    [[1, { keepMs: 0 }], /keepMs must be /],
    [[1, { keepFor: 5 }], /keepFor/],
  ])('resize(...%p) of a semaphore', async (given, named) => {
    const semaphore = open().getSemaphore('s', { permits: 1 })
    const call = (): unknown => Reflect.apply(semaphore.resize.bind(semaphore), undefined, given)
    await expect(atOnce(call)).resolves.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(named) as unknown,
    })
    await expectNothingSent()
  })

  it.each([undefined, 42, 'work', null])('scope(%p)', async (fn) => {
    const holdfast = open()
    const call = (): unknown => Reflect.apply(holdfast.scope.bind(holdfast), undefined, [fn])
    await expect(atOnce(call)).resolves.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: `scope needs a function to run, got ${inspect(fn)}`,
    })
    await expectNothingSent()
  })

  it('a promise in place of a function, with the way to write it', async () => {
    const holdfast = open()
    const lock = holdfast.getLock('a')
    const semaphore = holdfast.getSemaphore('s', { permits: 1 })
    const calls: [string, (...given: unknown[]) => unknown][] = [
      ['withLock', (...given): unknown => Reflect.apply(lock.withLock.bind(lock), undefined, given)],
      [
        'withPermits',
        (...given): unknown => Reflect.apply(semaphore.withPermits.bind(semaphore), undefined, given),
      ],
      ['scope', (...given): unknown => Reflect.apply(holdfast.scope.bind(holdfast), undefined, given)],
    ]
    for (const [method, call] of calls) {
      await expect(atOnce(() => call(Promise.resolve()))).resolves.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: `${method} needs a function to run, got a promise: write ${method}(() => doWork())`,
      })
    }
    await expectNothingSent()
  })

  it('a promise in place of a function, whose own rejection then ends nothing', async () => {
    const unhandled = jest.fn()
    process.on('unhandledRejection', unhandled)
    try {
      const lock = open().getLock('a')
      const call = (given: unknown): unknown => Reflect.apply(lock.withLock.bind(lock), undefined, [given])
      await expect(call(Promise.reject(new Error('of the work')))).rejects.toThrow(InvalidArgumentError)
      await new Promise((resolve) => setImmediate(resolve))
      expect(unhandled).not.toHaveBeenCalled()
    } finally {
      process.off('unhandledRejection', unhandled)
    }
  })

  it('what is meant for an option, with the way to write it', async () => {
    const holdfast = open()
    const lock = holdfast.getLock('a')
    const latch = holdfast.getCountDownLatch('l')
    const { signal } = new AbortController()
    const calls: [call: () => unknown, message: RegExp][] = [
      [
        (): unknown => Reflect.apply(lock.lock.bind(lock), undefined, [signal]),
        /got an AbortSignal; write \{ signal \};/,
      ],
      [
        (): unknown => Reflect.apply(lock.lock.bind(lock), undefined, [new AbortController()]),
        /got an AbortController; write \{ signal: controller\.signal \};/,
      ],
      [
        (): unknown => Reflect.apply(lock.forceUnlock.bind(lock), undefined, ['x:1']),
        /got a string; write \{ owner: 'x:1' \};/,
      ],
      [
        (): unknown => Reflect.apply(latch.countDown.bind(latch), undefined, [2]),
        /^countDown counts once for one party, got 2: call it once per party, or name each as countDown\(\{ as \}\)$/,
      ],
    ]
    for (const [call, message] of calls) {
      await expect(atOnce(call)).resolves.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message: expect.stringMatching(message) as string,
      })
    }
    await expectNothingSent()
  })

  it.each([
    [42, 'a number; write { drainMs: 42 }'],
    [null, 'null'],
    ['soon', 'a string'],
  ])('close(%p), which closes nothing', async (options, kind) => {
    const holdfast = open()
    const call = (): unknown => Reflect.apply(holdfast.close.bind(holdfast), undefined, [options])
    await expect(atOnce(call)).resolves.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: `options must be an object, got ${kind}; valid options: drainMs`,
    })
    await expectNothingSent()
  })

  it('close({ drainMs: -1 }), which closes nothing', async () => {
    const holdfast = open()
    await expect(atOnce(() => holdfast.close({ drainMs: -1 }))).resolves.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'drainMs must be an integer from 0 to 2147483647, got -1',
    })
    await expectNothingSent()
  })
})

describe('a bad option of a client is refused by the constructor, and nothing is sent', () => {
  const bad: [options: object, named: RegExp][] = [
    ...badCalls,
    [{ watchdogTimeoutMs: 99 }, /^watchdogTimeoutMs .* 100 to 2147483647, got 99$/],
    [{ commandTimeoutMs: 0 }, /^commandTimeoutMs .* 1 to 2147483647, got 0$/],
    [{ minReplicas: -1 }, /^minReplicas .* 0 to 2147483647, got -1$/],
    [{ minReplicas: 0.5 }, /^minReplicas .* got 0\.5$/],
    [{ replicaTimeoutMs: 0 }, /^replicaTimeoutMs .* 1 to 2147483647, got 0$/],
    [{ maxWaiters: -1 }, /^maxWaiters .* 0 to 2147483647, got -1$/],
    [{ maxWaiters: 0.5 }, /^maxWaiters .* got 0\.5$/],
    [{ prefix: 7 }, /^prefix must be a string, got 7$/],
    [{ label: {} }, /^label must be a string, got \{\}$/],
    [{ redis: undefined }, /^redis is undefined: pass a URL .*, or set the environment variable/],
    [{ redis: null }, /^redis is null: pass a URL/],
    [{ redis: {} }, /^redis must be a redis:.* instance, got an object$/],
    [
      { redis: [url, url, url] },
      /^redis must be a redis:.* instance, got an array; for the nodes of one Redis Cluster pass new Cluster\(\[…\]\) of ioredis, and for servers that are independent of each other use new HoldfastQuorum\(\{ masters: \[…\] \}\)$/,
    ],
    [{ redis: 6379 }, /^redis must be a redis:.* instance, got a number$/],
    [{ redis: new URL('http://127.0.0.1') }, /, got a URL object that begins with http:$/],
    [{ redis: { url: 'redis://127.0.0.1' } }, /^unknown option 'url' of redis; pass the URL itself/],
    [{ redis: { hots: '127.0.0.1' } }, /^unknown option 'hots' of redis \(did you mean host\?\); valid are/],
    [{ redis: { host: '127.0.0.1', db: 'x' } }, /^redis\.db must be an integer of at least 0, got 'x'$/],
    [
      { redis: { host: '127.0.0.1', port: 'abc' } },
      /^redis\.port must be an integer from 1 to 65535, got 'abc'$/,
    ],
    [
      { redis: new Redis({ lazyConnect: true, port: 0 }) },
      /^redis\.port must be an integer from 1 to 65535, got 0$/,
    ],
    // As a client of another library looks.
    [
      { redis: { options: {}, duplicate: () => undefined, EVALSHA: () => undefined } },
      /^redis must be a redis:/,
    ],
    [{ redis: '' }, /^redis is an empty string: pass a URL/],
    [
      { redis: '127.0.0.1:6379' },
      /^redis is a string without a scheme; write it as in redis:\/\/localhost:6379$/,
    ],
    [{ redis: 'redis://:pa#ss@127.0.0.1' }, /^redis is not a valid URL/],
    [
      { redis: 'redis://127.0.0.1/prices' },
      /^redis is not a valid URL: its path must be the number of a database$/,
    ],
    [{ redis: 'http://127.0.0.1' }, /^redis must be a redis:.*, got a string that begins with http:\/\/$/],
  ]

  it.each(bad)('%p', async (options, named) => {
    expect(() => construct({ redis: url, ...options })).toThrow(InvalidArgumentError)
    expect(() => construct({ redis: url, ...options })).toThrow(named)
    await expectNothingSent()
  })

  it('a URL, without repeating any of it', () => {
    const error: unknown = (() => {
      try {
        return construct({ redis: 'redis://user:secret@127.0.0.1:port' })
      } catch (thrown) {
        return thrown
      }
    })()
    expect(error).toBeInstanceOf(InvalidArgumentError)
    expect(inspect(error)).not.toContain('secret')
  })

  it.each([undefined, null, 'redis://127.0.0.1'])('%p in place of the options', (options) =>
    expect(() => construct(options)).toThrow(InvalidArgumentError),
  )
})

describe('a bad name is refused by getLock, and nothing is sent', () => {
  it.each([
    '',
    'x'.repeat(1025),
    'a{b',
    'a}b',
    '{a}{b}',
    'a{}',
    'jobs:fifo',
    'jobs:waiters',
    'jobs:fence',
    42,
    42n,
    Symbol('a'),
    {},
    null,
    undefined,
  ])('%p', async (name) => {
    const holdfast = open()
    for (const getLock of [holdfast.getLock.bind(holdfast), holdfast.getFencedLock.bind(holdfast)]) {
      expect((): unknown => Reflect.apply(getLock, undefined, [name])).toThrow(InvalidArgumentError)
    }
    await expectNothingSent()
  })

  it.each(['{tenant', 'tenant}', '{}', '{a}{b}'])('any under the prefix %p', async (prefix) => {
    expect(() => open({ prefix })).toThrow(/one hash tag, such as \{tenant\}/)
    await expectNothingSent()
  })

  it('one with a tag beside that of the key prefix of the template', () => {
    const template = new Redis(url, { lazyConnect: true, keyPrefix: '{app}:' })
    expect(() => open({ redis: template }).getLock('{b}')).toThrow(/one hash tag/)
  })
})

describe('nothing is sent before it is needed', () => {
  it('by a client, its locks and what they know without I/O', async () => {
    const holdfast = open()
    const lock = holdfast.getLock('a')
    expect([lock.name, lock.isHeld(), lock.holdCount()]).toEqual(['a', false, 0])
    expect(holdfast.stats()).toMatchObject({ holds: 0, waiters: 0, acquired: 0, released: 0, lost: 0 })
    await holdfast.scope(() => expect(lock.isHeld()).toBe(false))
    await expectNothingSent()
  })

  it('by a client whose template is a cluster', async () => {
    const template = new Cluster([url], { lazyConnect: true })
    const holdfast = open({ redis: template })
    await holdfast.close()
    expect(template.status).toBe('wait')
    await expectNothingSent()
  })
})

describe('what plain JavaScript would ignore is refused, before anything is sent', () => {
  it('a client in place of the options', () => {
    expect(() => construct(new Redis({ lazyConnect: true }))).toThrow(
      'options must be an object, got an ioredis client; pass where Redis is as new Holdfast({ redis })',
    )
  })

  it.each(['lock', 'tryLock'] as const)('a function for %s, which only withLock runs', async (method) => {
    const lock = open().getLock('order:42')
    const work = jest.fn()
    for (const args of [[work], [{}, work]]) {
      const call = (): unknown => Reflect.apply(lock[method].bind(lock), undefined, args)
      await expect(atOnce(call)).resolves.toMatchObject({
        code: 'INVALID_ARGUMENT',
        message:
          'lock and tryLock take options only; to run a function, use withLock(fn) or withLock(options, fn)',
      })
    }
    expect(work).not.toHaveBeenCalled()
    await expectNothingSent()
  })

  it('options of a call for getLock, but not what Array.map passes', () => {
    const holdfast = open()
    const withOptions = (): unknown =>
      Reflect.apply(holdfast.getLock.bind(holdfast), undefined, ['a', { waitMs: 5 }])
    expect(withOptions).toThrow(
      'a lock has no options but reentrant: pass others to lock, tryLock or withLock',
    )
    const fromMap = (...args: unknown[]): unknown =>
      Reflect.apply(holdfast.getLock.bind(holdfast), undefined, args)
    expect(['a', 'b'].map(fromMap)).toMatchObject([{ name: 'a' }, { name: 'b' }])
  })

  it('a semaphore without its number of permits', async () => {
    const holdfast = open()
    const withoutPermits = (): unknown =>
      Reflect.apply(holdfast.getSemaphore.bind(holdfast), undefined, ['a'])
    expect(withoutPermits).toThrow(InvalidArgumentError)
    expect(withoutPermits).toThrow('give the number of permits as getSemaphore(name, { permits })')
    await expectNothingSent()
  })
})
