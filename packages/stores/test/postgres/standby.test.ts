import { LockLostError, RefusedError, UnavailableError, type ClientOptions } from '@holdfast/core'
import { startPostgresPair, startProxy, until, type FaultProxy, type PostgresPair } from '@holdfast/testkit'
import { Client } from 'pg'
import { migrationSql } from '../../src/postgres/index.js'
import { Clients, failureOf, nextEvent, type TestClient } from './support/clients.js'

let pair: PostgresPair
/** Leads to the primary, as a name or an address that moves does. */
let proxy: FaultProxy
const clients = new Clients()
const connections: Client[] = []

beforeAll(async () => {
  pair = await startPostgresPair({ isSynchronous: true })
  proxy = await startProxy(pair.address, 'postgres')
  await pair.primary.query('create role app login')
  await pair.primary.query(migrationSql({ tables: 'logged', role: 'app' }))
})

afterEach(async () => {
  await Promise.all(connections.splice(0).map((client) => client.end()))
  await clients.closeAll()
})

afterAll(async () => {
  await proxy.close()
  await pair.stop()
})

/** As a role that may do no more than it has to. */
const urlOf = (): string => `postgres://app@${proxy.host}:${proxy.port}/postgres`

const open = (options: ClientOptions = {}): TestClient =>
  clients.open({ url: urlOf(), tables: 'logged', minReplicas: 1, migrate: 'check' }, options)

/** Inside a transaction of the application. */
async function begin(): Promise<Client> {
  const client = new Client({ connectionString: urlOf() })
  client.on('error', () => undefined)
  connections.push(client)
  await client.connect()
  await client.query('begin')
  return client
}

async function configure(setting: string, value: string | null): Promise<void> {
  await pair.primary.query(`alter system set ${setting} = ${value === null ? 'default' : `'${value}'`}`)
  await pair.primary.query('select pg_reload_conf()')
  await until(async () => {
    const [row] = await pair.primary.query(`select current_setting('${setting}') as value`)
    return row?.['value'] === (value ?? 'on')
  })
}

it('a step that the standby does not get counts for nothing, and is undone once it does', async () => {
  const { holdfast } = open({ commandTimeoutMs: 1_500 })
  const lock = holdfast.getLock('order')
  await lock.withLock(() => undefined)
  pair.replication.blackHole('both')
  expect(await failureOf(lock.tryLock())).toBeInstanceOf(UnavailableError)
  expect(holdfast.stats().holds).toBe(0)
  const waiting = lock.lock()
  pair.replication.heal()
  await (await waiting).unlock()
})

it('a primary that does not wait for a standby is refused by the name of its setting', async () => {
  for (const [setting, value, original] of [
    ['synchronous_standby_names', '', '*'],
    ['synchronous_commit', 'remote_write', null],
  ] as const) {
    await configure(setting, value)
    const failure = await failureOf(open().holdfast.getLock('order').lock())
    expect(failure).toBeInstanceOf(RefusedError)
    expect(String(failure)).toContain(setting)
    await configure(setting, original)
  }
})

it('a holder loses its lock when the primary no longer waits, and gets it again when it does', async () => {
  const { holdfast, errors } = open({ watchdogTimeoutMs: 3_000 })
  const lock = holdfast.getLock('order')
  const lease = await lock.lock()
  const lost = nextEvent(holdfast, 'lost')
  await configure('synchronous_standby_names', '')
  await lost
  expect(lease.signal.reason).toBeInstanceOf(LockLostError)
  expect(errors.some(({ message }) => message.includes('commits wait for 0 standbys'))).toBe(true)
  expect(await failureOf(lock.tryLock())).toBeInstanceOf(UnavailableError)
  await configure('synchronous_standby_names', '*')
  await (await lock.lock()).unlock()
})

it('a hold outlives the death of the primary: the promoted standby has it, and its token still fences', async () => {
  const [holder, rival] = [open(), open()]
  const lock = rival.holdfast.getLock('order')
  await lock.withLock(() => undefined)
  const lease = await holder.holdfast.getLock('order').lock({ leaseMs: 300_000 })
  await pair.failOver()
  await pair.rejoin()

  expect(await lock.inspect()).toMatchObject({
    holder: { owner: lease.owner },
    fencingToken: lease.fencingToken,
  })
  expect(await lock.tryLock()).toBeNull()
  const first = await begin()
  await lease.fence(first)
  await first.query('commit')
  await lease.extend(300_000)

  expect(await lock.forceUnlock()).toBe(true)
  const next = await lock.lock()
  expect(next.fencingToken).toBeGreaterThan(lease.fencingToken)
  expect(await failureOf(lease.fence(await begin()))).toBeInstanceOf(LockLostError)
  await next.fence(await begin())
  await next.unlock()
})
