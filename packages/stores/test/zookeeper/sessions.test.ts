import { startZooKeeper, uniqueName, until, type LocalZooKeeper } from '@holdfast/testkit'
import { mode } from '../../src/zookeeper/client/requests.js'
import { Clients, stall, whenAborted } from './support/clients.js'
import { removeAll, withSession } from './support/nodes.js'

const watchdogTimeoutMs = 2_000
const clients = new Clients()
let server: LocalZooKeeper

beforeAll(async () => {
  server = await startZooKeeper()
})
afterEach(() => clients.closeAll())
afterAll(() => server.stop())

it.each([
  ['both', watchdogTimeoutMs],
  ['toServer', watchdogTimeoutMs],
  // Longer than any pause between attempts to connect, each of which renews the session, though its client cannot know.
  ['toClient', 12_000],
] as const)(
  'a holder whose link swallows %s is told before the rival gets in, which it does',
  async (direction, sessionMs) => {
    const name = uniqueName('hole')
    const options = { watchdogTimeoutMs: sessionMs, commandTimeoutMs: 500 }
    const { holdfast, proxy } = await clients.openLinked(server, options)
    const rival = clients.open(server.connect)
    const lease = await holdfast.getLock(name).lock()
    const told = whenAborted(lease.signal)
    const waiting = rival.getLock(name).lock()
    await until(async () => (await rival.getLock(name).inspect()).waiterCount === 1)
    proxy.blackHole(direction)
    const next = await waiting
    const rivalIn = performance.now()
    expect(await told).toBeLessThan(rivalIn)
    expect(next.fencingToken).toBeGreaterThan(lease.fencingToken)
    proxy.heal()
    await next.unlock()
    await holdfast.getLock(name).withLock(() => undefined)
  },
)

it('a process that stood still past a session that is shorter than the lease claims nothing on its first line', async () => {
  const name = uniqueName('stall')
  const holdfast = clients.open(server.connect, {}, { sessionTimeoutMs: 600 })
  const rival = clients.open(server.connect)
  const lease = await holdfast.getLock(name).lock({ leaseMs: 60_000 })
  expect(lease.remainingMs()).toBeLessThanOrEqual(600)
  const waiting = rival.getLock(name).lock()
  await until(async () => (await rival.getLock(name).inspect()).waiterCount === 1)
  stall(1_500)
  const { isHeld } = lease
  expect(isHeld).toBe(false)
  await (await waiting).unlock()
})

it('a hold outlives many sessions of six ticks, since it is proven all the time', async () => {
  const holdfast = clients.open(server.connect, {}, { sessionTimeoutMs: 1_800, tickMs: 300 })
  const lease = await holdfast.getLock(uniqueName('short')).lock()
  const end = performance.now() + 5_000
  await until(() => performance.now() > end || !lease.isHeld)
  expect(lease.isHeld).toBe(true)
  await lease.unlock()
})

it('sessions of less than six ticks are refused when they are granted', async () => {
  const holdfast = clients.open(server.connect, { watchdogTimeoutMs: 400_000 }, { tickMs: 60_000 })
  await expect(holdfast.getLock('capped').lock()).rejects.toMatchObject({
    code: 'REFUSED',
    message: expect.stringContaining(
      'grants sessions of 120000 ms, and at tickMs: 60000 they have to last 360000 ms: give the tickTime',
    ) as string,
  })
})

it('clients go on with a server that has lost everything: the holder is told, waiters get in, evictions arrive', async () => {
  await using own = await startZooKeeper()
  const [holder, waiter] = [
    clients.open(own.connect, { watchdogTimeoutMs }),
    clients.open(own.connect, { watchdogTimeoutMs }),
  ]
  const name = uniqueName('kept')
  const lease = await holder.getLock(name).lock()
  const waiting = waiter.getLock(name).lock()
  await until(async () => (await holder.getLock(name).inspect()).waiterCount === 1)
  await own.kill()
  await own.start({ keepData: false })
  await until(() => lease.signal.aborted)
  const next = await waiting
  await holder.getLock(name).forceUnlock()
  await until(() => next.signal.aborted)
  expect(next.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'revoked' })
})

it('an entry of the same client from a session that is over is not taken for its own', async () => {
  const name = uniqueName('own')
  const { holdfast, proxy } = await clients.openLinked(server, { watchdogTimeoutMs, commandTimeoutMs: 500 })
  const lease = await holdfast.getLock(name).lock()
  // The store carries it out, and the client cannot know; then its session is over for it.
  proxy.blackHole('toClient')
  await whenAborted(lease.signal)
  proxy.heal()
  const again = await holdfast.getLock(name).lock()
  const { holder } = await clients.open(server.connect).getLock(name).inspect()
  expect(holder?.owner).toBe(again.owner)
  expect(again.fencingToken).toBeGreaterThan(lease.fencingToken)
  await again.unlock()
})

it('a lock that is acquired while the store ends the session is held in the next one, and stays', async () => {
  const [lost, kept] = [uniqueName('lost'), uniqueName('kept')]
  const { holdfast, proxy } = await clients.openLinked(server, {
    watchdogTimeoutMs,
    commandTimeoutMs: 10_000,
  })
  const lease = await holdfast.getLock(lost).lock()
  await proxy.refuse()
  proxy.cut()
  const acquiring = holdfast.getLock(kept).lock()
  const watcher = clients.open(server.connect)
  await until(async () => (await watcher.getLock(lost).inspect()).holder === null)
  await proxy.accept()
  const next = await acquiring
  expect(lease.isHeld).toBe(false)
  // Past what ends holds of the old session, and two renewals.
  const end = performance.now() + watchdogTimeoutMs
  await until(() => performance.now() > end || !next.isHeld)
  expect(next.isHeld).toBe(true)
  expect((await watcher.getLock(kept).inspect()).holder?.owner).toBe(next.owner)
  await next.unlock()
})

