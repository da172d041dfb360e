import { inspect } from 'node:util'
import { isHoldfastError } from './errors.js'
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
  [new errors.UpgradeError('x'), 'UpgradeError', 'UPGRADE'],
  [new errors.LatchGoneError('x'), 'LatchGoneError', 'LATCH_GONE'],
  [new errors.UnavailableError('x'), 'UnavailableError', 'UNAVAILABLE'],
  [new errors.RefusedError('x'), 'RefusedError', 'REFUSED'],
  [new errors.ReplicationError('x', { wanted: 2, acknowledged: 1 }), 'ReplicationError', 'REPLICATION'],
  [new errors.TooManyWaitersError('x'), 'TooManyWaitersError', 'TOO_MANY_WAITERS'],
  [new errors.ClosedError('x'), 'ClosedError', 'CLOSED'],
  [new errors.InvalidArgumentError('x'), 'InvalidArgumentError', 'INVALID_ARGUMENT'],
] as const

it('the list here is complete', () => {
  const classes = Object.entries(errors).flatMap(([name, kind]) => ('code' in kind ? [name] : []))
  expect(all.map(([, name]) => name as string).sort()).toEqual(classes.sort())
})

describe.each(all)('%s', (error, name, code) => {
  it(`has the name ${name} and the code ${code}`, () => {
    expect(error.name).toBe(name)
    expect(error.code).toBe(code)
  })

  it('says its name first, in its stack and in logs, and shows nothing else that is not known', () => {
    expect(error.stack).toMatch(new RegExp(`^${name}: x\n`))
    expect(inspect(error)).toMatch(new RegExp(`^${name}: x\n`))
    expect(inspect(error)).not.toMatch(/undefined|Symbol|name:/)
  })

  it('is an instance of its own class, of the base and of Error, and of no other', () => {
    expect(error).toBeInstanceOf(Error)
    const kin = Object.values(errors).flatMap((kind) =>
      'code' in kind && error instanceof kind ? [kind.code] : [],
    )
    expect(kin.sort()).toEqual([...new Set([code, 'HOLDFAST'])].sort())
  })
})

it('an error keeps its cause, lock and owner', () => {
  const cause = new Error('why')
  const error = new errors.RefusedError('no', { cause, lockName: 'a', owner: 'c1:1' })
  expect(error).toMatchObject({ message: 'no', cause, lockName: 'a', owner: 'c1:1' })
})

it('an error without a cause has no property of that name', () =>
  expect(new errors.ClosedError('over')).not.toHaveProperty('cause'))

it('a timeout error has the holder, the queue position and the time waited', () => {
  const details = { lockName: 'a', holder: 'c1:1', position: 2, waitedMs: 300 }
  expect(new errors.LockTimeoutError('late', details)).toMatchObject(details)
})

it('a loss error has its reason and what the callback returned', () => {
  const error = new errors.LockLostError('lost', { reason: 'revoked', result: 42 })
  expect(error).toMatchObject({ reason: 'revoked', result: 42 })
})

it('a replication error has the numbers of wanted and acknowledging replicas', () => {
  expect(new errors.ReplicationError('behind', { wanted: 2, acknowledged: 1 })).toMatchObject({
    wanted: 2,
    acknowledged: 1,
  })
  const error = new errors.ReplicationError('behind', { wanted: 2, acknowledged: undefined })
  expect([error.wanted, error.acknowledged]).toEqual([2, undefined])
})

/** Compiles only because the code narrows the error to its class. */
function describeError(error: unknown): string {
  if (!isHoldfastError(error)) return 'not ours'
  switch (error.code) {
    case 'LOCK_TIMEOUT':
      return `position ${error.position} after ${error.waitedMs} ms`
    case 'LOCK_LOST':
      return error.reason
    case 'REPLICATION':
      return `${error.acknowledged ?? 0} of ${error.wanted}`
    case 'UNAVAILABLE':
    case 'REFUSED':
      return error.engine ?? 'no engine'
    case 'CLOSED':
    case 'HOLDFAST':
    case 'INVALID_ARGUMENT':
    case 'LATCH_GONE':
    case 'NOT_A_LOCK':
    case 'NOT_OWNER':
    case 'TOO_MANY_WAITERS':
    case 'UPGRADE':
      return error.lockName ?? 'no lock'
  }
}

it.each([
  [
    new errors.LockTimeoutError('late', { holder: 'c1:1', position: 2, waitedMs: 300 }),
    'position 2 after 300 ms',
  ],
  [new errors.LockLostError('lost', { reason: 'revoked' }), 'revoked'],
  [new errors.ReplicationError('behind', { wanted: 2, acknowledged: 1 }), '1 of 2'],
  [new errors.RefusedError('no', { engine: 'redis' }), 'redis'],
  [new errors.HoldfastError('other', { lockName: 'a' }), 'a'],
  [{ code: 'REFUSED' }, 'not ours'],
])('a switch on the code of %p narrows it to its class', (error, description) =>
  expect(describeError(error)).toBe(description),
)

it('JSON has name, code, message, lock, owner and figures, and the cause as text', () => {
  const cause = new TypeError('why')
  const details = { lockName: 'a', owner: 'c1:2', holder: 'c1:1', position: 2, waitedMs: 300, cause }
  expect(JSON.parse(JSON.stringify(new errors.LockTimeoutError('late', details)))).toEqual({
    ...details,
    name: 'LockTimeoutError',
    code: 'LOCK_TIMEOUT',
    message: 'late',
    cause: 'TypeError: why',
  })
})

it('JSON omits what is not known, and what a callback returned', () => {
  const error = new errors.LockLostError('lost', { reason: 'expired', result: { secret: 1n } })
  const { name, code, message, reason } = error
  expect(JSON.parse(JSON.stringify(error))).toEqual({ name, code, message, reason })
})

it.each([null, undefined, 'LOCK_LOST', { code: 'LOCK_LOST' }, new Error('LOCK_LOST'), () => undefined])(
  '%p is none of ours, whatever its code',
  (value) => {
    expect(value instanceof errors.LockLostError).toBe(false)
    expect(value instanceof errors.HoldfastError).toBe(false)
  },
)

it('a class that an application derives from one of ours has instances of its own only', () => {
  class ShopError extends errors.HoldfastError {}
  expect(new ShopError('shut')).toBeInstanceOf(ShopError)
  expect(new ShopError('shut')).toBeInstanceOf(errors.HoldfastError)
  expect(new errors.HoldfastError('any')).not.toBeInstanceOf(ShopError)
  class QueueError extends errors.LockTimeoutError {}
  const timeout = { holder: 'c1:1', position: 2, waitedMs: 3 }
  expect(new QueueError('late', timeout)).toBeInstanceOf(errors.LockTimeoutError)
  expect(new errors.LockTimeoutError('late', timeout)).not.toBeInstanceOf(QueueError)
})
