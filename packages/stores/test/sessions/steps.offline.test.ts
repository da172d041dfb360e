import { MemoryQueues, newLink } from '@holdfast/sim/stores'
import { InProcessLink } from '@holdfast/conformance'
import type { AcquireRequest } from '@holdfast/core/engine'
import { until } from '@holdfast/testkit'
import { openSession, type OpenSession } from './support/open-session.js'

const timeoutMs = 2_000
const opened: OpenSession[] = []
let queues: MemoryQueues

beforeEach(() => {
  queues = new MemoryQueues()
})
afterEach(() => Promise.all(opened.splice(0).map(({ session }) => session.close())))

async function open(clientId: string, link = newLink()): Promise<OpenSession> {
  const client = await openSession(queues, clientId, link)
  opened.push(client)
  return client
}

const request = (owner: string, more: Partial<AcquireRequest> = {}): AcquireRequest => ({
  ...{ owner, count: 1, leaseMs: 60_000, entryTtlMs: 60_000, grantLeaseMs: 60_000, proof: 'p' },
  ...{ wantsToken: true, ...more },
})

it('a re-entry at the instant at which the lease ends keeps the entry and holds, or is lost', async () => {
  const { session } = await open('a')
  const { steps, names } = session
  const outcomes = new Set<string>()
  for (let n = 0; n < 30; n += 1) {
    const address = names.locate(`brake-${n}`, 'lock')
    await steps.acquire(address, request('a:1', { leaseMs: 30 }), timeoutMs)
    const at = performance.now() + 26 + (n % 10)
    await until(() => performance.now() >= at, { everyMs: 0 })
    const reply = await steps.acquire(address, request('a:1', { count: 2, leaseMs: 60_000 }), timeoutMs)
    outcomes.add(reply.kind)
    const { entries } = queues.list({ name: address.name, object: 'lock' })
    if (reply.kind === 'held') {
      expect(entries).toMatchObject([{ owner: 'a:1', token: reply.token }])
      expect((await steps.renew([{ address, owner: 'a:1', leaseMs: 60_000 }], timeoutMs))[0]).toBe('renewed')
    } else {
      expect(reply).toEqual({ kind: 'lost' })
      await until(() => queues.list({ name: address.name, object: 'lock' }).entries.length === 0)
    }
  }
  expect([...outcomes].sort()).toEqual(['held', 'lost'])
})

it('a lease that is over frees the lock while the session goes on', async () => {
  const [a, b] = [await open('a'), await open('b')]
  const address = a.session.names.locate('lease', 'lock')
  await a.session.steps.acquire(address, request('a:1', { leaseMs: 50 }), timeoutMs)
  expect(await b.session.steps.acquire(address, request('b:1'), timeoutMs)).toMatchObject({
    kind: 'busy',
    holder: 'a:1',
    position: 1,
    ttlMs: Infinity,
  })
  await until(() => b.granted.length > 0)
  expect(b.granted).toMatchObject([{ owner: 'b:1', proof: 'p', leaseMs: 60_000 }])
})

it('an acquire without a reply is in doubt: the next one finds the entry, and a release removes it', async () => {
  const link = newLink()
  const { session } = await open('a', link)
  const { steps, names } = session
  const address = names.locate('doubt', 'lock')
  for (const next of ['acquire', 'release'] as const) {
    const lost = link.loseNextReply()
    await expect(steps.acquire(address, request('a:1'), timeoutMs)).rejects.toThrow('the connection broke')
    await lost
    expect(queues.list({ name: 'doubt', object: 'lock' }).entries).toHaveLength(1)
    if (next === 'acquire') {
      expect(await steps.acquire(address, request('a:1'), timeoutMs)).toMatchObject({ kind: 'held' })
      expect(queues.list({ name: 'doubt', object: 'lock' }).entries).toHaveLength(1)
    }
    await steps.release(address, { owner: 'a:1', count: 0, tombstoneMs: 0 }, timeoutMs)
    expect(queues.list({ name: 'doubt', object: 'lock' }).entries).toEqual([])
  }
})

it('an owner that is in does not hold by a reply which comes after its session has ended', async () => {
  const late: (() => void)[] = []
  let isLate = false
  const link = new InProcessLink('memory-queues', 1, {
    travel: (way) =>
      new Promise((resolve) => {
        if (isLate && way === 'toClient') late.push(resolve)
        else setImmediate(resolve)
      }),
    atOnce: (_, run) => run(),
  })
  const { session } = await open('a', link)
  const { steps, names } = session
  const address = names.locate('over', 'lock')
  await steps.acquire(address, request('a:1'), timeoutMs)
  const [entry] = queues.list({ name: 'over', object: 'lock' }).entries
  isLate = true
  const again = steps.acquire(address, request('a:1'), timeoutMs)
  await until(() => late.length > 0)
  isLate = false
  queues.end(entry?.session ?? '')
  await expect(steps.inspect(address, 1)).rejects.toThrow('the session is over')
  for (const arrive of late) arrive()
  await expect(again).rejects.toThrow('the session has ended in which a:1 entered')
  expect(await steps.acquire(address, request('a:1'), timeoutMs)).toMatchObject({ kind: 'held' })
})

it('an acquire that waits for its turn behind a release with a tombstone is abandoned', async () => {
  const { session } = await open('a')
  const { steps, names } = session
  const address = names.locate('late', 'lock')
  const first = steps.acquire(address, request('a:1'), timeoutMs)
  const released = steps.release(address, { owner: 'a:1', count: 0, tombstoneMs: 60_000 }, timeoutMs)
  const late = steps.acquire(address, request('a:1'), timeoutMs)
  await Promise.all([first, released])
  expect(await late).toEqual({ kind: 'abandoned' })
  expect(queues.list({ name: 'late', object: 'lock' }).entries).toEqual([])
})

