import { Holdfast, RefusedError } from '@holdfast/core'
import { onOwnPostgres, startPostgres, uniqueName, until, type PostgresServer } from '@holdfast/testkit'
import { migrationSql, postgres, type PostgresSchemaOptions } from '../../src/postgres/index.js'
import { describeSchema } from './support/describe-schema.js'

const it = onOwnPostgres(globalThis.it)

let server: PostgresServer
const opened: Holdfast[] = []

beforeAll(async () => {
  server = await startPostgres()
  // As in a database where each role gets only what it is granted.
  await server.query('revoke create on schema public from public')
})

afterEach(async () => {
  await Promise.all(opened.splice(0).map((holdfast) => holdfast.close()))
})

afterAll(() => server.stop())

const waitMs = 5_000

/** A client of this role, with short leases so that renewals happen. */
function open(
  role: string,
  options: Omit<PostgresSchemaOptions, 'minReplicas'> & { readonly url?: string } = {},
): Holdfast {
  const engine = postgres({ url: server.urlOf({ role }), ...options })
  const holdfast = new Holdfast({ engine, watchdogTimeoutMs: 3_000 })
  // A rejected call has the error as well.
  holdfast.on('error', () => undefined)
  opened.push(holdfast)
  return holdfast
}

/** A role that may do nothing but connect. */
async function makeRole(settings = ''): Promise<string> {
  const role = uniqueName('role').replaceAll('-', '_')
  await server.query(`create role "${role}" login; ${settings.replaceAll('$role', `"${role}"`)}`)
  return role
}

/** A schema that another role made, in which this one may take locks, and its options. */
async function makeSchema(role: string, name = 'schema'): Promise<{ schema: string; migrate: 'check' }> {
  const schema = uniqueName(name).replaceAll('-', '_')
  await server.query(migrationSql({ schema, role }))
  return { schema, migrate: 'check' }
}

/** The error of the first use. */
const firstUse = (holdfast: Holdfast): Promise<unknown> =>
  holdfast
    .getLock('first')
    .lock({ waitMs })
    .then(
      () => 'acquired',
      (error: unknown) => error,
    )

async function expectRefusal(holdfast: Holdfast, pattern: RegExp): Promise<void> {
  const error = await firstUse(holdfast)
  expect(error).toBeInstanceOf(RefusedError)
  expect(String(error)).toMatch(pattern)
}

describe('a role with USAGE on the schema and EXECUTE on the functions', () => {
  it('may do all that a lock needs, and cannot touch the tables', async () => {
    const role = await makeRole()
    const options = await makeSchema(role)
    const [holder, waiter] = [open(role, options), open(role, options)]
    const problems: string[] = []
    for (const client of [holder, waiter]) {
      client.on('warning', ({ code }) => problems.push(code))
      client.on('error', ({ message }) => problems.push(message))
    }
    const name = uniqueName('lock')
    const lock = holder.getLock(name)
    const lease = await lock.lock({ waitMs })
    const waits = waiter.getLock(name).lock({ waitMs })
    await until(async () => (await lock.inspect()).waiterCount === 1, { what: 'the waiter to queue' })
    // Nested, renewed, and queued over several refreshes.
    await lease.run(() => lock.withLock(() => undefined))
    await new Promise((resolve) => holder.once('renewed', resolve))
    expect(await waiter.getLock(name).tryLock()).toBeNull()
    await lease.unlock()
    const second = await waits
    expect(second.fencingToken).toBeGreaterThan(lease.fencingToken)

    const lost = new Promise((resolve) => second.signal.addEventListener('abort', resolve))
    expect(await holder.getLock(name).forceUnlock()).toBe(true)
    await lost
    const changedMind = new AbortController()
    const held = await lock.lock({ waitMs })
    const aborted = waiter.getLock(name).lock({ signal: changedMind.signal })
    await until(async () => (await lock.inspect()).waiterCount === 1, { what: 'the waiter to queue' })
    changedMind.abort()
    await expect(aborted).rejects.toBe(changedMind.signal.reason)
    await held.unlock()

    const [catalog, another] = [holder.getReadWriteLock(name), waiter.getReadWriteLock(name)]
    const readers = [await catalog.read.lock(), await another.read.lock()]
    const writes = another.write.lock({ waitMs })
    await until(async () => (await catalog.read.inspect()).waiterCount === 1, { what: 'the writer to queue' })
    await new Promise((resolve) => holder.once('renewed', resolve))
    expect(await catalog.read.forceUnlock()).toBe(true)
    await (await writes).unlock()
    // One that another client evicts asks the database first.
    await until(() => readers.every(({ isHeld }) => !isHeld), { what: 'the readers to learn of it' })
    const semaphore = holder.getSemaphore(name, { permits: 1 })
    await semaphore.resize(2)
    await semaphore.withPermits({ permits: 1 }, () => undefined)
    const latch = holder.getCountDownLatch(name)
    await latch.trySetCount(1)
    const passes = waiter.getCountDownLatch(name).wait({ waitMs })
    await until(async () => (await latch.inspect()).waiterCount === 1, { what: 'the latch to be awaited' })
    await latch.countDown()
    await passes
    expect(await latch.delete()).toBe(true)
    expect(problems).toEqual([])

    const tables = await server.query(
      `select c.relname from pg_class c where c.relkind = 'r' and c.relnamespace = '${options.schema}'::regnamespace
       and has_table_privilege($1, c.oid, 'select, insert, update, delete')`,
      [role],
    )
    expect(tables).toEqual([])
  })

  it('works with migrate: auto as well, once the schema is there', async () => {
    const role = await makeRole()
    const { schema } = await makeSchema(role)
    const lease = await open(role, { schema }).getLock('auto').lock({ waitMs })
    await lease.unlock()
  })

  it('is not misled by objects of its own under the names that the functions use', async () => {
    const role = await makeRole()
    const options = await makeSchema(role)
    await server.query(`create schema trap; grant usage on schema trap to "${role}";
      create function trap.clock_timestamp() returns timestamptz language plpgsql as $$ begin raise 'trapped'; end $$;
      alter role "${role}" set search_path = trap, pg_catalog`)
    const lease = await open(role, options).getLock('trap').lock({ waitMs })
    await lease.unlock()
  })
})

