import {
  ClosedError,
  HoldfastError,
  InvalidArgumentError,
  LockLostError,
  RefusedError,
  toHoldfastError,
  UnavailableError,
} from './errors.js'

const details = { lockName: 'a', owner: 'c1:1' }
const cause = new Error('why')

it.each([
  [new UnavailableError('no reply', { cause, engine: 'redis' }), 'lock a: no reply'],
  [new RefusedError('no', { cause, engine: 'redis' }), 'lock a: no'],
  [new HoldfastError('not understood', { cause }), 'lock a: not understood'],
  [new ClosedError('over', { cause }), 'over'],
])('%p, which many calls may share, becomes one of its class about one lock', (shared, message) => {
  const error = toHoldfastError(shared, details)
  expect(error).not.toBe(shared)
  expect(error).toMatchObject({ ...details, message, code: shared.code, cause })
  expect(Object.getPrototypeOf(error)).toBe(Object.getPrototypeOf(shared))
  expect(error).toHaveProperty('name', shared.name)
})

it.each([
  new LockLostError('lost', { reason: 'closed' }),
  new InvalidArgumentError('bad'),
  new UnavailableError('no reply', { lockName: 'b' }),
  new (class OfAnEngine extends HoldfastError {})('odd'),
])('%p stays as it is', (error) => expect(toHoldfastError(error, details)).toBe(error))

it.each([new TypeError('x is undefined'), new RangeError('too far')])(
  '%p is a mistake in a program: the outcome is unknown, but nobody tries again',
  (mistake) => {
    const message = `lock a: ${mistake.message}`
    expect(toHoldfastError(mistake, details)).toMatchObject({ code: 'HOLDFAST', message, cause: mistake })
  },
)

it.each([
  new TypeError('fetch failed', { cause }),
  Object.assign(new RangeError('bad port'), { code: 'ERR_SOCKET_BAD_PORT' }),
])('%p comes from a connection: no reply', (error) =>
  expect(toHoldfastError(error, details).code).toBe('UNAVAILABLE'),
)

it('what is not one of ours has an unknown outcome', () =>
  expect(toHoldfastError(cause, details)).toMatchObject({
    ...details,
    code: 'UNAVAILABLE',
    message: 'lock a: why',
    cause,
  }))
