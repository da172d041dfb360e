import { InvalidArgumentError, LockLostError, RefusedError } from '@holdfast/core'
import { onOwnPostgres, startPostgres, type PostgresServer } from '@holdfast/testkit'
import { Client, type DatabaseError } from 'pg'
import { Holdfast } from '@holdfast/core'
import { migrationSql, postgres, type PostgresEngine } from '../../src/postgres/index.js'
import { describeFencing, staleAndCurrent } from '../support/fencing.js'
import { failureOf } from './support/clients.js'

const it = onOwnPostgres(globalThis.it)

let server: PostgresServer
let engine: PostgresEngine
let holdfast: Holdfast
let rival: Holdfast
const connections: Client[] = []

beforeAll(async () => {
  server = await startPostgres()
  engine = postgres({ url: server.url })
  await server.query('create table stock (left_over int)')
  await server.query('create role app login')
  await server.query(migrationSql({ role: 'app' }))
  await server.query('grant select, insert, update on stock to app')
})

beforeEach(async () => {
  holdfast = new Holdfast({ engine })
  rival = new Holdfast({ engine })
  await server.query('delete from stock')
  await server.query('insert into stock values (10)')
})

afterEach(async () => {
  await Promise.all(connections.splice(0).map((client) => client.end()))
  await Promise.all([holdfast.close(), rival.close()])
})

afterAll(() => server.stop())

/** A transaction of the application, as a role that may do no more than it has to. */
const begin = (isolation = 'read committed'): Promise<Client> =>
  beginOn({ connectionString: server.urlOf({ role: 'app' }) }, isolation)

async function beginOn(config: object, isolation = 'read committed'): Promise<Client> {
  const client = new Client(config)
  client.on('error', () => undefined)
  connections.push(client)
  await client.connect()
  await client.query(`begin isolation level ${isolation}`)
  return client
}

const left = async (client: Client | PostgresServer): Promise<number> => {
  const result = await client.query('select left_over from stock')
  const [row] = 'rows' in result ? (result.rows as Record<string, unknown>[]) : result
  return Number(row?.['left_over'])
}

const fencing = "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%.fence(%'"

describeFencing<Client>({
  ...{ it, begin, left: (client) => left(client ?? server) },
  write: (client, left) => client.query('update stock set left_over = $1', [left]),
  ...{ engine: () => engine, holdfast: () => holdfast, rival: () => rival },
  isolations: ['read committed'],
  waiting: async () => (await server.query(fencing)).length,
  deadlock: { code: '40P01' },
})

it('whoever loses its lock while it waits for another transaction can roll back before that one is over', async () => {
  const [stale, current] = await staleAndCurrent(holdfast, rival)
  const first = await begin()
  await current.fence(first)
  await current.unlock()
  const next = await rival.getLock('stock').lock({ leaseMs: 1_000 })
  const second = await begin()
  expect(await failureOf(next.fence(second))).toBeInstanceOf(LockLostError)
  await second.query('rollback')
  expect(await failureOf(stale.fence(first))).toBeInstanceOf(LockLostError)
})

it('a lock_timeout of the application ends the wait for another transaction', async () => {
  const [, current] = await staleAndCurrent(holdfast, rival)
  await current.fence(await begin())
  const second = await begin()
  await second.query(`set local lock_timeout = '100ms'`)
  expect(await failureOf(current.fence(second))).toMatchObject({ code: '55P03' })
})

it.each(['repeatable read', 'serializable'])(
  'at isolation level %s a holder that began before the last one committed has to begin again',
  async (isolation) => {
    const stale = await holdfast.getLock('stock').lock()
    const first = await begin()
    await stale.fence(first)
    await rival.getLock('stock').forceUnlock()
    const current = await rival.getLock('stock').lock()
    const second = await begin(isolation)
    await left(second)
    await first.query('commit')
    expect(await failureOf(current.fence(second))).toMatchObject({ code: '40001' })
  },
)

it('is refused outside a transaction, where it would protect nothing', async () => {
  const lease = await holdfast.getLock('stock').lock()
  const client = await begin()
  await client.query('rollback')
  expect(await failureOf(lease.fence(client))).toMatchObject({ code: 'INVALID_ARGUMENT' })
})

it('is refused in a read-only transaction', async () => {
  const client = await begin('read committed read only')
  const lease = await holdfast.getLock('stock').lock()
  expect(await failureOf(lease.fence(client))).toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: 'fence takes a transaction that may write, got a read-only one',
  })
})

