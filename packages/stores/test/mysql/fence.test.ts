import { fileURLToPath } from 'node:url'
import { Holdfast, InvalidArgumentError } from '@holdfast/core'
import { forkWorker, startMysql, type MysqlServer } from '@holdfast/testkit'
import { createConnection as createCallbackConnection } from 'mysql2'
import { createConnection, createPool, type Connection } from 'mysql2/promise'
import { migrationSql, mysql, type MysqlEngine } from '../../src/mysql/index.js'
import { describeFencing, failureOf, staleAndCurrent } from '../support/fencing.js'

let server: MysqlServer
let engine: MysqlEngine
let holdfast: Holdfast
let rival: Holdfast
const connections: { destroy(): void }[] = []

beforeAll(async () => {
  server = await startMysql()
  engine = mysql({ url: server.url })
  await server.query('create table stock (left_over int) engine=InnoDB')
  await server.query("create user app@'%'")
  await server.query('grant select, insert, update on app.* to app')
})

beforeEach(async () => {
  holdfast = new Holdfast({ engine })
  rival = new Holdfast({ engine })
  await server.query('delete from stock')
  await server.query('insert into stock values (10)')
})

afterEach(async () => {
  for (const connection of connections.splice(0)) connection.destroy()
  await Promise.all([holdfast.close(), rival.close()])
})

afterAll(() => server.stop())

/** A transaction of the application, as a user who may do no more than it has to. */
async function begin(
  isolation = 'repeatable read',
  url = server.urlOf({ user: 'app' }),
): Promise<Connection> {
  const connection = await createConnection(url)
  connections.push(connection)
  await connection.query(`set session transaction isolation level ${isolation}`)
  await connection.query('begin')
  return connection
}

async function left(client: Connection | MysqlServer): Promise<number> {
  const result = await client.query('select left_over from stock')
  const [first] = result as unknown as readonly unknown[]
  const row = Array.isArray(first) ? (first as unknown[])[0] : first
  return (row as { left_over: number }).left_over
}

/** Takes one, as a holder does that reads, computes and writes. */
async function takeOne(client: Connection): Promise<void> {
  await write(client, (await left(client)) - 1)
}

const write = (client: Connection, left: number): Promise<unknown> =>
  client.query('update stock set left_over = ?', [left])

const fencing =
  "select id from information_schema.processlist where info like 'insert into%' and user = 'app'"

describeFencing<Connection>({
  ...{ it, begin, left: (client) => left(client ?? server), write },
  ...{ engine: () => engine, holdfast: () => holdfast, rival: () => rival },
  isolations: ['read committed', 'repeatable read', 'serializable'],
  waiting: async () => (await server.query(fencing)).length,
  deadlock: { errno: 1213 },
})

it('a transaction that read before the last holder committed has to begin again, since it would go on reading that', async () => {
  const stale = await holdfast.getLock('stock').lock()
  const first = await begin()
  await stale.fence(first)
  await takeOne(first)
  await rival.getLock('stock').forceUnlock()
  const current = await rival.getLock('stock').lock()
  const second = await begin()
  expect(await left(second)).toBe(10)
  await first.query('commit')
  expect(await failureOf(current.fence(second))).toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringMatching(/reads what was there before .*: roll it back and begin again/) as string,
  })
  await second.query('rollback')
  await second.query('begin')
  await current.fence(second)
  expect(await left(second)).toBe(9)
})

it('a holder that was frozen until its lease was over is kept from writing after the next one', async () => {
  const worker = fileURLToPath(new URL('workers/holder.mjs', import.meta.url))
  await using stale = await forkWorker(worker, { args: [server.url] })
  await stale.waitFor('holds')
  await stale.freeze()
  const lease = await rival.getLock('stock').lock({ waitMs: 10_000 })
  const connection = await begin()
  await lease.fence(connection)
  await takeOne(connection)
  await connection.query('commit')
  await stale.send({ type: 'go' })
  stale.thaw()
  const { outcome } = await stale.waitFor('done')
  expect(outcome).toBe('LOCK_LOST')
  expect(await left(server)).toBe(9)
})

