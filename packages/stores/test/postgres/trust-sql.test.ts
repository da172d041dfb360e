import { RefusedError, type Holdfast } from '@holdfast/core'
import { onOwnPostgres, startPostgres, uniqueName, until, type PostgresServer } from '@holdfast/testkit'
import { Client } from 'pg'
import { migrationSql } from '../../src/postgres/index.js'
import { Clients, failureOf } from './support/clients.js'
import { makeRole, queryAs, schemaName } from './support/roles.js'

const it = onOwnPostgres(globalThis.it)

let server: PostgresServer
const clients = new Clients()

beforeAll(async () => {
  server = await startPostgres()
})

afterEach(() => clients.closeAll())
afterAll(() => server.stop())

const waitMs = 5_000

/** A schema of the superuser, a role that may take locks in it, and a client of that role. */
async function makeLocks(): Promise<{ schema: string; role: string; holdfast: Holdfast }> {
  const [schema, role] = [schemaName(), await makeRole(server)]
  await server.query(migrationSql({ schema, role }))
  const { holdfast } = clients.open({ url: server.urlOf({ role }), schema, migrate: 'check' })
  return { schema, role, holdfast }
}

describe('a schema that another role may change', () => {
  it('is refused when it belongs to that role, by the SQL and by a client, and nothing of it has run', async () => {
    const squatter = await makeRole(server)
    await server.query(`grant create on database postgres to "${squatter}"`)
    const schema = schemaName()
    // It makes the schema as an update will find it, and replaces what functions with the owner's rights call.
    await queryAs(server, squatter, migrationSql({ schema }))
    await queryAs(
      server,
      squatter,
      `create or replace function ${schema}.pass_on(l ${schema}.lock, now_us bigint, p_floor bigint, p_before text)
      returns ${schema}.lock language plpgsql as $f$ begin alter role "${squatter}" superuser; return l; end $f$;
      drop function ${schema}.hello`,
    )
    const refusal = `schema ${schema} belongs to ${squatter}, and not to postgres`
    await expect(server.query(migrationSql({ schema, role: squatter }))).rejects.toThrow(refusal)
    const { holdfast } = clients.open({ url: server.url, schema })
    const failure = await failureOf(holdfast.getLock('x').lock({ waitMs }))
    expect(failure).toBeInstanceOf(RefusedError)
    expect(String(failure)).toContain(refusal)
    const supers = await server.query('select from pg_roles where rolname = $1 and rolsuper', [squatter])
    expect(supers).toEqual([])
  })

  it('is refused when a single function in it belongs to that role', async () => {
    const [guest, schema] = [await makeRole(server), schemaName()]
    await server.query(`create schema ${schema}; grant usage, create on schema ${schema} to "${guest}"`)
    await queryAs(server, guest, `create function ${schema}.pass_on() returns int language sql as 'select 1'`)
    await expect(server.query(migrationSql({ schema }))).rejects.toThrow(
      `function ${schema}.pass_on belongs to ${guest}`,
    )
  })
})

it('a role that nobody can log in as may own the schema, whoever runs the SQL', async () => {
  const [owner, role] = [await makeRole(server, 'nologin'), await makeRole(server)]
  const schema = schemaName()
  await server.query(`grant create on database postgres to "${owner}"`)
  const sql = migrationSql({ schema, owner, role })
  await server.query(sql)
  await server.query(sql)
  const owners = await server.query(
    `select distinct pg_get_userbyid(proowner) as owner from pg_proc where pronamespace = '${schema}'::regnamespace`,
  )
  expect(owners).toEqual([{ owner }])
  const { holdfast } = clients.open({ url: server.urlOf({ role }), schema, migrate: 'check' })
  expect(await holdfast.getLock('x').withLock(() => 'inside')).toBe('inside')
})

it('every function that runs with the rights of its owner has a search_path of its own', async () => {
  const { schema } = await makeLocks()
  const open = await server.query(
    `select proname from pg_proc where pronamespace = '${schema}'::regnamespace
      and (not prosecdef or not coalesce('search_path=pg_catalog, pg_temp' = any (proconfig), false))`,
  )
  expect(open).toEqual([])
})

