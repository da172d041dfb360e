import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { Client } from 'pg'
import {
  holdSnapshot,
  startPostgres,
  startPostgresPair,
  startSteppablePostgres,
  until,
  type PostgresServer,
} from '../src/index.js'
import { startPostgresWith } from '../src/postgres/postgres-server.js'

/** Whether a statement is replied to within that time. */
async function replies(server: PostgresServer, withinMs: number): Promise<boolean> {
  const client = new Client({ connectionString: server.url, connectionTimeoutMillis: withinMs })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    client.end().catch(() => undefined)
  }
}

const numbersIn = async (server: PostgresServer) =>
  (await server.query('select n from numbers order by n')).map(({ n }) => n)

describe('a server', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  it('that was killed keeps what was committed to logged tables, and empties the others', async () => {
    await server.query('create table numbers (n int); create unlogged table forgotten (n int)')
    await server.query('insert into numbers values (1); insert into forgotten values (1)')
    await server.kill()
    expect(await replies(server, 1_000)).toBe(false)
    await server.restart({ crash: true })
    expect(await numbersIn(server)).toEqual([1])
    expect(await server.query('select * from forgotten')).toEqual([])
  })

  it('that is frozen replies to nobody, connected or not, and goes on when it is thawed', async () => {
    const client = new Client({ connectionString: server.url })
    await client.connect()
    let hasReplied = false
    await server.freeze()
    const reply = client.query('select 1').then(() => (hasReplied = true))
    expect(await replies(server, 300)).toBe(false)
    expect(hasReplied).toBe(false)
    server.thaw()
    await reply
    expect(await replies(server, 5_000)).toBe(true)
    await client.end()
  })

  it('keeps row versions for a snapshot that is held', async () => {
    const oldest = async () =>
      (
        await server.query(
          'select from pg_stat_activity where backend_xmin is not null and pid <> pg_backend_pid()',
        )
      ).length
    const snapshot = await holdSnapshot(server)
    expect(await oldest()).toBe(1)
    await snapshot.heal()
    await until(async () => (await oldest()) === 0)
  })
})

it('a server whose port is taken in between starts on another one', async () => {
  const others: Server[] = []
  const ports: number[] = []
  try {
    await using server = await startPostgresWith({ settings: {}, env: {} }, async (each) => {
      ports.push(each.port)
      await each.init()
      if (others.length > 0) return
      const other = createServer().listen(each.port, each.host)
      others.push(other)
      await once(other, 'listening')
    })
    expect(ports).toHaveLength(2)
    expect(server.port).toBe(ports[1])
    expect(await replies(server, 10_000)).toBe(true)
  } finally {
    for (const other of others) other.close()
  }
})

it('a clock that is stepped is that of running sessions and of new ones, and survives a crash', async () => {
  const steppable = await startSteppablePostgres()
  // Linux with a C compiler; elsewhere this passes without running.
  if (!steppable) return
  const { server } = steppable
  const aheadMs = async (query: (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>) => {
    const [row] = await query('select extract(epoch from clock_timestamp()) * 1000 as ms')
    return Number(row?.['ms']) - Date.now()
  }
  const client = new Client({ connectionString: server.url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await steppable.stepClock(3_600_000)
    const ofSession = await aheadMs(async (sql) => (await client.query<Record<string, unknown>>(sql)).rows)
    expect(Math.abs(ofSession - 3_600_000)).toBeLessThan(10_000)
    await server.restart({ crash: true })
    expect(Math.abs((await aheadMs((sql) => server.query(sql))) - 3_600_000)).toBeLessThan(10_000)
  } finally {
    await client.end()
    await steppable.stop()
  }
})

describe('a primary and its standby', () => {
  it('change roles, again and again, and a synchronous standby has all that was committed', async () => {
    await using pair = await startPostgresPair({ isSynchronous: true })
    await pair.primary.query('create table numbers (n int)')
    const ports = [pair.address.port]
    for (const n of [1, 2]) {
      await pair.primary.query('insert into numbers values ($1)', [n])
      await pair.failOver()
      ports.push(pair.address.port)
      await pair.rejoin()
    }
    expect(await numbersIn(pair.primary)).toEqual([1, 2])
    expect(ports[1]).not.toBe(ports[0])
    expect(ports[2]).toBe(ports[0])
  })

  it('lose with the primary what an asynchronous standby has not received', async () => {
    await using pair = await startPostgresPair({ isSynchronous: false })
    await pair.primary.query('create table numbers (n int)')
    pair.replication.blackHole('both', { drop: true })
    await pair.primary.query('insert into numbers values (1)')
    await pair.failOver()
    pair.replication.heal()
    const [row] = await pair.primary.query("select to_regclass('numbers') is not null as exist")
    expect(row?.['exist'] === true ? await numbersIn(pair.primary) : []).toEqual([])
  })

  it('are both primaries until the old one rejoins, and it commits nothing if it waits for its standby', async () => {
    await using pair = await startPostgresPair({ isSynchronous: true })
    await pair.primary.query('create table numbers (n int)')
    const old = pair.primary
    await pair.failOver({ isBeside: true })
    const client = new Client({ connectionString: old.url })
    client.on('error', () => undefined)
    await client.connect()
    let isCommitted = false
    client.query('insert into numbers values (1)').then(
      () => (isCommitted = true),
      () => undefined,
    )
    await until(
      async () => (await old.query("select from pg_stat_activity where wait_event = 'SyncRep'")).length > 0,
    )
    expect(isCommitted).toBe(false)
    expect(await numbersIn(old)).toEqual([])
    await pair.rejoin()
    expect(await numbersIn(pair.primary)).toEqual([])
    await client.end().catch(() => undefined)
  })
})
