import { HoldfastError, InvalidArgumentError } from './errors.js'
import { Events } from './events.js'

/** Events whose listeners run where they are emitted. */
const plainEvents = () =>
  new Events((fn) => {
    fn()
  })

const leaked = { name: 'a', owner: 'c1:1' }

it('a listener is given the one object of its event', () => {
  const events = plainEvents()
  const listener = jest.fn()
  events.on('leaked', listener)
  events.emit('leaked', leaked)
  expect(listener.mock.calls).toEqual([[leaked]])
})

it('an error without a listener is dropped', () => {
  const events = plainEvents()
  expect(() => {
    events.emit('error', new HoldfastError('without a listener'))
  }).not.toThrow()
})

it('a listener that throws does not reach the code that emits, and becomes an error event', () => {
  const events = plainEvents()
  const cause = new Error('bad listener')
  const onError = jest.fn()
  events.on('error', onError)
  events.on('leaked', () => {
    throw cause
  })
  expect(() => {
    events.emit('leaked', leaked)
  }).not.toThrow()
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
  expect(() => {
    events.emit('error', new HoldfastError('first'))
  }).not.toThrow()
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

it('a listener that was taken off hears nothing, and one for once hears one event', () => {
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

it('a promise that a listener returns becomes an error event when it rejects', async () => {
  const events = plainEvents()
  const cause = new Error('bad listener')
  const reported = new Promise((resolve) => {
    events.on('error', resolve)
  })
  const failing: () => unknown = () => Promise.reject(cause)
  events.on('leaked', failing)
  events.emit('leaked', leaked)
  expect(await reported).toMatchObject({ message: 'a listener of the leaked event threw', cause })
})

/** As JavaScript may call them. */
interface Untyped {
  on(event: string, listener: unknown): void
  once(event: string, listener: unknown): void
  off(event: string, listener: unknown): void
}

it.each([
  ['nope', () => undefined, "there is no event 'nope'"],
  ['toString', () => undefined, "there is no event 'toString'"],
  ['lost', undefined, 'a listener must be a function, got undefined'],
])('listening to %p with %p is refused', (event, listener, refused) => {
  const events: Untyped = plainEvents()
  for (const method of ['on', 'once', 'off'] as const) {
    const listening = (): void => {
      events[method](event, listener)
    }
    expect(listening).toThrow(InvalidArgumentError)
    expect(listening).toThrow(refused)
  }
})