it('a first use behind a link that swallows replies creates nothing that stays', async () => {
  const name = uniqueName('first')
  const { holdfast, proxy } = await clients.openLinked(server, { watchdogTimeoutMs, commandTimeoutMs: 400 })
  await holdfast.getLock(uniqueName('other')).withLock(() => undefined)
  proxy.blackHole('toClient')
  const acquiring = holdfast.getLock(name).lock()
  const rival = clients.open(server.connect)
  // Directory and entry went out in one flight, so the entry is there.
  await until(async () => (await rival.getLock(name).inspect()).holder !== null)
  proxy.heal()
  const lease = await acquiring
  expect((await rival.getLock(name).inspect()).holder?.owner).toBe(lease.owner)
  await lease.unlock()
  expect(await rival.getLock(name).inspect()).toMatchObject({ holder: null, waiterCount: 0 })
})

it('holders of nodes that were all deleted learn that, whatever else was deleted', async () => {
  const holdfast = clients.open(server.connect, { watchdogTimeoutMs })
  const names = Array.from({ length: 20 }, () => uniqueName('wiped'))
  const leases = await Promise.all(names.map((name) => holdfast.getLock(name).lock()))
  await removeAll(server.connect)
  await Promise.all(leases.map(({ signal }) => whenAborted(signal)))
  for (const { signal } of leases) expect(signal.reason).toMatchObject({ code: 'LOCK_LOST' })
  for (const name of names) await holdfast.getLock(name).withLock(({ isHeld }) => expect(isHeld).toBe(true))
})

it('of many holds, one that was deleted is lost and the others are renewed', async () => {
  const holdfast = clients.open(server.connect, { watchdogTimeoutMs })
  const names = Array.from({ length: 12 }, () => uniqueName('one'))
  const leases = await Promise.all(names.map((name) => holdfast.getLock(name).lock()))
  const victim = leases[5]
  await withSession(server.connect, async (ask, make) => {
    const shards = (await ask(make.getChildren('/holdfast/locks', false))) ?? []
    for (const shard of shards) {
      const path = `/holdfast/locks/${shard}/l=${names[5] ?? ''}`
      for (const node of (await ask(make.getChildren(path, false))) ?? []) {
        await ask(make.remove(`${path}/${node}`))
      }
    }
  })
  if (victim) await whenAborted(victim.signal)
  const end = performance.now() + watchdogTimeoutMs
  await until(() => performance.now() > end)
  expect(leases.map(({ isHeld }) => isHeld)).toEqual(leases.map((lease) => lease !== victim))
  await Promise.all(leases.filter((lease) => lease !== victim).map((lease) => lease.unlock()))
})

it('the directory of a queue that the server removes between two cycles is made again', async () => {
  const name = uniqueName('empty')
  const holdfast = clients.open(server.connect)
  await holdfast.getLock(name).withLock(() => undefined)
  await withSession(server.connect, (ask, make) =>
    until(async () => {
      const shards = (await ask(make.getChildren('/holdfast/locks', false))) ?? []
      const all = await Promise.all(
        shards.map((shard) => ask(make.getChildren(`/holdfast/locks/${shard}`, false))),
      )
      return !all.flat().includes(`l=${name}`)
    }),
  )
  await holdfast.getLock(name).withLock(({ isHeld }) => expect(isHeld).toBe(true))
})

describe('a semaphore whose holder gave back permits', () => {
  const nodesOf = (name: string): Promise<readonly string[]> =>
    withSession(server.connect, async (ask, make) => {
      const shards = (await ask(make.getChildren('/holdfast/locks', false))) ?? []
      const all = await Promise.all(
        shards.map((shard) => ask(make.getChildren(`/holdfast/locks/${shard}/s=${name}`, false))),
      )
      return all.flatMap((nodes) => nodes ?? [])
    })

  it('leaves nothing, however often it did', async () => {
    const name = uniqueName('parts')
    const semaphore = clients.open(server.connect).getSemaphore(name, { permits: 3 })
    const lease = await semaphore.acquire({ permits: 3 })
    await lease.release(1)
    await lease.release(1)
    await lease.release()
    expect(await nodesOf(name)).toEqual([])
  })

  it('leaves nothing once its resize is over, even if a note was forgotten, and keeps no client busy', async () => {
    const name = uniqueName('parts')
    const semaphore = clients.open(server.connect).getSemaphore(name, { permits: 3 })
    const lease = await semaphore.acquire({ permits: 3 })
    await lease.release(2)
    await withSession(server.connect, async (ask, make) => {
      const shards = (await ask(make.getChildren('/holdfast/locks', false))) ?? []
      for (const shard of shards) {
        const path = `/holdfast/locks/${shard}/s=${name}`
        const [note] = ((await ask(make.getChildren(path, false))) ?? []).filter((node) =>
          node.endsWith('=1'),
        )
        // As a release leaves it that does not know of the one before.
        if (note) await ask(make.create(`${path}/${note.replace('=1', '=2')}`, '', mode.persistent))
      }
    })
    await lease.release()
    expect(await nodesOf(name)).toHaveLength(1)
    await semaphore.resize(2, { keepMs: 1 })
    await until(async () => (await semaphore.inspect()).permits === 3)
    expect(await nodesOf(name)).toEqual([])
  })
})
