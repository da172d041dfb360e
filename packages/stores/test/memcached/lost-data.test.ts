import { Holdfast, LockLostError } from '@holdfast/core'
import { startMemcached, startProxy, until, type MemcachedServer } from '@holdfast/testkit'
import { memcached } from '../../src/memcached/index.js'
import { Clients, failureOf } from './support/clients.js'
import { rawCommands } from './support/raw-commands.js'

const clients = new Clients()
const holders = 30

afterEach(() => clients.closeAll())

/** Holders of many clients lose all, with as many rivals waiting: when each was told, and when each rival got in. */
async function loseAll(server: MemcachedServer, lose: () => Promise<unknown>) {
  const toldAt = new Map<string, number>()
  const enteredAt = new Map<string, number>()
  const names = Array.from({ length: holders }, (_, n) => `held-${n}`)
  const leases = await Promise.all(
    names.map(async (name) => {
      const holdfast = clients.open({ url: server.url })
      holdfast.on('lost', () => toldAt.set(name, performance.now()))
      return holdfast.getLock(name).lock()
    }),
  )
  // A client that looks once a second has looked.
  const rival = clients.open({ url: server.url })
  const waiting = names.map(async (name) => {
    const lease = await rival.getLock(name).lock()
    enteredAt.set(name, performance.now())
    expect(leases[names.indexOf(name)]?.isHeld).toBe(false)
    await lease.unlock()
    return lease.fencingToken
  })
  await until(() => rival.stats().waiters === holders)
  await lose()
  const tokens = await Promise.all(waiting)
  return { names, leases, tokens, toldAt, enteredAt }
}

describe.each([
  ['flush_all', (server: MemcachedServer) => rawCommands(server, 'flush_all\r\n')],
  ['a restart', (server: MemcachedServer) => server.restart()],
])('after %s', (_, lose) => {
  it('all of 30 holders are notified before anybody enters, and tokens grow', async () => {
    await using server = await startMemcached()
    const { names, leases, tokens, toldAt, enteredAt } = await loseAll(server, () => lose(server))
    for (const name of names) {
      expect(toldAt.get(name)).toBeLessThan(enteredAt.get(name) ?? 0)
    }
    expect(toldAt.size).toBe(holders)
    leases.forEach((lease, n) => {
      expect(lease.signal.reason).toBeInstanceOf(LockLostError)
      expect(tokens[n]).toBeGreaterThan(lease.fencingToken)
    })
  })
})

it.each([
  ['with the watchdog', undefined],
  ['with a longer lease', 7_000],
])(
  'by default a holder %s that is cut off has stopped claiming before anybody enters',
  async (_, leaseMs) => {
    await using server = await startMemcached()
    const proxy = await startProxy(server, 'memcached')
    const open = (port: number): Holdfast => {
      const engine = memcached({ url: `memcached://${server.host}:${port}` })
      return clients.add(new Holdfast({ engine, watchdogTimeoutMs: 4_000 }))
    }
    const [holder, rival] = [open(proxy.port), open(server.port)]
    const held = await holder.getLock('a').lock({ ...(leaseMs !== undefined && { leaseMs }) })
    await rival.getLock('b').withLock(() => undefined)
    proxy.blackHole('both')
    await rawCommands(server, 'flush_all\r\n')
    await rival.getLock('a').withLock(() => expect(held.isHeld).toBe(false))
    proxy.heal()
    await clients.closeAll()
    await proxy.close()
  },
)

it('holds stay, and nobody enters for a while, when only the clock key is lost', async () => {
  await using server = await startMemcached()
  const holdfast = clients.open({ url: server.url })
  const lease = await holdfast.getLock('a').lock()
  let renewals = 0
  holdfast.on('renewed', () => (renewals += 1))
  await rawCommands(server, 'md holdfast:clock\r\n')
  // Whoever holds checks at once.
  await until(() => renewals > 0)
  expect(lease.isHeld).toBe(true)
  expect(await holdfast.getLock('b').tryLock()).toBeNull()
  await holdfast.getLock('b').withLock(() => undefined)
  await lease.unlock()
})

it('waiters that begin while nobody can get in queue once they can, and all are served', async () => {
  await using server = await startMemcached()
  const four = Array.from({ length: 4 }, () => clients.open({ url: server.url }))
  const passes = four.flatMap((holdfast) =>
    Array.from({ length: 8 }, () => holdfast.getLock('new').lock({ waitMs: 20_000 })),
  )
  await Promise.all(passes.map(async (pass) => (await pass).unlock()))
})

describe('on a server that evicts', () => {
  let server: MemcachedServer

  beforeAll(async () => {
    server = await startMemcached(['-m', '4'])
  })
  afterAll(() => server.stop())

  const evict = async (name: string): Promise<void> => {
    const [reply] = await rawCommands(server, `md holdfast:lock:${name}\r\n`)
    expect(reply?.code).toBe('HD')
  }

  it('a hold that was evicted is a loss at its release, and at its next renewal', async () => {
    const holdfast = clients.open({ url: server.url, evictable: 'accepted' }, { watchdogTimeoutMs: 3_000 })
    const lease = await holdfast.getLock('a').lock()
    await evict('a')
    expect(await failureOf(lease.unlock())).toMatchObject({ code: 'LOCK_LOST', reason: 'not-held' })
    const other = await holdfast.getLock('b').lock()
    await evict('b')
    await until(() => !other.isHeld)
    expect(other.signal.reason).toMatchObject({ reason: 'not-held' })
  })

  it('it is one, too, when the reply to its release was lost and the release is repeated', async () => {
    const proxy = await startProxy(server, 'memcached')
    const url = `memcached://${proxy.host}:${proxy.port}`
    const holdfast = clients.open({ url, evictable: 'accepted' })
    const lease = await holdfast.getLock('c').lock()
    await evict('c')
    const lost = proxy.loseReply((command) => command.startsWith('mg holdfast:lock:c'))
    expect(await failureOf(lease.unlock())).toMatchObject({ code: 'LOCK_LOST', reason: 'not-held' })
    await lost
    await clients.closeAll()
    await proxy.close()
  })

  it('there are no fencing tokens', async () => {
    const holdfast = clients.open({ url: server.url, evictable: 'accepted' })
    expect(() => holdfast.getFencedLock('a')).toThrow(/memcached/)
    await holdfast.getLock('d').withLock((lease) => {
      expect(() => lease.fencingToken).toThrow()
    })
  })
})
