import * as errors from './errors.js'

/** One of each, and the code that programs may rely on. */
const all = [
  [new errors.HoldfastError('x'), 'HoldfastError', 'HOLDFAST'],
  [
    new errors.LockTimeoutError('x', { holder: 'c1:1', position: 2, waitedMs: 3 }),
    'LockTimeoutError',
    'LOCK_TIMEOUT',
  ],
  [new errors.LockLostError('x', { reason: 'expired' }), 'LockLostError', 'LOCK_LOST'],
  [new errors.NotOwnerError('x'), 'NotOwnerError', 'NOT_OWNER'],
  [new errors.NotALockError('x'), 'NotALockError', 'NOT_A_LOCK'],
  [new errors.UnavailableError('x'), 'UnavailableError', 'UNAVAILABLE'],
  [new errors.RefusedError('x'), 'RefusedError', 'REFUSED'],
  [new errors.ReplicationError('x', { wanted: 2, acknowledged: 1 }), 'ReplicationError', 'REPLICATION'],
  [new errors.TooManyWaitersError('x'), 'TooManyWaitersError', 'TOO_MANY_WAITERS'],
  [new errors.ClosedError('x'), 'ClosedError', 'CLOSED'],
  [new errors.InvalidArgumentError('x'), 'InvalidArgumentError', 'INVALID_ARGUMENT'],
] as const

it('the list here is complete', () => {
  const classes = Object.keys(errors)
  expect(all.map(([, name]) => name as string).sort()).toEqual(classes.sort())
})

describe.each(all)('%s', (error, name, code) => {
  it(`has the name ${name} and the code ${code}`, () => {
    expect(error.name).toBe(name)
    expect(error.code).toBe(code)
  })

  it('is an instance of its own class, of the base and of Error, and of no other', () => {
    expect(error).toBeInstanceOf(Error)
    const kin = Object.values(errors).filter((kind) => error instanceof kind)
    expect(kin.map((kind) => kind.code).sort()).toEqual([...new Set([code, 'HOLDFAST'])].sort())
  })
})

it('an error keeps its cause, lock and owner', () => {
  const cause = new Error('why')
  const error = new errors.RefusedError('no', { cause, lockName: 'a', owner: 'c1:1' })
  expect(error).toMatchObject({ message: 'no', cause, lockName: 'a', owner: 'c1:1' })
})

it('an error without a cause has no property of that name', () => {
  expect(new errors.ClosedError('over')).not.toHaveProperty('cause')
})

it('an error of a time-out tells who held the lock, where we stood and how long we waited', () => {
  const details = { lockName: 'a', holder: 'c1:1', position: 2, waitedMs: 300 }
  expect(new errors.LockTimeoutError('late', details)).toMatchObject(details)
})

it('an error of a loss tells its reason and what the callback returned', () => {
  const error = new errors.LockLostError('lost', { reason: 'revoked', result: 42 })
  expect(error).toMatchObject({ reason: 'revoked', result: 42 })
})

it('an error of replication tells how many were wanted, and how many there were', () => {
  const error = new errors.ReplicationError('behind', { wanted: 2, acknowledged: undefined })
  expect(error).toMatchObject({ wanted: 2, acknowledged: undefined })
})

it.each([null, undefined, 'LOCK_LOST', { code: 'LOCK_LOST' }, new Error('LOCK_LOST'), () => undefined])(
  '%p is none of ours, whatever its code',
  (value) => {
    expect(value instanceof errors.LockLostError).toBe(false)
    expect(value instanceof errors.HoldfastError).toBe(false)
  },
)

it('a class that an application derives from one of ours has instances of its own only', () => {
  class StockError extends errors.HoldfastError {
    static override readonly code = 'STOCK'
  }
  expect(new StockError('out of stock')).toBeInstanceOf(errors.HoldfastError)
  expect(new errors.ClosedError('over')).not.toBeInstanceOf(StockError)
  class ShopError extends errors.HoldfastError {}
  expect(new ShopError('shut')).toBeInstanceOf(ShopError)
  expect(new ShopError('shut')).toBeInstanceOf(errors.HoldfastError)
  expect(new errors.HoldfastError('any')).not.toBeInstanceOf(ShopError)
  class QueueError extends errors.LockTimeoutError {}
  const timeout = { holder: 'c1:1', position: 2, waitedMs: 3 }
  expect(new QueueError('late', timeout)).toBeInstanceOf(errors.LockTimeoutError)
  expect(new errors.LockTimeoutError('late', timeout)).not.toBeInstanceOf(QueueError)
})