it('an innodb_lock_wait_timeout of the application ends the wait for another transaction', async () => {
  const [, current] = await staleAndCurrent(holdfast, rival)
  await current.fence(await begin())
  const second = await begin()
  await second.query('set innodb_lock_wait_timeout = 1')
  expect(await failureOf(current.fence(second))).toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringMatching(/another transaction that lock stock fences stays open/) as string,
  })
})

it('is refused outside a transaction, where each statement is one of its own', async () => {
  const lease = await holdfast.getLock('stock').lock()
  const connection = await begin()
  await connection.query('rollback')
  expect(await failureOf(lease.fence(connection))).toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringMatching(/^fence has to be called inside a transaction, after begin/) as string,
  })
  await connection.query('set autocommit = 0')
  await lease.fence(connection)
})

it('is refused in a read-only transaction, in another database, and without rights', async () => {
  const lease = await holdfast.getLock('stock').lock()
  const connection = await begin()
  await connection.query('rollback')
  await connection.query('start transaction read only')
  expect(await failureOf(lease.fence(connection))).toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: 'fence takes a transaction that may write, got a read-only one',
  })
  await server.query("create user stranger@'%'")
  await server.query('grant select on app.* to stranger')
  const stranger = await begin('read committed', server.urlOf({ user: 'stranger' }))
  expect(await failureOf(lease.fence(stranger))).toMatchObject({
    code: 'REFUSED',
    message: 'the user of the transaction needs SELECT, INSERT and UPDATE on app.holdfast',
  })
  await using other = await startMysql()
  expect(await failureOf(lease.fence(await begin('read committed', other.url)))).toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringMatching(
      /finds no table app.holdfast: fence takes a connection to the database of/,
    ) as string,
  })
  await other.query(migrationSql().split(';')[0] ?? '')
  expect(await failureOf(lease.fence(await begin('read committed', other.url)))).toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringMatching(/app.holdfast of this connection has other locks/) as string,
  })
})

it('takes connections with callbacks too, and wrappers of other libraries', async () => {
  const lease = await holdfast.getLock('stock').lock()
  const callbacks = createCallbackConnection(server.url)
  connections.push(callbacks)
  await callbacks.promise().query('begin')
  await lease.fence(callbacks as never)
  await callbacks.promise().query('rollback')
  const connection = await begin()
  // As those that resolve with the rows alone.
  await lease.fence({ query: async (text, values) => (await connection.query(text, values))[0] })
  await connection.query('rollback')
})

it.each([
  [undefined, /an object with query\(text, values\), got undefined: for mysql2 a connection/],
  [
    createPool('mysql://127.0.0.1:1/app'),
    /got a pool of mysql2, which may run each statement on another one/,
  ],
  [{ query: () => undefined }, /must return a promise of the reply of the database: return it/],
  [{ query: () => Promise.resolve() }, /must return a promise of the reply of the database: return it/],
])(
  'case %# in place of the connection of the transaction is refused by what it is',
  async (client, message) => {
    const lease = await holdfast.getLock('stock').lock()
    const error = await failureOf(
      Reflect.apply(lease.fence.bind(lease), undefined, [client]) as Promise<void>,
    )
    expect(error).toBeInstanceOf(InvalidArgumentError)
    expect(error).toMatchObject({ message: expect.stringMatching(message) as string })
  },
)

it('the engine takes the facts of a lease only while a client of it is open', async () => {
  const { kind, name, owner, fencingToken } = await holdfast.getLock('stock').lock()
  const unused = mysql({ url: server.url })
  expect(await failureOf(unused.fence(await begin(), { kind, name, owner, fencingToken }))).toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringMatching(/^fence needs an open client of this engine/) as string,
  })
})
