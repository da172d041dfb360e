import { startRedis, uniqueName, until } from '@holdfast/testkit'
import type { RedisServer } from '@holdfast/testkit'
import { LockLostError, UnavailableError } from '@holdfast/core'
import type { HoldfastOptions } from '@holdfast/core'
import { closeAfterTest, closeAll, openHoldfast } from './support/clients.js'

let server: RedisServer

beforeEach(async () => {
  server = await startRedis()
  closeAfterTest(() => server.stop())
})

afterEach(closeAll)

const lockOn = (options?: Omit<HoldfastOptions, 'redis'>) => {
  const { holdfast } = openHoldfast(server.url, options)
  return { holdfast, lock: holdfast.getLock(uniqueName('outage')) }
}

async function timed<T>(work: Promise<T>): Promise<{ result: T | Error; tookMs: number }> {
  const startedAt = performance.now()
  const result = await work.catch((error: unknown) =>
    error instanceof Error ? error : new Error(String(error)),
  )
  return { result, tookMs: performance.now() - startedAt }
}

describe('Redis does not answer at all', () => {
  test('tryLock answers on time: nobody was known to hold the lock', async () => {
    const { lock } = lockOn()
    await lock.withLock(() => undefined)
    await server.freeze()
    const { result, tookMs } = await timed(lock.tryLock({ waitMs: 500 }))
    await server.thaw()
    expect(result).toBeInstanceOf(UnavailableError)
    expect(tookMs).toBeGreaterThanOrEqual(499)
    expect(tookMs).toBeLessThan(800)
  })

  test('tryLock of a client that never got an answer is on time too', async () => {
    await server.freeze()
    const { lock } = lockOn()
    const { result, tookMs } = await timed(lock.tryLock({ waitMs: 500 }))
    await server.thaw()
    expect(result).toBeInstanceOf(UnavailableError)
    expect(tookMs).toBeLessThan(800)
  })

  test('tryLock answers null on time when somebody was known to hold the lock', async () => {
    const { holdfast, lock } = lockOn()
    await using _held = await lock.lock()
    const waiting = timed(lock.tryLock({ waitMs: 500 }))
    await until(() => holdfast.stats().waiters === 1)
    await server.freeze()
    const { result, tookMs } = await waiting
    await server.thaw()
    expect(result).toBeNull()
    expect(tookMs).toBeLessThan(800)
  })

  test('a single attempt gives up after commandTimeoutMs', async () => {
    const { lock } = lockOn({ commandTimeoutMs: 300 })
    await lock.withLock(() => undefined)
    await server.freeze()
    const { result, tookMs } = await timed(lock.tryLock())
    await server.thaw()
    expect(result).toBeInstanceOf(UnavailableError)
    expect(tookMs).toBeLessThan(600)
  })

  test('re-entry keeps its time limit as well', async () => {
    const { lock } = lockOn()
    await lock.withLock(async () => {
      await server.freeze()
      const { result, tookMs } = await timed(lock.tryLock({ waitMs: 400 }))
      await server.thaw()
      expect(result).toBeInstanceOf(UnavailableError)
      expect(tookMs).toBeLessThan(700)
    })
    expect(await lock.isLocked()).toBe(false)
  })

  test('an attempt that was given up leaves nothing behind once Redis answers again', async () => {
    const { lock } = lockOn()
    await lock.withLock(() => undefined)
    await server.freeze()
    await expect(lock.tryLock({ waitMs: 200 })).rejects.toBeInstanceOf(UnavailableError)
    await server.thaw()
    await until(async () => (await lock.inspect()).waiterCount === 0)
    await until(async () => !(await lock.isLocked()))
    await using lease = await lock.lock({ waitMs: 1000 })
    expect(lease.isHeld).toBe(true)
  })

  test('unlock settles by the deadline, and withLock keeps its value', async () => {
    const { holdfast, lock } = lockOn({ watchdogTimeoutMs: 900 })
    const warnings: string[] = []
    holdfast.on('warning', ({ code }) => warnings.push(code))
    const { result, tookMs } = await timed(
      lock.withLock(async () => {
        await server.freeze()
        return 'kept'
      }),
    )
    await server.thaw()
    expect(result).toBe('kept')
    expect(tookMs).toBeLessThan(1300)
    expect(warnings).toContain('RELEASE_UNCONFIRMED')
  })

  test('neither waits for a nested call or an extension that Redis does not answer', async () => {
    const { lock } = lockOn()
    const { result, tookMs } = await timed(
      lock.withLock({ leaseMs: 1000 }, async (lease) => {
        await server.freeze()
        lease.extend(5000).catch(() => undefined)
        lock.lock({ signal: AbortSignal.timeout(50) }).catch(() => undefined)
        return 'kept'
      }),
    )
    await server.thaw()
    expect(result).toBe('kept')
    expect(tookMs).toBeLessThan(1600)
  })

  test('a callback that runs past the deadline has lost its hold', async () => {
    const { lock } = lockOn({ watchdogTimeoutMs: 600 })
    const { result } = await timed(
      lock.withLock(async (lease) => {
        await server.freeze()
        await until(() => lease.signal.aborted)
        return 'too late'
      }),
    )
    await server.thaw()
    expect(result).toBeInstanceOf(LockLostError)
    expect(result).toMatchObject({ reason: 'expired', result: 'too late' })
  })
})

