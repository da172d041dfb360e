import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Holdfast, LockLostError, type Lease } from '@holdfast/core'
import { onOwnPostgres, startPostgres, type PostgresServer } from '@holdfast/testkit'
import { sql, type SQL } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import connectKnex, { type Knex } from 'knex'
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import { Pool } from 'pg'
import connectPostgresJs, { type Sql } from 'postgres'
import { DataSource } from 'typeorm'
import { postgres } from '../../src/postgres/index.js'

const takeOne = 'update stock set items_left = items_left - 1'

let server: PostgresServer
let holdfast: Holdfast
let rival: Holdfast
let pool: Pool
let knex: Knex
let kysely: Kysely<unknown>
let postgresJs: Sql
let typeorm: DataSource

/** What docs/stores/postgres.md shows of each, in a transaction of its own. */
const transactions: Record<string, (lease: Lease) => Promise<unknown>> = {
  'postgres.js': (lease) =>
    postgresJs.begin(async (tx) => {
      await lease.fence({ query: (text, values) => tx.unsafe(text, values) })
      await tx.unsafe(takeOne)
    }),
  TypeORM: (lease) =>
    typeorm.transaction(async (manager) => {
      await lease.fence(manager)
      await manager.query(takeOne)
    }),
  Knex: (lease) =>
    knex.transaction(async (tx) => {
      await lease.fence({
        query: (text, values) => tx.raw(text.replace(/\$\d/g, '?'), values),
      })
      await tx.raw(takeOne)
    }),
  Kysely: (lease) =>
    kysely.transaction().execute(async (tx) => {
      await lease.fence({ query: (text, values) => tx.executeQuery(CompiledQuery.raw(text, values)) })
      await tx.executeQuery(CompiledQuery.raw(takeOne))
    }),
  Drizzle: (lease) =>
    drizzle(pool).transaction(async (tx) => {
      await lease.fence({ query: (text, values) => tx.execute(withValues(text, values)) })
      await tx.execute(takeOne)
    }),
}

/** Values go where the placeholders are, in order. */
function withValues(text: string, values: readonly unknown[]): SQL {
  const [first = '', ...rest] = text.split(/\$\d/)
  return sql.join([sql.raw(first), ...rest.map((part, i) => sql`${values[i]}${sql.raw(part)}`)])
}

beforeAll(async () => {
  server = await startPostgres()
  const { url } = server
  const engine = postgres({ url })
  holdfast = new Holdfast({ engine })
  rival = new Holdfast({ engine })
  pool = new Pool({ connectionString: url })
  knex = connectKnex({ client: 'pg', connection: url })
  kysely = new Kysely({ dialect: new PostgresDialect({ pool: new Pool({ connectionString: url }) }) })
  postgresJs = connectPostgresJs(url)
  typeorm = await new DataSource({ type: 'postgres', url }).initialize()
  await server.query('create table stock (items_left int)')
  await server.query('insert into stock values (10)')
})

afterAll(async () => {
  await Promise.all([holdfast.close(), rival.close()])
  await Promise.all([pool.end(), knex.destroy(), kysely.destroy(), postgresJs.end(), typeorm.destroy()])
  await server.stop()
})

const left = async (): Promise<number> => {
  const { rows } = await pool.query<{ items_left: number }>('select items_left from stock')
  return rows[0]?.items_left ?? NaN
}

onOwnPostgres(it).each(Object.entries(transactions))(
  'a transaction of %s commits for the holder, and writes nothing for one that lost its lock',
  async (builder, transaction) => {
    const lock = holdfast.getLock(builder)
    const before = await left()
    await lock.withLock(transaction)
    expect(await left()).toBe(before - 1)

    const stale = await lock.lock()
    await rival.getLock(builder).forceUnlock()
    await rival.getLock(builder).withLock(async () => {
      await expect(transaction(stale)).rejects.toThrow(LockLostError)
    })
    expect(await left()).toBe(before - 1)
  },
)

it.each([
  ['postgres.js', () => postgresJs.begin((tx) => fenced(tx))],
  ['Knex', () => knex.transaction((tx) => fenced(tx))],
  ['Kysely', () => kysely.transaction().execute((tx) => fenced(tx))],
  ['Drizzle', () => drizzle(pool).transaction((tx) => fenced(tx))],
] as const)('a transaction of %s itself is refused with the line of the page', async (builder, begin) => {
  const page = await readFile(join(__dirname, '../../../../docs/stores/postgres.md'), 'utf8')
  const [, call = 'no line'] = RegExp(`^\\| ${builder} +\\| \`(.*)\` +\\|$`, 'm').exec(page) ?? []
  await expect(begin()).rejects.toThrow(call)
})

/** As a caller without types passes the transaction itself. */
const fenced = (transaction: unknown): Promise<unknown> =>
  holdfast
    .getLock('untyped')
    .withLock((lease) => Reflect.apply(lease.fence.bind(lease), undefined, [transaction]) as Promise<void>)

it('the page shows the very client that each test passes to fence', async () => {
  const page = await readFile(join(__dirname, '../../../../docs/stores/postgres.md'), 'utf8')
  const source = await readFile(__filename, 'utf8')
  const bare = (text: string): string => text.replace(/\s|,(?=\s*[)}])/g, '')
  const shown = [...page.matchAll(/^\| (\S+) +\| `(lease\.fence\(.*\))` +\|$/gm)]
  expect(shown.map(([, builder]) => builder)).toEqual(Object.keys(transactions))
  for (const [, , call = ''] of shown) expect(bare(source)).toContain(bare(call))
  const [, helper = ''] = /^```typescript\n.*?\n\n(.*?)^```$/ms.exec(page) ?? []
  expect(helper).toContain('function withValues')
  expect(bare(source)).toContain(bare(helper))
})
