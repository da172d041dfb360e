import { RefusedError, UnavailableError } from '@holdfast/core'
import { killBackends, onOwnPostgres, startPostgres, until, type PostgresServer } from '@holdfast/testkit'
import { Clients, failureOf, nextEvent } from './support/clients.js'

const it = onOwnPostgres(globalThis.it)

let server: PostgresServer
const clients = new Clients()
const open = (watchdogTimeoutMs = 30_000) => clients.open({ url: server.url }, { watchdogTimeoutMs })

beforeEach(async () => {
  server = await startPostgres()
})

afterEach(async () => {
  await clients.closeAll()
  await server.stop()
})

/** A holder, and a waiter of another client behind it. */
async function holderAndWaiter() {
  const [holder, waiter] = [open(), open()]
  const lock = holder.holdfast.getLock('order')
  const lease = await lock.lock()
  const isWaiting = nextEvent(waiter.holdfast, 'waiting')
  const waiting = waiter.holdfast.getLock('order').lock()
  await isWaiting
  return { lock, lease, waiter, waiting }
}

it('when all connections are killed the hold stays, and the waiter gets in at the release', async () => {
  const { lock, lease, waiting } = await holderAndWaiter()
  expect(await killBackends(server)).toBeGreaterThanOrEqual(4)
  await until(async () => (await lock.inspect()).waiterCount === 1)
  expect(lease.isHeld).toBe(true)
  await lease.unlock()
  const next = await waiting
  expect(next.fencingToken).toBeGreaterThan(lease.fencingToken)
  await next.unlock()
})

it('a waiter whose connection for notifications was killed gets in once it listens again', async () => {
  const { lease, waiter, waiting } = await holderAndWaiter()
  const isDown = nextEvent(waiter.holdfast, 'error')
  expect(await killBackends(server, { lastStatement: 'select pg_try_advisory_lock%' })).toBe(2)
  await isDown
  await lease.unlock()
  await (await waiting).unlock()
})

it('a backend that dies takes the unlogged tables with it, and the holder learns it', async () => {
  const { lease, waiting } = await holderAndWaiter()
  const started = await server.query('select pg_postmaster_start_time()::text as at')
  const [{ pid } = {}] = await server.query(
    "select pid from pg_stat_activity where query like '%.acquire(%' limit 1",
  )
  process.kill(Number(pid), 'SIGKILL')
  await new Promise((resolve) => lease.signal.addEventListener('abort', resolve))
  expect(lease.isHeld).toBe(false)
  await (await waiting).unlock()
  expect(await failureOf(lease.unlock())).toMatchObject({ code: 'LOCK_LOST' })
  // The server says that nothing happened: only the tables know.
  expect(await server.query('select pg_postmaster_start_time()::text as at')).toEqual(started)
})

it('a count is set in tables that were emptied since the client connected', async () => {
  const latch = open().holdfast.getCountDownLatch('parts')
  await latch.trySetCount(1)
  await server.query('truncate holdfast.store, holdfast.latch, holdfast.latch_party')
  expect(await latch.trySetCount(1)).toBe(true)
})

it('without notifications a client says so, and still gets in', async () => {
  await server.query('create database elsewhere')
  const listenUrl = server.urlOf({ database: 'elsewhere' })
  const options = { watchdogTimeoutMs: 1_500, commandTimeoutMs: 500 }
  const { holdfast, warnings } = clients.open({ url: server.url, listenUrl }, options)
  const lease = await open().holdfast.getLock('order').lock()
  const waiting = holdfast.getLock('order').lock()
  await until(() => warnings.includes('NOTICE_REFUSED'))
  await lease.unlock()
  await (await waiting).unlock()
  expect(warnings).toEqual(['NOTICE_REFUSED'])
})

it('a standby is refused, and a client in use waits for its promotion', async () => {
  const { holdfast, errors } = open()
  const lock = holdfast.getLock('order')
  await lock.withLock(() => undefined)
  await server.restart({ crash: false, isStandby: true })
  const failure = await failureOf(open().holdfast.getLock('order').lock())
  expect(failure).toBeInstanceOf(RefusedError)
  expect(String(failure)).toContain('the server is a standby')
  const waiting = lock.lock()
  await until(() => errors.some(({ message }) => message.includes('standby')))
  await server.query('select pg_promote()')
  await (await waiting).unlock()
})

it('a client in use rejects calls that do not wait at once when nobody listens any more, and a wait goes on', async () => {
  const { holdfast } = clients.open({ url: server.url }, { commandTimeoutMs: 3_000 })
  const lock = holdfast.getLock('order')
  await lock.withLock(() => undefined)
  const isDown = nextEvent(holdfast, 'error')
  await server.kill()
  await isDown
  const waiting = lock.lock()
  for (const call of [lock.tryLock(), lock.inspect(), lock.tryLock({ waitMs: 300 })]) {
    const failure = await failureOf(call)
    expect(failure).toBeInstanceOf(UnavailableError)
    expect(String(failure)).toMatch(/PostgreSQL at \S+ is unavailable: connect ECONNREFUSED/)
  }
  await server.restart({ crash: true })
  await (await waiting).unlock()
})

it('a server that goes on not replying is said so once in each message', async () => {
  const { holdfast } = clients.open({ url: server.url }, { commandTimeoutMs: 1_100 })
  const lock = holdfast.getLock('order')
  await lock.withLock(() => undefined)
  await server.freeze()
  const failures = [String(await failureOf(lock.tryLock())), String(await failureOf(lock.tryLock()))]
  server.thaw()
  for (const text of failures) {
    expect(text).toContain(' did not reply within 1100 ms')
    expect(text.match(/did not reply/g)).toHaveLength(1)
  }
})
