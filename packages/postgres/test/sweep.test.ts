import { openDatabase, type TestDatabase } from '@holdfast/testkit'
import { migrationSql } from '../src/index.js'

let database: TestDatabase

beforeAll(async () => {
  database = await openDatabase()
  await database.query(migrationSql())
})

afterAll(() => database.stop())

const acquire = (name: string, owner: string, leaseMs: number, entryMs = 0): Promise<unknown> =>
  database.query('select * from holdfast.acquire_1($1, $2, 1, $3, $4, 1000, $5, null, 0)', [
    name,
    owner,
    leaseMs,
    entryMs,
    'inbox',
  ])

const namesIn = async (table: string, column: string): Promise<unknown[]> =>
  (await database.query(`select ${column} as name from holdfast.${table} order by 1`)).map(({ name }) => name)

it('deletes what is over in all tables, and nothing that a step may need', async () => {
  const hour = 3_600_000
  await acquire('held', 'a:1', 10 * hour)
  await acquire('over', 'a:2', 1_000)
  await acquire('queued', 'a:3', 1_000)
  await acquire('queued', 'b:1', 1_000, 10 * hour)
  await acquire('forgotten', 'a:4', 1_000)
  await acquire('forgotten', 'b:2', 1_000, 1_000)
  for (const [owner, ms] of [
    ['c:1', 1_000],
    ['c:2', 10 * hour],
  ])
    await database.query("select holdfast.release_1('held', $1, 0, $2, 0)", [owner, ms])
  for (const [id, ms] of [
    ['old', 1_000],
    ['new', 10 * hour],
  ])
    await database.query("select holdfast.register_1($1, 'host', 1, '', 0, $2)", [id, ms])
  await database.query(
    "insert into holdfast.fence values ('old', 1), ('new', extract(epoch from now()) * 1000000)",
  )
  for (const [table, ...columns] of [
    ['lock', 'until_us', 'fence_until_us', 'queue_until_us'],
    ['place', 'alive_until_us'],
    ['tombstone', 'until_us'],
    ['client', 'until_us'],
  ])
    await database.query(
      `update holdfast.${table} set ${columns.map((each) => `${each} = ${each} - 1000 * ${hour}::bigint`).join(', ')}`,
    )

  await database.query('select holdfast.sweep_1(1000)')

  expect(await namesIn('lock', 'name')).toEqual(['held', 'queued'])
  expect(await namesIn('place', 'owner')).toEqual(['b:1'])
  expect(await namesIn('tombstone', 'owner')).toEqual(['c:2'])
  expect(await namesIn('client', 'id')).toEqual(['new'])
  expect(await namesIn('fence', 'name')).toEqual(['new'])
})
