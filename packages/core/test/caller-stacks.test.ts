import assert from 'node:assert/strict'
import { startRedis, uniqueName, until } from '@holdfast/testkit'
import { HoldfastError, LockLostError, type AcquireOptions, type Lease, type Lock } from '../src/index.js'
import { closeAll, openClient, openReadyClient, openRedisClient } from './support/clients.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()

afterEach(closeAll)

/** What the call fails with. The name of this function is what its stack must have. */
async function theCaller(call: () => unknown): Promise<HoldfastError> {
  try {
    await call()
  } catch (error) {
    assert(error instanceof HoldfastError)
    return error
  }
  throw new Error('expected a failure')
}

interface Attempt {
  readonly lock: Lock
  readonly options?: AcquireOptions
}

/** A lock that another client holds. */
async function heldElsewhere(): Promise<string> {
  const name = uniqueName('stack')
  await openClient(server.url).getLock(name).lock()
  return name
}

async function foreignKey(): Promise<Lock> {
  const name = uniqueName('stack')
  await openRedisClient(server.url).set(`lock:${name}`, 'theirs', 'PX', 60_000)
  return openClient(server.url).getLock(name)
}

const refusedLock = (): Lock =>
  openClient(server.url.replace('//', '//nobody:wrong@')).getLock(uniqueName('stack'))

const failures: [code: string, attempt: () => Promise<Attempt>][] = [
  [
    'UNAVAILABLE',
    async () => {
      const idle = await startRedis()
      await idle.stop()
      const lock = openClient(idle.url).getLock('stack')
      // A wait of 50 ms alone may end before a busy machine has found the server gone.
      await assert.rejects(lock.isLocked())
      return { lock, options: { waitMs: 50 } }
    },
  ],
  ['REFUSED', () => Promise.resolve({ lock: refusedLock() })],
  ['NOT_A_LOCK', async () => ({ lock: await foreignKey() })],
  [
    'TOO_MANY_WAITERS',
    async () => {
      const holdfast = openClient(server.url, { maxWaiters: 0 })
      return { lock: holdfast.getLock(await heldElsewhere()), options: { waitMs: 10_000 } }
    },
  ],
  [
    'REPLICATION',
    () => {
      const holdfast = openClient(server.url, { minReplicas: 1, replicaTimeoutMs: 20 })
      return Promise.resolve({ lock: holdfast.getLock(uniqueName('stack')) })
    },
  ],
  [
    'CLOSED',
    async () => {
      const holdfast = openClient(server.url)
      holdfast.once('waiting', () => void holdfast.close())
      return { lock: holdfast.getLock(await heldElsewhere()), options: { waitMs: 10_000 } }
    },
  ],
]

const ways: [way: string, (attempt: Attempt) => Promise<unknown>][] = [
  ['lock', ({ lock, options }) => lock.lock(options)],
  [
    'lock with a signal',
    ({ lock, options }) => lock.lock({ ...options, signal: new AbortController().signal }),
  ],
  ['tryLock', ({ lock, options }) => lock.tryLock(options)],
  ['withLock', ({ lock, options = {} }) => lock.withLock(options, () => 'not to be run')],
]

describe.each(failures)('the stack of a %s error names the caller that awaited', (code, attempt) => {
  it.each(ways)('%s', async (_, acquire) => {
    const given = await attempt()
    const error = await theCaller(() => acquire(given))
    expect(error.code).toBe(code)
    expect(error.stack).toMatch(new RegExp(`^${error.name}: `))
    expect(error.stack).toContain('theCaller')
  })
})

describe.each([
  ['REFUSED', () => Promise.resolve(refusedLock())],
  ['NOT_A_LOCK', foreignKey],
])('the stack of a %s error of a call that acquires nothing names the caller', (code, open) => {
  it.each([
    ['isLocked', (lock: Lock) => lock.isLocked()],
    ['remainingMs', (lock: Lock) => lock.remainingMs()],
    ['inspect', (lock: Lock) => lock.inspect()],
    ['forceUnlock', (lock: Lock) => lock.forceUnlock()],
  ])('%s', async (_, call) => {
    const lock = await open()
    const error = await theCaller(() => call(lock))
    expect(error.code).toBe(code)
    expect(error.stack).toContain('theCaller')
  })
})

