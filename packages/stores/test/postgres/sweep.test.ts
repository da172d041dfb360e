import { openDatabase, until, type TestDatabase } from '@holdfast/testkit'
import { Client } from 'pg'
import { migrationSql } from '../../src/postgres/index.js'
import { Clients } from './support/clients.js'

let database: TestDatabase

beforeAll(async () => {
  database = await openDatabase()
  await database.query(migrationSql())
})

const clients = new Clients()

afterEach(() => clients.closeAll())
afterAll(() => database.stop())

const acquire = (name: string, owner: string, leaseMs: number, entryMs = 0): Promise<unknown> =>
  database.query('select * from holdfast.acquire($1, $2, 1, $3, $4, 1000, $5, null, 0, $6)', [
    name,
    owner,
    leaseMs,
    entryMs,
    'inbox',
    'proof',
  ])

const acquireShared = (
  name: string,
  owner: string,
  permits: number,
  leaseMs: number,
  entryMs = 0,
): Promise<unknown> =>
  database.query('select * from holdfast.acquire_shared($1, $2, $3, 3, $4, $5, 1000, $6, null, 0, $7)', [
    ...[name, owner, permits, leaseMs, entryMs],
    ...['inbox', 'proof'],
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
  await acquireShared('held', 'a:1', 1, 10 * hour)
  await acquireShared('held', 'a:2', 1, 1_000)
  await acquireShared('over', 'a:3', 1, 1_000)
  await acquireShared('queued', 'a:4', 3, 1_000)
  await acquireShared('queued', 'b:3', 3, 1_000, 10 * hour)
  await acquireShared('forgotten', 'a:5', 3, 1_000)
  await acquireShared('forgotten', 'b:4', 3, 1_000, 1_000)
  await database.query("select holdfast.resize('resized', 5, $1, 0, 'x', 0)", [10 * hour])
  await database.query("select holdfast.resize('old size', 5, $1, 0, 'x', 0)", [1_000])
  for (const [latch, keepMs, waitMs] of [
    ['over', 1_000, 1_000],
    ['set', 10 * hour, 1_000],
    ['awaited', 1_000, 10 * hour],
  ]) {
    await database.query("select holdfast.latch_set($1, 0, 'a', 2, $2)", [latch, keepMs])
    await database.query(
      `insert into holdfast.latch_waiter values ($1, 'client', 'inbox', extract(epoch from now()) * 1000000 + 1000 * $2::bigint)`,
      [latch, waitMs],
    )
  }
  await database.query("select holdfast.latch_count_down('over', generation, 'p') from holdfast.latch")
  for (const [owner, ms] of [
    ['c:1', 1_000],
    ['c:2', 10 * hour],
  ])
    await database.query("select holdfast.release('held', $1, 0, $2, 0)", [owner, ms])
  for (const [id, ms] of [
    ['old', 1_000],
    ['new', 10 * hour],
  ])
    await database.query("select holdfast.register($1, 'host', 1, '', 0, $2)", [id, ms])
  await database.query(
    "insert into holdfast.fence values ('old', 1), ('new', extract(epoch from now()) * 1000000)",
  )
  for (const [table, ...columns] of [
    ['lock', 'until_us', 'fence_until_us', 'queue_until_us'],
    ['place', 'alive_until_us'],
    ['shared', 'ends_from_us', 'fence_until_us', 'queue_until_us', 'size_until_us'],
    ['shared_hold', 'until_us'],
    ['shared_place', 'alive_until_us'],
    ['tombstone', 'until_us'],
    ['client', 'until_us'],
    ['latch', 'until_us'],
    ['latch_waiter', 'until_us'],
  ])
    await database.query(
      `update holdfast.${table} set ${columns.map((each) => `${each} = ${each} - 1000 * ${hour}::bigint`).join(', ')}`,
    )

  await database.query('select holdfast.sweep(1000)')

  expect(await namesIn('lock', 'name')).toEqual(['held', 'queued'])
  expect(await namesIn('place', 'owner')).toEqual(['b:1'])
  expect(await namesIn('shared', 'name')).toEqual(['held', 'queued', 'resized'])
  expect(await namesIn('shared_hold', 'owner')).toEqual(['a:1', 'a:2', 'a:4'])
  expect(await namesIn('shared_place', 'owner')).toEqual(['b:3'])
  expect(await namesIn('latch', 'name')).toEqual(['awaited', 'set'])
  expect(await namesIn('latch_waiter', 'name')).toEqual(['awaited', 'set'])
  expect(await namesIn('latch_party', 'name')).toEqual([])
  expect(await namesIn('tombstone', 'owner')).toEqual(['c:2'])
  expect(await namesIn('client', 'id')).toEqual(['new'])
  expect(await namesIn('fence', 'name')).toEqual(['new'])
})

/** Fills tables with what was used once and is over. */
const leaveBehind = (what: string, count: number): Promise<unknown> =>
  database.query(
    `with made as (insert into holdfast.lock (name) select $1 || i from generate_series(1, $2::int) i returning name)
     insert into holdfast.tombstone select name, 'a:1', 0 from made`,
    [what, count],
  )

const rowsLeft = async (): Promise<number> => {
  const [row] = await database.query(
    `select (select count(*) from holdfast.lock where name like 'order:%')
      + (select count(*) from holdfast.tombstone where name like 'order:%') as left`,
  )
  return Number(row?.['left'])
}

it('is not stopped by an advisory lock that any role can take, and waits for no other sweep', async () => {
  const [stranger, sweeper] = [1, 2].map(() => new Client({ connectionString: database.url }))
  if (!stranger || !sweeper) return
  await Promise.all([stranger.connect(), sweeper.connect()])
  try {
    await leaveBehind('order:a', 10)
    await stranger.query('select pg_advisory_lock(hashtext($1))', ['sweep'])
    await sweeper.query('begin')
    expect((await sweeper.query('select holdfast.sweep(4) as deleted')).rows).toEqual([{ deleted: 4 }])
    expect((await stranger.query('select holdfast.sweep(4) as deleted')).rows).toEqual([{ deleted: -1 }])
    await sweeper.query('commit')
    expect(await rowsLeft()).toBe(12)
  } finally {
    await Promise.all([stranger.end(), sweeper.end()])
  }
})

it('goes on in batches until nothing is over, in a client that does nothing else', async () => {
  const { holdfast } = clients.open({ url: database.url })
  await holdfast.getLock('once').withLock(() => undefined)
  await leaveBehind('order:b', 6_000)
  await until(async () => (await rowsLeft()) === 0, { what: 'all rows to be gone' })
})
