import { startRedis, uniqueName, until } from '@holdfast/testkit'
import type { RedisServer } from '@holdfast/testkit'
import { UnavailableError } from '@holdfast/core'
import { closeAfterTest, closeAll, openClient, type ClientOptions } from './support/clients.js'
import { timed } from './support/timed.js'

let server: RedisServer

beforeEach(async () => {
  server = await startRedis()
  closeAfterTest(() => server.stop())
})

afterEach(closeAll)

const lockOn = (options?: ClientOptions) => {
  const holdfast = openClient(server.url, options)
  return { holdfast, lock: holdfast.getLock(uniqueName('outage')) }
}

const errorOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)

describe('Redis does not answer at all', () => {
  it('tryLock of a client that never got an answer is on time too', async () => {
    await server.freeze()
    const { lock } = lockOn()
    const { result, tookMs } = await timed(errorOf(lock.tryLock({ waitMs: 500 })))
    await server.thaw()
    expect(result).toBeInstanceOf(UnavailableError)
    expect(tookMs).toBeLessThan(800)
  })
})

describe('Redis goes away and comes back', () => {
  it('an unlimited wait outlives the outage and reports what is wrong during it', async () => {
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

  it('an unlimited wait may begin before Redis is there', async () => {
    await server.kill()
    const { lock } = lockOn()
    const waiting = lock.lock()
    await server.restart()
    await (await waiting).unlock()
  })

  it('a wait that ends during the outage says what is wrong, and from which error it knows', async () => {
    await server.kill()
    const { lock } = lockOn()
    const error = await errorOf(lock.lock({ waitMs: 500 }))
    expect(error).toBeInstanceOf(UnavailableError)
    expect(error).toMatchObject({ lockName: lock.name, cause: { code: 'UNAVAILABLE' } })
    expect(String(error)).toMatch(
      /could not reach redis within \d+ ms for lock .*; last error: .*ECONNREFUSED/,
    )
  })

  it('a call whose connection breaks says so, and names only options that exist', async () => {
    const { lock } = lockOn()
    await lock.withLock(() => undefined)
    await server.freeze()
    const attempt = errorOf(lock.tryLock())
    await server.kill()
    const error = await attempt
    expect(error).toBeInstanceOf(UnavailableError)
    expect(String(error)).toMatch(/the connection broke before an answer came|ECONNRESET|ECONNREFUSED/)
  })

  it('a single attempt says at once that nothing listens', async () => {
    const { lock } = lockOn()
    await lock.withLock(() => undefined)
    await server.kill()
    const { result, tookMs } = await timed(errorOf(lock.tryLock()))
    expect(result).toBeInstanceOf(UnavailableError)
    expect(tookMs).toBeLessThan(2000)
  })
})