it('callers that fail together at the first use have an error each, with a stack of its own', async () => {
  const lock = refusedLock()
  const aCaller = async (): Promise<unknown> => await theCaller(() => lock.lock())
  const another = async (): Promise<unknown> => await theCaller(() => lock.tryLock())
  const errors = await Promise.all([aCaller(), another()])
  expect(new Set(errors).size).toBe(2)
  expect(errors).toMatchObject([
    { stack: expect.stringContaining('aCaller') as unknown },
    { stack: expect.stringContaining('another') as unknown },
  ])
})

it('the reason of an abort is passed on untouched, even an error of ours', async () => {
  const lock = openClient(server.url).getLock(await heldElsewhere())
  const reason = new HoldfastError('the user left')
  const { stack } = reason
  const signal = AbortSignal.abort(reason)
  for (const [, acquire] of ways.filter(([way]) => way !== 'lock with a signal')) {
    expect(await theCaller(() => acquire({ lock, options: { signal } }))).toBe(reason)
  }
  expect(reason.stack).toBe(stack)
})

describe('a hold that was lost', () => {
  async function lostLease(): Promise<Lease> {
    const lock = (await openReadyClient(server.url)).getLock(uniqueName('stack'))
    const lease = await lock.lock({ leaseMs: 100 })
    await until(() => lease.signal.aborted)
    return lease
  }

  const uses: [use: string, (lease: Lease) => unknown][] = [
    ['assertHeld', (lease) => lease.assertHeld()],
    ['unlock', (lease) => lease.unlock()],
    ['extend', (lease) => lease.extend(1_000)],
    ['run', (lease) => lease.run(() => 'not to be run')],
  ]

  it.each(uses)('%s fails with an error of its own, whose stack names the caller', async (_, use) => {
    const lease = await lostLease()
    const error = await theCaller(() => use(lease))
    const recorded: unknown = lease.signal.reason
    assert(error instanceof LockLostError && recorded instanceof LockLostError)
    expect(error).not.toBe(recorded)
    expect(error.stack).toContain('theCaller')
    const { message, lockName, owner, reason } = recorded
    expect(error).toMatchObject({ message, lockName, owner, reason, cause: recorded })
  })

  const inLostHold = (use: (lock: Lock, lease: Lease) => Promise<unknown>): Promise<HoldfastError> => {
    const lock = openClient(server.url).getLock(uniqueName('stack'))
    return theCaller(() =>
      lock.withLock({ leaseMs: 100 }, async (lease) => {
        await until(() => lease.signal.aborted)
        return use(lock, lease)
      }),
    )
  }

  it.each(ways)('re-entry by %s names the caller', async (_, acquire) => {
    let seen: HoldfastError | undefined
    await inLostHold(async (lock) => {
      seen = await theCaller(() => acquire({ lock }))
    })
    expect(seen).toMatchObject({ code: 'LOCK_LOST', stack: expect.stringContaining('theCaller') as unknown })
  })

  it('the end of withLock names the caller, and the cause is the reason of the signal', async () => {
    let reason: unknown
    const error = await inLostHold((_, lease) => {
      reason = lease.signal.reason
      return Promise.resolve('too late')
    })
    expect(error).toMatchObject({ code: 'LOCK_LOST', result: 'too late', cause: reason })
    expect(error.stack).toContain('theCaller')
  })

  it('unlock in a scope names the caller', async () => {
    const holdfast = openClient(server.url)
    const lock = holdfast.getLock(uniqueName('stack'))
    const error = await holdfast.scope(async () => {
      const lease = await lock.lock({ leaseMs: 100 })
      await until(() => lease.signal.aborted)
      return theCaller(() => lock.unlock())
    })
    expect(error).toMatchObject({ code: 'LOCK_LOST', stack: expect.stringContaining('theCaller') as unknown })
  })
})

it('an error that the function of a scope throws names the caller of the scope', async () => {
  const holdfast = openClient(server.url)
  async function callsScope(): Promise<void> {
    await holdfast.scope(async () => {
      await Promise.resolve()
      throw new Error('from inside')
    })
  }
  const error: unknown = await callsScope().catch((thrown: unknown) => thrown)
  assert(error instanceof Error)
  expect(error.stack).toMatch(/at (async )?callsScope/)
})
