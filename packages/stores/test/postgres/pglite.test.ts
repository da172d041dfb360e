import { PGlite } from '@electric-sql/pglite'
import { UnavailableError, type Lease } from '@holdfast/core'
import { uniqueName, until } from '@holdfast/testkit'
import { postgres } from '../../src/postgres/index.js'
import { Clients, failureOf, nextEvent } from './support/clients.js'

/** PostgreSQL compiled to WebAssembly takes a while to begin with an empty database. */
const startTimeoutMs = 120_000

let database: PGlite
let name: string
const clients = new Clients()
const open = () => clients.open({ pglite: database }).holdfast

beforeAll(async () => {
  database = await PGlite.create()
}, startTimeoutMs)

beforeEach(() => {
  name = uniqueName('pglite')
})

afterEach(() => clients.closeAll())
afterAll(() => database.close())

/** A queue entry for the lock that is held now, of a client that listens on this channel, or did so once. */
async function enqueue(owner: string, channel: string): Promise<void> {
  await database.query(
    "select * from holdfast.acquire($1, $2, 1, 60000, 60000, 60000, $3, '0', 0, 'proof')",
    [name, owner, channel],
  )
}

/** The same for a permit of a semaphore of one. */
async function enqueueForPermit(owner: string, channel: string): Promise<void> {
  await database.query(
    "select * from holdfast.acquire_shared($1, $2, 1, 1, 60000, 60000, 60000, $3, '0', 0, 'proof')",
    [`\\semaphore ${name}`, owner, channel],
  )
}

const holderOf = async (): Promise<string | undefined> => (await open().getLock(name).inspect()).holder?.owner

it('a waiter whose client has gone is passed over, and the one behind it gets in', async () => {
  const lease = await open().getLock(name).lock()
  await enqueue('gone:1', 'holdfast:gone')
  const next = open()
  const isWaiting = nextEvent(next, 'waiting')
  const waiting = next.getLock(name).lock()
  expect(await isWaiting).toMatchObject({ position: 2 })
  // It fails when another is let in instead, and that ends the test.
  waiting.catch(() => undefined)
  await lease.unlock()
  expect(await holderOf()).not.toBe('gone:1')
  await (await waiting).unlock()
  expect(await holderOf()).toBeUndefined()
})

it('a waiter for a permit whose client has gone is passed over, and the one behind it gets in', async () => {
  const permit = await open().getSemaphore(name, { permits: 1 }).acquire()
  await enqueueForPermit('gone:1', 'holdfast:gone')
  const next = open()
  const isWaiting = nextEvent(next, 'waiting')
  const waiting = next.getSemaphore(name, { permits: 1 }).acquire()
  expect(await isWaiting).toMatchObject({ position: 2 })
  waiting.catch(() => undefined)
  await permit.release()
  expect((await database.query("select from holdfast.shared_hold where owner = 'gone:1'")).rows).toEqual([])
  await (await waiting).release()
})

it('a waiter whose client listens is not passed over', async () => {
  const lease = await open().getLock(name).lock()
  const messages: string[] = []
  const receive = (message: string): void => void messages.push(message)
  await database.listen('"holdfast:there"', receive)
  await enqueue('there:1', 'holdfast:there')
  await lease.unlock()
  expect(await holderOf()).toBe('there:1')
  await until(() => messages.some((message) => message.startsWith('granted there:1 ')))
  await database.unlisten('"holdfast:there"', receive)
})

it('a client that is closed leaves nothing in the session, and the next waiter gets in', async () => {
  const [holdfast, closing, next] = [open(), open(), open()]
  const lease = await holdfast.getLock(name).lock()
  const isWaiting = nextEvent(closing, 'waiting')
  const abandoned = failureOf(closing.getLock(name).lock())
  await isWaiting
  await closing.close()
  expect(await abandoned).toMatchObject({ code: 'CLOSED' })
  const waiting = next.getLock(name).lock()
  await lease.unlock()
  await (await waiting).unlock()
  await clients.closeAll()
  const left = await database.query(
    "select from pg_listening_channels() union all select from pg_locks where locktype = 'advisory'",
  )
  expect(left.rows).toEqual([])
})

it('steps wait for a transaction of the application, and are no part of it', async () => {
  const lock = open().getLock(name)
  await lock.withLock(() => undefined)
  let waiting: Promise<Lease> | undefined
  await database.transaction(async (transaction) => {
    waiting = lock.lock()
    await transaction.query('select 1')
    await transaction.rollback()
  })
  const lease = await waiting
  expect(await holderOf()).toBe(lease?.owner)
})

it(
  'a database that was closed is unavailable, and its clients can be closed',
  async () => {
    const other = await PGlite.create()
    const { holdfast, errors } = clients.open({ pglite: other })
    await holdfast.getLock(name).withLock(() => undefined)
    await other.close()
    const failure = await failureOf(holdfast.getLock(name).tryLock({ waitMs: 200 }))
    expect(failure).toBeInstanceOf(UnavailableError)
    expect(String(failure)).toContain('PGlite')
    await holdfast.close()
    expect(errors.every((error) => error instanceof UnavailableError)).toBe(true)
  },
  startTimeoutMs,
)

describe('fence', () => {
  const engine = () => postgres({ pglite: database })

  beforeAll(async () => {
    await database.exec('create table stock (items_left int)')
  })

  beforeEach(async () => {
    await database.exec('truncate stock; insert into stock values (10)')
  })

  const itemsLeft = async (): Promise<unknown> =>
    (await database.query<{ items_left: number }>('select items_left from stock')).rows[0]?.items_left

  it('a transaction of the current holder commits', async () => {
    const lease = await open().getLock(name).lock()
    await database.transaction(async (transaction) => {
      await engine().fence(transaction, lease)
      await transaction.query('update stock set items_left = items_left - 1')
    })
    expect(await itemsLeft()).toBe(9)
  })

  it('a transaction of a holder that lost its lock fails, and changes nothing', async () => {
    const stale = await open().getLock(name).lock()
    const rival = open().getLock(name)
    await rival.forceUnlock()
    await rival.lock()
    const changing = database.transaction(async (transaction) => {
      await transaction.query('update stock set items_left = items_left - 1')
      await engine().fence(transaction, stale)
    })
    expect(await failureOf(changing)).toMatchObject({ code: 'LOCK_LOST', owner: stale.owner })
    expect(await itemsLeft()).toBe(10)
  })

  it('takes the transaction, not the database, which would wait for it', async () => {
    const lease = await open().getLock(name).lock()
    const failure = await failureOf(database.transaction(() => engine().fence(database, lease)))
    expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(String(failure)).toContain('the transaction of PGlite')
  })
})
