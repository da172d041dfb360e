import { runInNewContext } from 'node:vm'
import { HoldfastError, InvalidArgumentError, RefusedError, UnavailableError } from '../errors/errors.js'
import { Events, type HoldfastListener } from './events.js'

/** Events whose listeners run where they are emitted. */
const plainEvents = () => new Events((fn) => fn())

const leaked = { name: 'a', kind: 'lock' as const, owner: 'c1:1', reason: 'scope-ended' as const }

it('a listener is given the one object of its event', () => {
  const events = plainEvents()
  const listener = jest.fn()
  events.on('leaked', listener)
  events.emit('leaked', leaked)
  expect(listener.mock.calls).toEqual([[leaked]])
})

it('an error without a listener is dropped', () => {
  const events = plainEvents()
  expect(() => events.emit('error', new HoldfastError('without a listener'))).not.toThrow()
})

describe('reported errors', () => {
  const emitWarning = jest.spyOn(process, 'emitWarning')

  beforeEach(() => emitWarning.mockReset())

  afterAll(() => emitWarning.mockRestore())

  it.each([
    ['an outage', UnavailableError],
    ['a store that rejects everything', RefusedError],
  ])('of %s are summed up while there are many of them', (_, kind) => {
    const events = plainEvents()
    const listener = jest.fn()
    events.on('error', listener)
    const errors = [1, 2, 3].map(() => new kind('a'))
    for (const error of errors) events.emitError(error)
    expect(listener.mock.calls).toEqual([[errors[0]]])
    events.close()
    expect(listener.mock.calls).toEqual([[errors[0]], [errors[2], { count: 2 }]])
    expect(emitWarning).not.toHaveBeenCalled()
  })

  it('of other kinds are emitted one by one, and without a listener dropped', () => {
    const events = plainEvents()
    const errors = ['a', 'b', 'c'].map((message) => new HoldfastError(message))
    for (const error of errors) events.emitError(error)
    expect(emitWarning).not.toHaveBeenCalled()
    const listener = jest.fn()
    events.on('error', listener)
    for (const error of errors) events.emitError(error)
    expect(listener.mock.calls).toEqual(errors.map((error) => [error]))
  })

  it('of an outage are a warning of the process if nothing listens', () => {
    const events = plainEvents()
    events.emitError(new UnavailableError('nothing there'))
    events.emitError(new UnavailableError('still nothing there'))
    const given = { type: 'HoldfastWarning', code: 'HOLDFAST_UNAVAILABLE' }
    expect(emitWarning.mock.calls).toEqual([[expect.stringMatching(/^nothing there/), given]])
  })

  it('of a wrong setup are a warning of the process once if nothing listens', () => {
    const events = plainEvents()
    for (const text of ['twins', 'twins']) events.emitError(new InvalidArgumentError(text))
    const given = { type: 'HoldfastWarning', code: 'HOLDFAST_INVALID_ARGUMENT' }
    expect(emitWarning.mock.calls).toEqual([[expect.stringMatching(/^twins\. Handle it/), given]])
  })

  it('of a store that rejects commands are a warning of the process once if nothing listens', () => {
    const events = plainEvents()
    for (const text of ['no rights.', 'no rights', 'no memory']) events.emitError(new RefusedError(text))
    const given = { type: 'HoldfastWarning', code: 'HOLDFAST_REFUSED' }
    expect(emitWarning.mock.calls).toEqual([[expect.stringMatching(/^no rights\. Handle it/), given]])
  })

  it('that locks may be evicted are one warning of the process for each server if nothing listens', () => {
    const events = plainEvents()
    events.warn('RELEASE_UNCONFIRMED', 'not acknowledged')
    for (const server of ['a', 'b', 'a']) events.warn('EVICTION_POLICY', `${server} may evict locks`)
    const given = { type: 'HoldfastWarning', code: 'HOLDFAST_EVICTION_POLICY' }
    const texts = ['a', 'b'].map((server): unknown =>
      expect.stringContaining(`${server} may evict locks. Two clients`),
    )
    expect(emitWarning.mock.calls).toEqual(texts.map((text): unknown[] => [text, given]))
    events.on('warning', () => undefined)
    events.warn('EVICTION_POLICY', 'c may evict locks')
    expect(emitWarning).toHaveBeenCalledTimes(2)
  })
})

it('a listener that throws does not reach the code that emits, and becomes an error event', () => {
  const events = plainEvents()
  const cause = new Error('bad listener')
  const onError = jest.fn()
  events.on('error', onError)
  events.on('leaked', () => {
    throw cause
  })
  expect(() => events.emit('leaked', leaked)).not.toThrow()
  expect(onError).toHaveBeenCalledTimes(1)
  const [[error]] = onError.mock.calls as [[unknown]]
  expect(error).toBeInstanceOf(HoldfastError)
  expect(error).toMatchObject({ message: 'a listener of the leaked event threw', cause })
})

it('a listener that throws does not keep the event from the others', () => {
  const events = plainEvents()
  const second = jest.fn()
  events.on('leaked', () => {
    throw new Error('bad listener')
  })
  events.on('leaked', second)
  events.emit('leaked', leaked)
  expect(second).toHaveBeenCalledWith(leaked)
})

