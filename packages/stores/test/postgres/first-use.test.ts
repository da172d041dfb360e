import { RefusedError, UnavailableError } from '@holdfast/core'
import { freePort, onOwnPostgres, startPostgres, until, type PostgresServer } from '@holdfast/testkit'
import { Client, Pool } from 'pg'
import { migrationSql } from '../../src/postgres/index.js'
import { Clients, failureOf } from './support/clients.js'

const it = onOwnPostgres(globalThis.it)

let server: PostgresServer
const clients = new Clients()

beforeAll(async () => {
  server = await startPostgres()
  for (const role of ['app', 'stranger', 'serial', 'reader']) await server.query(`create role ${role} login`)
  await server.query("alter role serial set default_transaction_isolation = 'repeatable read'")
  await server.query('alter role reader set default_transaction_read_only = on')
})

afterEach(() => clients.closeAll())
afterAll(() => server.stop())

const inDatabase = async (name: string): Promise<string> => {
  await server.query(`create database ${name}`)
  return server.urlOf({ database: name })
}

/** Runs SQL as another role. */
async function queryAt(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

describe('the schema', () => {
  it('is created once by clients that begin at the same time', async () => {
    const url = await inDatabase('at_once')
    const opened = Array.from({ length: 8 }, () => clients.open({ url }))
    let inside = 0
    const visits = opened.map(({ holdfast }) =>
      holdfast.getLock('order').withLock(() => {
        inside += 1
      }),
    )
    await Promise.all(visits)
    expect(inside).toBe(8)
  })

  it('is refused when it is missing and may not be created', async () => {
    const url = await inDatabase('missing')
    const checking = clients.open({ url, migrate: 'check' }).holdfast.getLock('x')
    const failure = await failureOf(checking.lock())
    expect(failure).toBeInstanceOf(RefusedError)
    expect(String(failure)).toMatch(/schema holdfast does not exist in this database, .* migrationSql\(\)/)
    const asApp = clients.open({ url: server.urlOf({ role: 'app', database: 'missing' }) })
    const refusal = await failureOf(asApp.holdfast.getLock('x').lock())
    expect(refusal).toMatchObject({ code: 'REFUSED', engine: 'postgres' })
    expect(String(refusal)).toContain('may not create schema')
  })

  it('may be created by SQL that is run twice, and then a role needs USAGE and EXECUTE only', async () => {
    const url = await inDatabase('by_hand')
    const sql = migrationSql({ schema: 'locks', role: 'app' })
    await queryAt(url, sql)
    await queryAt(url, sql)
    const asApp = server.urlOf({ role: 'app', database: 'by_hand' })
    const [a, b] = [1, 2].map(() => clients.open({ url: asApp, schema: 'locks', migrate: 'check' }))
    const lock = a?.holdfast.getLock('order')
    const rival = b?.holdfast.getLock('order')
    const lease = await lock?.lock()
    const waiting = rival?.lock()
    await until(async () => (await lock?.inspect())?.waiterCount === 1)
    await lease?.unlock()
    const next = await waiting
    expect((await lock?.inspect())?.holder?.owner).toBe(next?.owner)
    expect(await lock?.forceUnlock()).toBe(true)
    await expect(queryAt(asApp, 'select * from locks.lock')).rejects.toThrow('permission denied')
    expect([...(a?.errors ?? []), ...(b?.errors ?? [])]).toEqual([])
    const stranger = clients.open({
      url: server.urlOf({ role: 'stranger', database: 'by_hand' }),
      schema: 'locks',
    })
    expect(String(await failureOf(stranger.holdfast.getLock('x').lock()))).toContain(
      'needs USAGE on the schema',
    )
  })

  it('is refused when its tables are of the other kind', async () => {
    const url = await inDatabase('other_kind')
    await clients
      .open({ url })
      .holdfast.getLock('x')
      .withLock(() => undefined)
    const failure = await failureOf(clients.open({ url, tables: 'logged' }).holdfast.getLock('x').lock())
    expect(failure).toBeInstanceOf(RefusedError)
    expect(String(failure)).toContain('are unlogged')
  })
})

describe('a database that cannot keep locks is refused at once', () => {
  it.each([
    ['another isolation level', () => server.urlOf({ role: 'serial' }), 'default_transaction_isolation'],
    ['read-only transactions', () => server.urlOf({ role: 'reader' }), 'default_transaction_read_only'],
    ['an unknown role', () => server.urlOf({ role: 'nobody_here' }), 'role "nobody_here" does not exist'],
    ['an unknown database', () => server.urlOf({ database: 'no_such' }), 'database "no_such" does not exist'],
  ])('%s', async (_what, url, words) => {
    const failure = await failureOf(clients.open({ url: url() }).holdfast.getLock('x').lock())
    expect(failure).toBeInstanceOf(RefusedError)
    expect(String(failure)).toContain(words)
  })
})

it('a role that needs a password is refused at once without one, and with a function that has none', async () => {
  await server.query("create role guarded login password 'secret'")
  await server.query(`do $$
    declare
      path text := current_setting('hba_file');
      rules text := pg_read_file(path);
    begin
      execute format('copy (select %L union all select * from regexp_split_to_table(%L, %L)) to %L',
        'host all guarded 127.0.0.1/32 scram-sha-256', rules, E'\\n', path);
    end $$`)
  await server.query('select pg_reload_conf()')
  const { host, port } = server
  const config = { host, port, user: 'guarded', database: 'postgres' }
  for (const password of [undefined, () => undefined]) {
    const { holdfast } = clients.open({ config: { ...config, password } })
    const failure = await failureOf(holdfast.getLock('x').lock())
    expect(failure).toBeInstanceOf(RefusedError)
    expect(String(failure)).toContain(
      'cannot be used: the server asks for a password, and got none: give it in',
    )
  }
})

it('a database that does not reply is waited for as long as the caller wants to', async () => {
  const { holdfast, errors } = clients.open({ url: `postgres://me:secret@127.0.0.1:${await freePort()}/db` })
  const failure = await failureOf(holdfast.getLock('x').tryLock({ waitMs: 300 }))
  expect(failure).toBeInstanceOf(UnavailableError)
  expect(String(failure)).toContain('PostgreSQL at 127.0.0.1:')
  expect([String(failure), ...errors.map(String)].join()).not.toContain('secret')
})

it("takes a pool's options, and none of its connections", async () => {
  const pool = new Pool({ connectionString: server.url, max: 1 })
  const busy = await pool.connect()
  await clients
    .open({ config: pool.options })
    .holdfast.getLock('x')
    .withLock(() => undefined)
  busy.release()
  await pool.end()
})

it('leaves no connection behind when it is closed', async () => {
  const { holdfast } = clients.open({ url: server.url })
  await holdfast.getLock('x').withLock(() => undefined)
  await holdfast.close()
  const others =
    "select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"
  await until(async () => (await server.query(others)).length === 0, { what: 'all connections to be closed' })
})