describe('a role that may take locks', () => {
  const inner = async (schema: string, role: string) =>
    server.query(
      `select proname from pg_proc where pronamespace = '${schema}'::regnamespace
        and not has_function_privilege($1, oid, 'execute') order by 1`,
      [role],
    )
  const [letIn, passOn] = [{ proname: 'let_in' }, { proname: 'pass_on' }]

  it('may not execute what only functions call', async () => {
    const { schema, role } = await makeLocks()
    const invented = queryAs(
      server,
      role,
      `select ${schema}.pass_on(row('x', 'a:1', 1, 9e15, 1, 0, 1, 1, 9e15)::${schema}.lock, 1, 1, null)`,
    )
    await expect(invented).rejects.toThrow('permission denied for function pass_on')
    expect(await inner(schema, role)).toEqual([letIn, passOn])
  })

  it.each([
    ['a last token', "raise_token('x', 9223372036854775807, 1000)"],
    ['a token that it has seen', "acquire('x', 'a:1', 1, 1000, 0, 0, '', null, 9007199254740991, null)"],
    ['a lease', "acquire('x', 'a:1', 1, 9223372036854775807, 0, 0, '', null, 0, null)"],
    ['a negative lease', "acquire('x', 'a:1', 1, -1, 0, 0, '', null, 0, null)"],
    ['no lease', "acquire('x', 'a:1', 1, null, 0, 0, '', null, 0, null)"],
    ['a time to wait', "acquire('x', 'a:1', 1, 1000, 9223372036854775807, 0, '', null, 0, null)"],
    ['permits', "acquire_shared('x', 'a:1', 9223372036854775807, 9, 1000, 0, 0, '', null, 0, null)"],
    ['a size', "resize('x', 9223372036854775807, 1000, 0, 'id', 0)"],
    ['a renewal', "renew('{x}', '{a:1}', '{9223372036854775807}', 0)"],
    ['a tombstone', "release('x', 'a:1', 0, 9223372036854775807, 0)"],
    ['a latch', "latch_set('x', 0, 'a', 1, 9223372036854775807)"],
    ['a registration', "register('x', 'host', 1, '', 0, 9223372036854775807)"],
    ['a sweep', 'sweep(2147483647)'],
  ])('is refused %s out of bounds, and the lock goes on', async (_what, call) => {
    const { schema, role, holdfast } = await makeLocks()
    const lock = holdfast.getLock('x')
    const before = await lock.withLock(({ fencingToken }) => fencingToken)
    await expect(queryAs(server, role, `select ${schema}.${call}`)).rejects.toThrow(
      /out of bounds|more than a day ahead/,
    )
    const after = await lock.withLock(({ fencingToken }) => fencingToken)
    expect(after - before).toBeLessThan(60_000_000)
  })
})

it('a last token out of bounds is refused for that lock alone, with the way out', async () => {
  const { schema, holdfast } = await makeLocks()
  const [spoilt, other] = [holdfast.getLock("it's"), holdfast.getLock('other')]
  const lease = await spoilt.lock()
  await server.query(
    `update ${schema}.lock set token = 9223372036854775000, fence_until_us = 9000000000000000 where name = 'it''s'`,
  )
  // Who holds it may leave.
  await lease.unlock()
  const failure = await failureOf(spoilt.lock({ waitMs }))
  expect(failure).toBeInstanceOf(RefusedError)
  expect(failure).toMatchObject({ lockName: "it's" })
  expect(String(failure)).toContain("the last fencing token of it's is 9223372036854775000")
  const before = await other.withLock(({ fencingToken }) => fencingToken)
  expect(before).toBeLessThan(9e15)

  const [, wayOut = ''] = /(update "\S+"\.lock set .* where name = '.*?''s')/.exec(String(failure)) ?? []
  await server.query(wayOut)
  expect(await spoilt.withLock(({ fencingToken }) => fencingToken)).toBeGreaterThan(before)
})

it('a row that stays locked costs its own lock the lease, and no other one of the client', async () => {
  const { schema, role } = await makeLocks()
  const { holdfast } = clients.open(
    { url: server.urlOf({ role }), schema, migrate: 'check' },
    { watchdogTimeoutMs: 5_000 },
  )
  const names = Array.from({ length: 20 }, (_, i) => uniqueName(`order-${i}`))
  const leases = await Promise.all(names.map((name) => holdfast.getLock(name).lock()))
  const blocker = new Client({ connectionString: server.url })
  await blocker.connect()
  try {
    await blocker.query('begin')
    await blocker.query(`select from ${schema}.lock where name = $1 for update`, [names[0]])
    await until(() => leases[0]?.isHeld === false, { what: 'the blocked lock to be lost' })
    // For as long again: three renewals of the others.
    const since = performance.now()
    await until(() => performance.now() - since > 5_000, { what: 'a lease to pass' })
    expect(leases.map(({ isHeld }) => isHeld)).toEqual(names.map((_, i) => i > 0))
  } finally {
    await blocker.end()
  }
})