it('an error listener that throws is not called again for its own error', () => {
  const events = plainEvents()
  const listener = jest.fn(() => {
    throw new Error('bad listener')
  })
  events.on('error', listener)
  expect(() => events.emit('error', new HoldfastError('first'))).not.toThrow()
  expect(listener).toHaveBeenCalledTimes(1)
})

it('listeners run in the context that the emitter is given, and nothing runs for an event without listeners', () => {
  let isOutside = false
  const outside = jest.fn((fn: () => void) => {
    isOutside = true
    fn()
    isOutside = false
  })
  const events = new Events(outside)
  events.emit('leaked', leaked)
  expect(outside).not.toHaveBeenCalled()
  const seen: boolean[] = []
  events.on('leaked', () => seen.push(isOutside))
  events.emit('leaked', leaked)
  expect(seen).toEqual([true])
})

it.each([
  ['another event, without an error listener', 'leaked'],
  ['error', 'error'],
] as const)('what a listener of %s throws is a warning of the process, once', (_, event) => {
  jest.isolateModules(() => {
    const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    const { Events: FreshEvents } = jest.requireActual<{ Events: typeof Events }>('./events.js')
    const events = new FreshEvents((fn) => fn())
    events.on(event, () => {
      throw new RangeError('bad listener')
    })
    for (let i = 0; i < 2; i++) {
      if (event === 'error') events.emit(event, new HoldfastError('first'))
      else events.emit(event, leaked)
    }
    const given = { type: 'HoldfastWarning', code: 'HOLDFAST_LISTENER_THREW' }
    const text = new RegExp(`^a listener of the ${event} event threw\\..*\\nRangeError: bad listener\\n +at `)
    expect(emitWarning.mock.calls).toEqual([[expect.stringMatching(text), given]])
    emitWarning.mockRestore()
  })
})

it('a removed listener receives nothing, and one added with once receives one event', () => {
  const events = plainEvents()
  const listener = jest.fn()
  const once = jest.fn()
  events.on('leaked', listener)
  events.once('leaked', once)
  events.once('leaked', listener)
  events.off('leaked', listener)
  events.emit('leaked', leaked)
  events.emit('leaked', leaked)
  expect(listener).not.toHaveBeenCalled()
  expect(once).toHaveBeenCalledTimes(1)
})

/** The next error event. */
const nextError = (events: Events): Promise<HoldfastError> =>
  new Promise((resolve) => events.once('error', resolve))

// The lint of this file shows that a listener may be async: see no-misused-promises of typescript-eslint.
it.each(['on', 'once'] as const)(
  'a listener given to %s may be async; a rejection becomes an error event',
  async (listen) => {
    const events = plainEvents()
    const cause = new Error('bad listener')
    const reported = nextError(events)
    events[listen]('leaked', async ({ name }) => {
      await Promise.resolve(name)
      throw cause
    })
    const typed: HoldfastListener<'leaked'> = async ({ owner }) => {
      await Promise.resolve(owner)
    }
    events[listen]('leaked', typed)
    events.emit('leaked', leaked)
    expect(await reported).toMatchObject({ message: 'a listener of the leaked event threw', cause })
  },
)

it('a rejection of a promise from another realm becomes an error event', async () => {
  const events = plainEvents()
  const reported = nextError(events)
  const failing: unknown = runInNewContext('async () => { throw new RangeError("bad listener") }')
  const untyped: Untyped = events
  untyped.on('leaked', failing)
  events.emit('leaked', leaked)
  expect(await reported).toMatchObject({ cause: { name: 'RangeError', message: 'bad listener' } })
})

it('an async error listener that rejects is not called again, and its rejection is handled', async () => {
  const events = plainEvents()
  const unhandled = jest.fn()
  process.on('unhandledRejection', unhandled)
  const listener = jest.fn(async () => {
    await Promise.resolve()
    throw new Error('bad listener')
  })
  events.on('error', listener)
  events.emit('error', new HoldfastError('first'))
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', unhandled)
  expect(listener).toHaveBeenCalledTimes(1)
  expect(unhandled).not.toHaveBeenCalled()
})

/** As they may be called without types. */
interface Untyped {
  on(event: unknown, listener: unknown): void
  once(event: unknown, listener: unknown): void
  off(event: unknown, listener: unknown): void
}

const valid =
  'valid events: acquired, granted, waiting, renewed, released, downgraded, resized, opened, lost, leaked, warning, error'

const unlistened = (): undefined => undefined

it.each<[event: unknown, listener: unknown, refused: string]>([
  ['losst', unlistened, `unknown event 'losst' (did you mean lost?); ${valid}`],
  ['toString', unlistened, `unknown event 'toString'; ${valid}`],
  [Symbol('lost'), unlistened, `unknown event Symbol(lost); ${valid}`],
  [undefined, unlistened, `unknown event undefined; ${valid}`],
  ['lost', undefined, 'a listener must be a function, got undefined'],
  ['lost', 42n, 'a listener must be a function, got 42n'],
])('listening to %p with %p is refused', (event, listener, refused) => {
  const events: Untyped = plainEvents()
  for (const method of ['on', 'once', 'off'] as const) {
    const listening = (): void => events[method](event, listener)
    expect(listening).toThrow(InvalidArgumentError)
    expect(listening).toThrow(refused)
  }
})