it('waiters of one client pass a lock on without a look at the store, and never past one of another client', async () => {
  const [a, b] = [await open('a'), await open('b')]
  const address = a.session.names.locate('passed-on', 'lock')
  const release = (owner: string) => {
    const { steps } = owner.startsWith('a') ? a.session : b.session
    return steps.release(address, { owner, count: 0, tombstoneMs: 0 }, timeoutMs)
  }
  for (const owner of ['a:1', 'a:2', 'b:1', 'a:3']) {
    const { steps } = owner.startsWith('a') ? a.session : b.session
    await steps.acquire(address, request(owner), timeoutMs)
  }
  const list = jest.spyOn(queues, 'list')
  await release('a:1')
  await until(() => a.granted.length === 1)
  expect(list).not.toHaveBeenCalled()
  await release('a:2')
  await until(() => b.granted.length === 1)
  expect(list).toHaveBeenCalledTimes(1)
  await release('b:1')
  await until(() => a.granted.length === 2)
  expect([...a.granted, ...b.granted].map(({ owner }) => owner)).toEqual(['a:2', 'a:3', 'b:1'])
  const tokens = [a.granted[0], b.granted[0], a.granted[1]].map((grant) => grant?.token ?? 0)
  expect(tokens).toEqual([...tokens].sort((x, y) => x - y))
})

it('a holder that the store no longer has passes nothing on: who is next is looked up', async () => {
  const { session, granted } = await open('a')
  const address = session.names.locate('evicted', 'lock')
  for (const owner of ['a:1', 'a:2']) await session.steps.acquire(address, request(owner), timeoutMs)
  const [first] = queues.list({ name: address.name, object: 'lock' }).entries
  if (first) queues.remove(first)
  queues.enter(
    'another session',
    { name: address.name, object: 'lock' },
    { owner: 'b:1', permits: 1, size: 1 },
    { count: 1, leaseMs: 0 },
  )
  const list = jest.spyOn(queues, 'list')
  expect(await session.steps.release(address, { owner: 'a:1', count: 0, tombstoneMs: 0 }, timeoutMs)).toEqual(
    {
      kind: 'not-held',
    },
  )
  await until(() => granted.length === 1)
  expect(list).toHaveBeenCalledTimes(1)
})

it('waiters of several clients for a semaphore get in as permits return, each woken by the one ahead', async () => {
  const clients = await Promise.all(['a', 'b', 'c'].map((id) => open(id)))
  const address = clients[0]?.session.names.locate('permits', 'semaphore')
  if (!address) throw new Error('no client')
  const want = (n: number, owner: string) =>
    clients[n]?.session.steps.acquire(address, request(owner, { size: 2 }), timeoutMs)
  await want(0, 'a:1')
  await want(0, 'a:2')
  for (const [n, owner] of [
    [1, 'b:1'],
    [2, 'c:1'],
    [1, 'b:2'],
  ] as const) {
    expect(await want(n, owner)).toMatchObject({ kind: 'busy' })
  }
  const owners = (): string[] => clients.flatMap(({ granted }) => granted.map(({ owner }) => owner))
  const leave = (owner: string) =>
    clients[0]?.session.steps.release(address, { owner, count: 0, tombstoneMs: 0 }, timeoutMs)
  // The second one frees permits for the one that is not the first that waits.
  await leave('a:2')
  await until(() => owners().length === 1)
  await leave('a:1')
  await until(() => owners().length === 2)
  expect(owners().sort()).toEqual(['b:1', 'c:1'])
})

it('one that a resize passed over gets a larger token than those that got in before it', async () => {
  const [a, b] = [await open('a'), await open('b')]
  const { steps, names } = a.session
  const address = names.locate('permits', 'semaphore')
  const resize = (size: number, version: number) =>
    steps.resize?.(address, { size, keepMs: 60_000, version, id: `to ${size}` }, timeoutMs)
  await steps.acquire(address, request('a:1', { size: 3 }), timeoutMs)
  await b.session.steps.acquire(address, request('b:1', { count: 3, size: 3 }), timeoutMs)
  const shrunk = await resize(2, 0)
  const later = await steps.acquire(address, request('a:2', { size: 3 }), timeoutMs)
  expect(later).toMatchObject({ kind: 'held' })
  await resize(3, shrunk?.kind === 'resized' ? shrunk.version : 0)
  for (const owner of ['a:1', 'a:2'])
    await steps.release(address, { owner, count: 0, tombstoneMs: 0 }, timeoutMs)
  await until(() => b.granted.length > 0)
  expect(b.granted[0]?.token).toBeGreaterThan(later.kind === 'held' ? later.token : Infinity)
})

it('what is asked of a session that is over is done in the next, and what it held is gone', async () => {
  const { session, broken } = await open('a')
  const { steps, names, store } = session
  const [held, next] = [names.locate('held', 'lock'), names.locate('next', 'lock')]
  await steps.acquire(held, request('a:1'), timeoutMs)
  const before = store.knownIncarnation(held)
  queues.end(before ?? '')
  await expect(steps.acquire(next, request('a:2'), timeoutMs)).rejects.toThrow('the session is over')
  expect(broken()).toBe(1)
  await until(() => store.knownIncarnation(held) !== undefined)
  expect(store.knownIncarnation(held)).not.toBe(before)
  expect(await steps.renew([{ address: held, owner: 'a:1', leaseMs: 1_000 }], timeoutMs)).toEqual([
    'not-held',
  ])
  expect(await steps.acquire(next, request('a:2'), timeoutMs)).toMatchObject({ kind: 'held' })
})
