import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Holdfast, LockLostError, type Lease } from '@holdfast/core'
import { startMysql, type MysqlServer } from '@holdfast/testkit'
import { sql, type SQL } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/mysql2'
import connectKnex, { type Knex } from 'knex'
import { CompiledQuery, Kysely, MysqlDialect } from 'kysely'
import { createPool } from 'mysql2'
import { DataSource } from 'typeorm'
import { mysql } from '../../src/mysql/index.js'

const takeOne = 'update stock set items_left = items_left - 1'

let server: MysqlServer
let holdfast: Holdfast
let rival: Holdfast
let pool: ReturnType<typeof createPool>
let knex: Knex
let kysely: Kysely<unknown>
let typeorm: DataSource

/** What docs/stores/mysql.md shows of each, in a transaction of its own. */
const transactions: Record<string, (lease: Lease) => Promise<unknown>> = {
  TypeORM: (lease) =>
    typeorm.transaction(async (manager) => {
      await lease.fence(manager)
      await manager.query(takeOne)
    }),
  Knex: (lease) =>
    knex.transaction(async (tx) => {
      await lease.fence({ query: (text, values) => tx.raw(text, values) })
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
  const [first = '', ...rest] = text.split('?')
  return sql.join([sql.raw(first), ...rest.map((part, i) => sql`${values[i]}${sql.raw(part)}`)])
}

beforeAll(async () => {
  server = await startMysql()
  const { url } = server
  const engine = mysql({ url })
  holdfast = new Holdfast({ engine })
  rival = new Holdfast({ engine })
  pool = createPool(url)
  knex = connectKnex({ client: 'mysql2', connection: url })
  kysely = new Kysely({ dialect: new MysqlDialect({ pool: createPool(url) }) })
  typeorm = await new DataSource({ type: 'mysql', url }).initialize()
  await server.query('create table stock (items_left int) engine=InnoDB')
  await server.query('insert into stock values (10)')
})

afterAll(async () => {
  await Promise.all([holdfast.close(), rival.close()])
  await Promise.all([pool.promise().end(), knex.destroy(), kysely.destroy(), typeorm.destroy()])
  await server.stop()
})

const left = async (): Promise<unknown> => {
  const [rows] = await pool.promise().query('select items_left from stock')
  return Array.isArray(rows) && Reflect.get(Object(rows[0]), 'items_left')
}

it.each(Object.entries(transactions))(
  'a transaction of %s commits for the holder, and writes nothing for one that lost its lock',
  async (builder, transaction) => {
    const lock = holdfast.getLock(builder)
    const before = Number(await left())
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

const readPage = (): Promise<string> => readFile(join(__dirname, '../../../../docs/stores/mysql.md'), 'utf8')

it.each([
  ['Knex', () => knex.transaction((tx) => fenced(tx))],
  ['Kysely', () => kysely.transaction().execute((tx) => fenced(tx))],
  ['Drizzle', () => drizzle(pool).transaction((tx) => fenced(tx))],
] as const)('a transaction of %s itself is refused with the line of the page', async (builder, begin) => {
  const [, call = 'no line'] = RegExp(`^\\| ${builder} +\\| \`(.*)\` +\\|$`, 'm').exec(await readPage()) ?? []
  await expect(begin()).rejects.toThrow(call)
})

/** As a caller without types passes the transaction itself. */
const fenced = (transaction: unknown): Promise<unknown> =>
  holdfast
    .getLock('untyped')
    .withLock((lease) => Reflect.apply(lease.fence.bind(lease), undefined, [transaction]) as Promise<void>)

it('the page shows the very client that each test passes to fence', async () => {
  const source = await readFile(__filename, 'utf8')
  const shown = [...(await readPage()).matchAll(/^\| (\S+) +\| `(lease\.fence\(.*\))` +\|$/gm)]
  expect(shown.map(([, builder]) => builder)).toEqual(Object.keys(transactions))
  for (const [, , call = ''] of shown) expect(source).toContain(call)
})
