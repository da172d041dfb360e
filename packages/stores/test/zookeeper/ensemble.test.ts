import {
  startProxy,
  startZooKeeperEnsemble,
  uniqueName,
  until,
  type ZooKeeperEnsemble,
} from '@holdfast/testkit'
import { Clients, whenAborted } from './support/clients.js'
import { withSession } from './support/nodes.js'

const clients = new Clients()
let ensemble: ZooKeeperEnsemble

beforeAll(async () => {
  ensemble = await startZooKeeperEnsemble()
})
afterEach(() => clients.closeAll())
afterAll(() => ensemble.stop())

it('a follower that is cut off goes on answering reads, and its client gives up its holds all the same', async () => {
  const leader = await ensemble.leader()
  const others = ensemble.servers.filter((server) => server !== leader)
  const [follower, third] = others
  if (!follower || !third) throw new Error('three servers are needed')
  const holdfast = clients.open(follower.connect, { watchdogTimeoutMs: 2_000, commandTimeoutMs: 1_000 })
  holdfast.on('error', () => undefined)
  const busy = uniqueName('busy')
  await clients.open(leader.connect).getLock(busy).lock()
  // Long, so that only the session can end it.
  const lease = await holdfast.getLock(uniqueName('cut-off')).lock({ leaseMs: 60_000 })
  let answered = 0
  try {
    await withSession(follower.connect, async (ask, make) => {
      await ask(make.getChildren('/holdfast/locks', false))
      await Promise.all([leader.freeze(), third.freeze()])
      const told = whenAborted(lease.signal)
      // What it reads proves nothing.
      await until(
        async () => {
          if (
            await holdfast
              .getLock(busy)
              .tryLock()
              .then(
                (got) => got === null,
                () => false,
              )
          )
            answered += 1
          return lease.signal.aborted
        },
        { timeoutMs: 15_000 },
      )
      await told
      expect(answered).toBeGreaterThan(0)
      expect(await ask(make.getChildren('/holdfast/locks', false))).not.toBeNull()
    })
  } finally {
    for (const server of ensemble.servers) server.thaw()
  }
  expect(lease.signal.reason).toMatchObject({ code: 'LOCK_LOST' })
  await until(() => holdfast.getLock(uniqueName('again')).withLock(() => true), { timeoutMs: 60_000 })
})

it('a follower that dies with what it has not told the leader costs the hold before a rival enters', async () => {
  const leader = await ensemble.leader()
  const follower = ensemble.servers.find((server) => server !== leader)
  if (!follower) throw new Error('three servers are needed')
  const name = uniqueName('untold')
  const holdfast = clients.open(follower.connect, { watchdogTimeoutMs: 9_000, commandTimeoutMs: 2_000 })
  holdfast.on('error', () => undefined)
  const lease = await holdfast.getLock(name).lock()
  const waiting = clients.open(leader.connect).getLock(name).lock()
  try {
    const whenRenewed = async (): Promise<void> => {
      let before = Infinity
      const isRenewed = (): boolean => {
        const left = lease.remainingMs()
        const hasGrown = left > before
        before = left
        return hasGrown
      }
      await until(isRenewed, { everyMs: 1 })
    }
    await whenRenewed()
    await whenRenewed()
    // The leader hears of a client of this server with the next of its pings, every half of a tick.
    await follower.freeze()
    const rival = await waiting
    expect(lease.isHeld).toBe(false)
    await rival.unlock()
  } finally {
    follower.thaw()
  }
})

it('a lock whose reply is lost with its server is held once, through another server', async () => {
  const proxies = await Promise.all(ensemble.servers.map((server) => startProxy(server, 'zookeeper')))
  try {
    const connect = proxies.map(({ host, port }) => `${host}:${port}`).join(',')
    const holdfast = clients.open(connect)
    await holdfast.getLock(uniqueName('first')).withLock(() => undefined)
    const name = uniqueName('elsewhere')
    const isEntry = (request: string): boolean => request.startsWith('create /') && request.includes('~')
    const refused = Promise.race(
      proxies.map(async (proxy) => {
        await proxy.loseReply(isEntry)
        await proxy.refuse()
      }),
    )
    const lease = await holdfast.getLock(name).lock()
    await refused
    const { holder, waiterCount } = await clients.open(ensemble.connect).getLock(name).inspect()
    expect([holder?.owner, waiterCount]).toEqual([lease.owner, 0])
    await lease.unlock()
  } finally {
    await clients.closeAll()
    await Promise.all(proxies.map((proxy) => proxy.close()))
  }
})