describe('missing permissions are named at first use', () => {
  it('USAGE on the schema', async () => {
    const role = await makeRole()
    const options = await makeSchema(await makeRole())
    await expectRefusal(open(role, options), /USAGE on the schema and EXECUTE.*migrationSql\({ role }\)/s)
  })

  it('EXECUTE on all functions', async () => {
    const role = await makeRole()
    const options = await makeSchema(await makeRole())
    await server.query(`grant usage on schema "${options.schema}" to "${role}"`)
    await expectRefusal(open(role, options), /USAGE on the schema and EXECUTE.*migrationSql\({ role }\)/s)
  })

  it('EXECUTE on one function', async () => {
    const role = await makeRole()
    const options = await makeSchema(role)
    await server.query(
      `revoke execute on function "${options.schema}".acquire(text, text, int, bigint, bigint, bigint, text, bigint, bigint, text) from "${role}"`,
    )
    await expectRefusal(open(role, options), /permission denied for function acquire/)
  })

  it('CONNECT to the database', async () => {
    const role = await makeRole()
    await server.query('create database closed')
    await server.query('revoke connect on database closed from public')
    const url = server.urlOf({ role, database: 'closed' })
    await expectRefusal(open(role, { url }), /permission denied for database "closed"/)
  })
})

it('permissions granted later end the refusal without a restart of the client', async () => {
  const role = await makeRole()
  const options = await makeSchema(await makeRole())
  const holdfast = open(role, options)
  await expectRefusal(holdfast, /USAGE/)
  await server.query(migrationSql({ schema: options.schema, role }))
  const lease = await until(
    () =>
      holdfast
        .getLock('later')
        .lock({ waitMs })
        .catch(() => null),
    { what: 'the lock to be acquired', everyMs: 100 },
  )
  await lease.unlock()
})

it('an old server is refused at first use', async () => {
  // The function of this role's own stands in for a server that is not installed.
  const role = await makeRole()
  const options = await makeSchema(role)
  await server.query(`create schema old_server; grant usage on schema old_server to "${role}";
      create function old_server.current_setting(setting text) returns text language sql as
        $$ select case setting when 'server_version_num' then '120022' else pg_catalog.current_setting(setting) end $$;
      alter role "${role}" set search_path = old_server, pg_catalog`)
  await expectRefusal(open(role, options), /needs PostgreSQL 13 or later, the server is 12/)
})

describe('the SQL that migrationSql prints', () => {
  it.each(['unlogged', 'logged'] as const)(
    'makes what migrate: auto makes, with %s tables',
    async (tables) => {
      const byEngine = `by_engine_${tables}`
      const byHand = `by_hand_${tables}`
      const owner = await makeRole('grant create on database postgres to $role')
      await (await open(owner, { schema: byEngine, tables }).getLock('made').lock({ waitMs })).unlock()
      await server.query(migrationSql({ schema: byHand, tables }))
      const expected = await describeSchema(server, byEngine)
      expect(expected).toEqual(expect.arrayContaining([expect.stringContaining('function acquire')]))
      expect(await describeSchema(server, byHand)).toEqual(expected)
    },
  )

  it('changes nothing when it runs again, and locks that are held stay held', async () => {
    const schema = 'run_twice'
    await server.query(migrationSql({ schema }))
    const before = await describeSchema(server, schema)
    const lease = await open('postgres', { schema }).getLock('kept').lock({ waitMs })
    await server.query(migrationSql({ schema }))
    expect(await describeSchema(server, schema)).toEqual(before)
    expect(await open('postgres', { schema }).getLock('kept').isLocked()).toBe(true)
    await lease.unlock()
  })

  it('quotes the role', () => expect(migrationSql({ role: 'a"b' })).toContain('to "a""b";'))
})
