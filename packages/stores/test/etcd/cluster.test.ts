import { startEtcdCluster, until, type EtcdServer } from '@holdfast/testkit'
import { Clients, failureOf } from './support/clients.js'
import { findLeader } from './support/leader.js'
import { BareStore, timeoutMs } from './support/stores.js'

let servers: readonly EtcdServer[]
const clients = new Clients()
const bare: BareStore[] = []

beforeAll(async () => {
  servers = await startEtcdCluster(3)
})

afterEach(async () => {
  for (const server of servers) server.thaw()
  await clients.closeAll()
  await Promise.all(bare.splice(0).map(({ store }) => store.close()))
})

afterAll(() => Promise.all(servers.map((server) => server.stop())))

const urls = (): string[] => servers.map(({ url }) => url)

it('keeps a hold over an election, and over a loss of the quorum that is shorter than the session', async () => {
  const holdfast = clients.open({ hosts: urls() }, { watchdogTimeoutMs: 9_000, commandTimeoutMs: 1_000 })
  const lease = await holdfast.getLock('kept').lock()
  let renewals = 0
  holdfast.on('renewed', () => (renewals += 1))
  const leader = await findLeader(servers)
  const others = servers.filter((server) => server !== leader)
  await Promise.all(others.map((server) => server.freeze()))
  const failed = await failureOf(holdfast.getLock('other').tryLock())
  expect(failed).toMatchObject({ code: 'UNAVAILABLE' })
  for (const server of others) server.thaw()
  const before = renewals
  await until(() => renewals > before + 1)
  expect(lease.isHeld).toBe(true)
  await lease.unlock()
})

it('does not take the word of a leader that has lost the others', async () => {
  const leader = await findLeader(servers)
  const store = await BareStore.open({ hosts: [leader.url], sessionTimeoutMs: 30_000 })
  bare.push(store)
  const entry = await store.entered({ name: 'proven', object: 'lock' }, 1)
  await Promise.all(servers.filter((server) => server !== leader).map((server) => server.freeze()))
  const { provenAt } = store.store
  // It still keeps leases alive, until it notices.
  const failed = await failureOf(store.store.prove([entry], 700))
  expect(failed).toMatchObject({ code: 'UNAVAILABLE' })
  expect(store.store.provenAt).toBe(provenAt)
  for (const server of servers) server.thaw()
  await until(() => store.store.prove([entry], timeoutMs).then(([isThere]) => isThere === true))
  expect(store.store.provenAt).toBeGreaterThan(provenAt)
})
