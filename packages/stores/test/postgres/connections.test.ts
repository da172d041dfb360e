import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import {
  forkWorker,
  onOwnPostgres,
  startPostgres,
  startProxy,
  until,
  watchResources,
  type PostgresServer,
} from '@holdfast/testkit'
import { UnavailableError } from '@holdfast/core'
import { Client } from 'pg'
import { Migration } from '../../src/postgres/migrate.js'
import { resolveOptions } from '../../src/postgres/options.js'
import { Clients, failureOf } from './support/clients.js'

const it = onOwnPostgres(globalThis.it)

let server: PostgresServer
const clients = new Clients()
const sessions: Client[] = []

beforeAll(async () => {
  server = await startPostgres()
  await server.query('create role stranger login')
  await server.query("create role hasty superuser login; alter role hasty set statement_timeout = '200ms'")
})

afterEach(async () => {
  await clients.closeAll()
  await Promise.all(sessions.splice(0).map((session) => session.end()))
})

afterAll(() => server.stop())

async function inDatabase(database: string, role = 'postgres'): Promise<string> {
  await server.query(`create database ${database}`)
  return server.urlOf({ database, role })
}

/** A session of somebody else that runs the SQL and stays. */
async function sessionThat(sql: string, connectionString: string): Promise<Client> {
  const session = new Client({ connectionString })
  sessions.push(session)
  await session.connect()
  await session.query(sql)
  return session
}

/** The connections of a database whose last statement is such, by the ids of their processes. */
const backends = async (database: string, statement: string): Promise<unknown[]> => {
  const rows = await server.query('select pid from pg_stat_activity where datname = $1 and query like $2', [
    database,
    statement,
  ])
  return rows.map(({ pid }) => pid)
}
const migrating = 'begin;%$migrate$%'

describe('a migration', () => {
  it('is not held up by a role that has no rights', async () => {
    await inDatabase('strangers')
    // An advisory lock would be for all to take, as the one with this key once was.
    await sessionThat(
      'select pg_advisory_lock(29395908909493610)',
      server.urlOf({ database: 'strangers', role: 'stranger' }),
    )
    const { holdfast } = clients.open({ url: server.urlOf({ database: 'strangers' }) })
    expect(await holdfast.getLock('order').withLock({ waitMs: 5_000 }, () => 'in')).toBe('in')
  })

  it('that is held up has one connection, however often the client reconnects, and none after close()', async () => {
    const url = await inDatabase('held_up')
    const blocker = await sessionThat('begin; create schema holdfast', url)
    const watch = watchResources()
    const { holdfast } = clients.open({ url }, { commandTimeoutMs: 200 })
    const waiting = failureOf(holdfast.getLock('order').lock())
    const seen = new Set<unknown>()
    await until(async () => {
      for (const pid of await backends('held_up', '%.hello()')) seen.add(pid)
      return seen.size >= 4
    })
    expect(await backends('held_up', migrating)).toHaveLength(1)
    await holdfast.close()
    expect(await waiting).toMatchObject({ code: 'CLOSED' })
    await watch.expectNone()
    await blocker.query('rollback')
  })

  it('that is held up ends at its limit, on the server too', async () => {
    const url = await inDatabase('limited')
    await sessionThat('begin; create schema holdfast', url)
    const limits = { connectTimeoutMs: 5_000, limitMs: 500 }
    const failure = await failureOf(new Migration(resolveOptions({ url }), limits).run('nothing'))
    expect(failure).toMatchObject({ code: 'UNAVAILABLE' })
    expect(String(failure)).toContain(
      'schema holdfast could not be created or brought up to date within 500 ms',
    )
    await until(async () => (await backends('limited', migrating)).length === 0)
  })

  it('may take longer than a statement of its role', async () => {
    const url = await inDatabase('slow', 'hasty')
    await sessionThat(
      `create function be_slow() returns event_trigger language plpgsql as 'begin perform pg_sleep(0.4); end';
       create event trigger slow on ddl_command_end when tag in ('CREATE SCHEMA') execute function be_slow()`,
      server.urlOf({ database: 'slow' }),
    )
    const { holdfast } = clients.open({ url })
    expect(await holdfast.getLock('order').withLock({ waitMs: 4_000 }, () => 'in')).toBe('in')
  })
})