describe('Redis goes away and comes back', () => {
  test('an unlimited wait outlives the outage and says what is wrong meanwhile', async () => {
    const { holdfast, lock } = lockOn()
    const errors: Error[] = []
    holdfast.on('error', (error) => errors.push(error))
    await lock.withLock(() => undefined)
    await server.kill()
    const waiting = lock.lock()
    await until(() => errors.length > 0)
    await server.restart()
    expect((await waiting).isHeld).toBe(true)
    expect(errors[0]).toBeInstanceOf(UnavailableError)
    await (await waiting).unlock()
  })

  test('an unlimited wait may begin before Redis is there', async () => {
    await server.kill()
    const { lock } = lockOn()
    const waiting = lock.lock()
    await server.restart()
    await (await waiting).unlock()
  })

  test('a holder learns from a restarted empty server that its hold is gone', async () => {
    const { lock } = lockOn()
    const lease = await lock.lock()
    await server.restart({ empty: true })
    await until(() => lease.signal.aborted)
    expect(lease.signal.reason).toMatchObject({ reason: 'not-held' })
  })

  test('a wait that ends meanwhile says what is wrong, and from which error it knows', async () => {
    await server.kill()
    const { lock } = lockOn()
    const error: unknown = await lock.lock({ waitMs: 500 }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UnavailableError)
    expect(error).toMatchObject({ lockName: lock.name, cause: { code: 'UNAVAILABLE' } })
    expect(String(error)).toMatch(
      /could not reach redis within \d+ ms for lock .*; last error: .*ECONNREFUSED/,
    )
  })

  test('a call whose connection breaks says so, and names no option that nobody can set', async () => {
    const { lock } = lockOn()
    await lock.withLock(() => undefined)
    await server.freeze()
    const attempt = lock.tryLock().catch((thrown: unknown) => thrown)
    await server.kill()
    const error = await attempt
    expect(error).toBeInstanceOf(UnavailableError)
    expect(String(error)).toMatch(/the connection broke before an answer came|ECONNRESET|ECONNREFUSED/)
  })

  test('a single attempt says at once that nothing listens', async () => {
    const { lock } = lockOn()
    await lock.withLock(() => undefined)
    await server.kill()
    const { result, tookMs } = await timed(lock.tryLock())
    expect(result).toBeInstanceOf(UnavailableError)
    expect(tookMs).toBeLessThan(2000)
  })
})
