import { join } from 'node:path'
import { forkWorker, requirePassword, startRedis, uniqueName, until, soon } from '@holdfast/testkit'
import type { RedisServer } from '@holdfast/testkit'
import { RefusedError, UnavailableError } from '@holdfast/core'
import { closeAfterTest, closeAll, openClient, openProxy, type ClientOptions } from './support/clients.js'

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

describe('Redis does not reply at all', () => {
  it('tryLock of a client that never got a reply is on time too', async () => {
    await server.freeze()
    const { lock } = lockOn()
    const trying = errorOf(lock.tryLock({ waitMs: 500 }))
    const failure = await soon(trying)
    await server.thaw()
    expect(failure).toBeInstanceOf(UnavailableError)
  })
})

it('the connections for commands and for messages are made at the same time', async () => {
  const proxy = await openProxy(server)
  proxy.blackHole('toClient')
  const holdfast = openClient(proxy.url)
  const errors: unknown[] = []
  holdfast.on('error', (error) => errors.push(error))
  const locking = holdfast.getLock(uniqueName('outage')).lock()
  await until(() => proxy.connections === 2)
  proxy.heal()
  await (await locking).unlock()
  // None of them timed out before the other was made.
  expect(errors).toEqual([])
})

describe('many waiters and one outage', () => {
  it('are at most one error event per second, which says how many errors it stands for', async () => {
    await server.kill()
    const { holdfast, lock } = lockOn()
    const events: { at: number; count: number }[] = []
    holdfast.on('error', (error, summary) => {
      expect(error).toBeInstanceOf(UnavailableError)
      events.push({ at: performance.now(), count: summary?.count ?? 1 })
    })
    const waiters = Array.from({ length: 100 }, () => errorOf(lock.lock()))
    await until(() => events.length === 4)
    await holdfast.close()
    await Promise.all(waiters)
    const [first, ...more] = events
    expect(first?.count).toBe(1)
    // Each waiter has failed more than once.
    expect(more.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(200)
    // Not the last one: closing emits what was held back.
    const gaps = events.slice(1, 4).map(({ at }, n) => at - (events[n]?.at ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThan(950)
  })
})

describe('a program that cannot reach Redis', () => {
  const startProgram = async (...args: string[]) => {
    const worker = await forkWorker(join(__dirname, 'workers', 'unreachable.mjs'), { args })
    closeAfterTest(() => worker.kill())
    return worker
  }
  const warningsOf = ({ messages }: { messages: readonly { type: string }[] }) =>
    messages.filter(({ type }) => type === 'warning')

  it('is warned once if it listens to no errors: of what is not reached, and why', async () => {
    await server.kill()
    const { host, port } = server
    const worker = await startProgram(`redis://me:secret@${host}:${port}`)
    const { code, message } = await worker.waitFor('warning')
    expect(code).toBe('HOLDFAST_UNAVAILABLE')
    expect(message).toMatch(`Redis at ${host}:${port} is unavailable: connect ECONNREFUSED`)
    expect(message).not.toMatch('secret')
    await worker.send({ type: 'close' })
    await worker.waitFor('closed')
    expect(warningsOf(worker)).toHaveLength(1)
  })

  it('is not warned if it listens', async () => {
    await server.kill()
    const worker = await startProgram(server.url, 'listens')
    for (let errors = 0; errors < 2; errors++) await worker.waitFor('error')
    await worker.send({ type: 'close' })
    await worker.waitFor('closed')
    expect(warningsOf(worker)).toEqual([])
  })
})

describe('Redis becomes unreachable and comes back', () => {
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
      /could not reach the store within \d+ ms for lock .*; last error: .*ECONNREFUSED/,
    )
  })

  it('a multi lock says it once', async () => {
    await server.kill()
    const { holdfast } = lockOn()
    const error = await errorOf(holdfast.getMultiLock(['a', 'b']).lock({ waitMs: 500 }))
    expect(String(error)).toMatch(
      /could not reach the store within \d+ ms for (?!.*could not reach).*ECONNREFUSED/,
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
    expect(await soon(errorOf(lock.tryLock()))).toBeInstanceOf(UnavailableError)
  })
})

describe('a store that refuses commands for a while', () => {
  it('still gets the release of a waiter that gave up meanwhile, and the refusal names the object', async () => {
    const holder = openClient(server.url)
    const waiter = openClient(server.url)
    const name = uniqueName('refused')
    const semaphoreOf = (client: typeof holder) => client.getSemaphore(name, { permits: 1 })
    const errors: Error[] = []
    waiter.on('error', (error) => errors.push(error))
    const lease = await semaphoreOf(holder).acquire()
    const waiting = new Promise((resolve) => waiter.once('waiting', resolve))
    const stop = new AbortController()
    const wait = errorOf(semaphoreOf(waiter).acquire({ signal: stop.signal }))
    await waiting
    const required = await requirePassword(server)
    stop.abort(new Error('enough'))
    await wait
    const isOfSemaphore = ({ message }: Error) => message.startsWith(`semaphore ${name}: `)
    await until(() => errors.some((error) => error instanceof RefusedError && isOfSemaphore(error)))
    await required.heal()
    // Long before its queue entry would have expired.
    await until(
      async () => {
        const { waiters } = await semaphoreOf(holder).inspect()
        return waiters.length === 0
      },
      { timeoutMs: 5_000 },
    )
    await lease.release()
  })
})