/** A server that accepts connections, and what it then does. */
async function listening(
  onConnection: Parameters<typeof createServer>[1],
): Promise<Server & AsyncDisposable> {
  const listener = createServer(onConnection)
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return Object.assign(listener, {
    [Symbol.asyncDispose]: async () => {
      listener.close()
      await once(listener, 'close')
    },
  })
}

const portOf = (listener: Server): number => (listener.address() as AddressInfo).port

it('close() while a silent server is connected to leaves nothing that keeps the process alive', async () => {
  const sockets = new Set<unknown>()
  await using silent = await listening((socket) => sockets.add(socket.resume()))
  const worker = await forkWorker(join(__dirname, 'workers/close-while-connecting.mjs'), {
    args: [`postgres://postgres@127.0.0.1:${portOf(silent)}/postgres`],
  })
  await until(() => sockets.size >= 1)
  await worker.send({ type: 'close' })
  expect(await worker.waitFor('closed')).toMatchObject({ code: 'CLOSED', left: [] })
  expect(await worker.exited).toEqual({ code: 0, signal: null })
})

it.each([
  [
    'throws',
    () => {
      throw new Error('no route to the database')
    },
    'no route to the database',
  ],
  ['returns a promise', () => Promise.resolve(), 'must return a Socket or a stream like it, got a promise'],
])(
  'a stream of the application that %s makes the database unavailable, and close() ends',
  async (_, stream, told) => {
    const { holdfast, errors } = clients.open({ config: { stream } }, { commandTimeoutMs: 200 })
    const failure = await failureOf(holdfast.getLock('order').tryLock({ waitMs: 300 }))
    expect(failure).toBeInstanceOf(UnavailableError)
    expect(String(errors)).toContain(told)
    await holdfast.close()
  },
)

it('replies are read however the application has pg read its own', async () => {
  const { holdfast } = clients.open({ config: { connectionString: server.url, binary: true } })
  const token = await holdfast.getLock('binary').withLock(({ fencingToken }) => fencingToken)
  expect(token).toBeGreaterThan(0)
})

it('the server is tried often while an outage is young, so that holders soon learn what it lost', async () => {
  const target = { host: server.host, port: server.port }
  await using proxy = await startProxy(target, 'postgres')
  const url = new URL(server.url)
  url.port = String(proxy.port)
  // Only what sends statements is tried here.
  const { holdfast } = clients.open({ url: url.href, listenUrl: server.url })
  const lease = await holdfast.getLock('order').lock()
  let attempts = 0
  await using down = await listening((socket) => {
    attempts += 1
    socket.destroy()
  })
  target.port = portOf(down)
  const crashedAt = performance.now()
  await server.crash()
  // By then pauses that double with each failure have left room for no more than eight attempts.
  await until(() => performance.now() > crashedAt + 3_300)
  await server.restart({ crash: true })
  target.port = server.port
  if (!lease.signal.aborted) await once(lease.signal, 'abort')
  expect(attempts).toBeGreaterThan(8)
  expect(attempts).toBeLessThan(40)
})

it.each([
  ['holdfast, where the application names none', '', 'holdfast'],
  ['what the application names', '?application_name=shop', 'shop'],
])('its connections are called %s', async (_, query, name) => {
  const url = `${await inDatabase(name === 'shop' ? 'named' : 'unnamed')}${query}`
  const { holdfast } = clients.open({ url })
  await holdfast.getLock('order').lock()
  const database = new URL(url).pathname.slice(1)
  const rows = await server.query(
    `select distinct application_name from pg_stat_activity where datname = '${database}' and backend_type = 'client backend'`,
  )
  expect(JSON.stringify(rows)).toBe(JSON.stringify([{ application_name: name }]))
})