it('in another database, or with a role without rights, is refused with what to give', async () => {
  const lease = await holdfast.getLock('stock').lock()
  await server.query('create database other')
  await server.query('create role stranger login')
  const other = { connectionString: server.urlOf({ database: 'other' }) }
  expect(await failureOf(lease.fence(await beginOn(other)))).toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringMatching(
      /^database other has no locks in schema holdfast: fence takes a client of the database of the locks, /,
    ) as string,
  })
  const migrating = new Client(other)
  await migrating.connect()
  await migrating.query(migrationSql())
  await migrating.end()
  const lost = await failureOf(lease.fence(await beginOn(other)))
  expect(lost).toBeInstanceOf(LockLostError)
  expect(lost).toMatchObject({
    message: expect.stringMatching(
      /does not hold lock stock .* in database other: roll .*; fence takes/,
    ) as string,
  })
  const stranger = { connectionString: server.urlOf({ role: 'stranger' }) }
  const refused = await failureOf(lease.fence(await beginOn(stranger)))
  expect(refused).toBeInstanceOf(RefusedError)
  expect(refused).toMatchObject({ message: expect.stringContaining('see migrationSql({ role })') as string })
})

it.each([
  [undefined, /an object with query\(text, values\), got undefined: for pg a Client/],
  ['begin', /got a string: /],
  [{ query: 1, totalCount: 1 }, /got a pool of pg.*: for pg/],
  [
    { query: () => undefined, totalCount: 1 },
    /got a pool of pg, which may run each statement on another connection: /,
  ],
])('%p in place of the client of the transaction is refused by what it is', async (client, message) => {
  const lease = await holdfast.getLock('stock').lock()
  const error = await failureOf(Reflect.apply(lease.fence.bind(lease), undefined, [client]) as Promise<void>)
  expect(error).toBeInstanceOf(InvalidArgumentError)
  expect(error).toMatchObject({ message: expect.stringMatching(message) as string })
  expect(error).not.toMatchObject({ message: expect.stringContaining('PGlite') as string })
})

it('a client of pg that was never connected, and would never reply, is refused at once', async () => {
  const lease = await holdfast.getLock('stock').lock()
  const error = await failureOf(lease.fence(new Client({ connectionString: server.url })))
  expect(error).toBeInstanceOf(InvalidArgumentError)
  expect(String(error)).toContain('a client of pg that was never connected: await client.connect(), begin')
})

it('waiting for the transaction of another holder ends when the lease is lost', async () => {
  const earlier = await holdfast.getLock('stock').lock()
  await earlier.fence(await begin())
  await rival.getLock('stock').forceUnlock()
  const current = await rival.getLock('stock').lock({ leaseMs: 500 })
  const error = await failureOf(current.fence(await begin()))
  expect(error).toMatchObject({ code: 'LOCK_LOST', reason: 'ended', owner: current.owner })
})

/** What Prisma 7 throws: its driver adapter wraps the error in a plain object. */
const asPrisma = ({ code, severity, message }: DatabaseError): Error =>
  Object.assign(new Error('Raw query failed'), {
    code: 'P2010',
    meta: {
      driverAdapterError: new Error(message, { cause: { originalCode: code, code, severity, message } }),
    },
  })

it.each([
  ['as a cause', (cause: unknown) => new Error('Failed query', { cause: new Error('driver', { cause }) })],
  ['beside other facts', asPrisma],
])('a loss is told as one, if a query builder has wrapped the error of the database: %s', async (_, wrap) => {
  const [stale] = await staleAndCurrent(holdfast, rival)
  const client = await begin()
  const query = (text: string, values: unknown[]): Promise<unknown> =>
    client.query(text, values).catch((error: unknown) => {
      throw wrap(error as DatabaseError)
    })
  expect(await failureOf(stale.fence({ query }))).toBeInstanceOf(LockLostError)
})

it('a wrapper of a client always gets values, an empty list too', async () => {
  const client = await begin()
  const lease = await holdfast.getLock('stock').lock()
  const given: unknown[] = []
  await lease.fence({
    query: (text, values) => {
      given.push(values)
      return client.query(text, values)
    },
  })
  expect(given).toEqual([[], [expect.any(String), lease.owner, lease.fencingToken]])
})

it.each([
  ['returns no promise', (): Promise<unknown> => undefined as never, 'must return a promise, got undefined'],
  [
    'does not wait for the database',
    (): Promise<unknown> => Promise.resolve(undefined),
    'must resolve with the reply of the database, got undefined',
  ],
])('a wrapper that %s is refused: nobody could wait for the fence', async (_, query, told) => {
  const lease = await holdfast.getLock('stock').lock()
  expect(await failureOf(lease.fence({ query }))).toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringContaining(`${told}: return it`) as string,
  })
})

it('a transaction under a multi lock fails if one of the locks is lost', async () => {
  const multi = await holdfast.getMultiLock(['stock', 'orders']).lock()
  const first = await begin()
  await multi.fence(first)
  await first.query('commit')
  await rival.getLock('orders').forceUnlock()
  const second = await begin()
  expect(await failureOf(multi.fence(second))).toMatchObject({ code: 'LOCK_LOST', lockName: 'orders' })
  expect(await failureOf(second.query('select 1'))).toMatchObject({ code: '25P02' })
})
