import { onOwnPostgres, startPostgres, type PostgresServer } from '@holdfast/testkit'
import { Client } from 'pg'
import { migrationSql } from '../../src/postgres/index.js'

const it = onOwnPostgres(globalThis.it)

const names = Array.from({ length: 150 }, (_, i) => `lock ${i}`)
const holderOf = (name: string): string => `${name}:holder`
const waitersOf = (name: string): string[] => [1, 2, 3].map((n) => `${name}:${n}`)

let server: PostgresServer
let connections: Client[]

beforeAll(async () => {
  // A circle is found after this time.
  server = await startPostgres({ settings: { deadlock_timeout: '20ms' } })
  await server.query(migrationSql())
  connections = Array.from({ length: 6 }, () => new Client({ connectionString: server.url }))
  for (const client of connections) await client.connect()
})

afterAll(async () => {
  await Promise.all(connections.map((client) => client.end()))
  await server.stop()
})

const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(Math.random() * list.length)]
const shuffled = <T>(list: readonly T[]): T[] =>
  list
    .map((value) => ({ value, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value)

/** As a request of a client whose notifications cannot be received: nobody is granted a lock in its absence. */
const acquire = (client: Client, name: string, owner: string): Promise<unknown> =>
  client.query("select * from holdfast.acquire($1, $2, 1, 60000, 60000, 60000, 'inbox', null, 0, 'proof')", [
    name,
    owner,
  ])

/** The same with a permit of a semaphore of three. */
const acquirePermit = (client: Client, name: string, owner: string): Promise<unknown> =>
  client.query(
    "select * from holdfast.acquire_shared($1, $2, 2, 3, 60000, 60000, 60000, 'inbox', null, 0, 'proof')",
    [name, owner],
  )

const steps: readonly ((client: Client) => Promise<unknown>)[] = [
  (client) => {
    const order = shuffled(names)
    const leases = order.map(() => 60_000)
    return client.query(`select holdfast.${pick(['renew', 'renew_shared'])}($1, $2, $3, 1000)`, [
      order,
      order.map(holderOf),
      leases,
    ])
  },
  (client) => {
    const order = shuffled(names.flatMap((name) => waitersOf(name).map((owner) => [name, owner] as const)))
    const values = [order.map(([name]) => name), order.map(([, owner]) => owner), order.map(() => 60_000)]
    const refresh = pick(['refresh', 'refresh_shared'])
    return client.query(`select holdfast.${refresh}($1, $2, $3, 'inbox', null)`, values)
  },
  async (client) => {
    const name = pick(names) ?? ''
    const owner = pick([holderOf(name), ...waitersOf(name)]) ?? ''
    await client.query('select holdfast.release($1, $2, 0, $3, 0)', [name, owner, pick([0, 1])])
    await acquire(client, name, owner)
    await client.query('select holdfast.release_shared($1, $2, $3, $4, 0)', [
      name,
      owner,
      pick([0, 1]),
      pick([0, 1]),
    ])
    await acquirePermit(client, name, owner)
  },
  (client) => {
    const [order, none, unbound, alive] = [
      shuffled(names),
      ...[0, false, 60_000].map((each) => names.map(() => each)),
    ]
    const values = [order, none, unbound, alive, pick(['A', 'B'])]
    return client.query("select holdfast.latch_wait($1, $2, $3, $4, $5, 'inbox')", values)
  },
  (client) => client.query('select holdfast.sweep(1000)'),
]

it('steps on many locks or latches, in whatever order they name them, never wait for each other in a circle', async () => {
  for (const name of names)
    for (const owner of [holderOf(name), ...waitersOf(name)]) {
      await acquire(firstConnection(), name, owner)
      await acquirePermit(firstConnection(), name, owner)
    }
  const work = async (client: Client): Promise<void> => {
    for (let n = 0; n < 25; n += 1) await pick(steps)?.(client)
  }
  await Promise.all(connections.map(work))
})

function firstConnection(): Client {
  const [client] = connections
  if (!client) throw new Error('there are no connections')
  return client
}
