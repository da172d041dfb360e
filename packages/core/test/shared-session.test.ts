import { uniqueName, until } from '@holdfast/testkit'
import { closeAll } from './support/clients.js'
import { openSession } from './support/open-session.js'
import { ownRedis } from './support/own-redis.js'

const server = ownRedis()

afterEach(closeAll)

const times = { leaseMs: 30_000, entryTtlMs: 30_000, grantLeaseMs: 20_000, proof: 'p', wantsToken: true }
const ms = expect.any(Number) as unknown

it('a session carries out every step on a semaphore, and reports who entered and who was evicted', async () => {
  const { session, reports } = openSession('c1', { redis: server.url })
  const address = session.names.locate(uniqueName('session'), 'semaphore')
  await session.prepare(address)
  await session.inbox.subscribe(address)
  const acquire = (n: number, count = 1) =>
    session.steps.acquire(address, { owner: `c1:${n}`, count, size: 3, ...times }, 5_000)
  const release = (n: number, count = 0) =>
    session.steps.release(address, { owner: `c1:${n}`, count, tombstoneMs: 0 }, 5_000)

  const held = { kind: 'held', token: ms }
  expect(await acquire(1, 3)).toEqual(held)
  expect(await acquire(2)).toMatchObject({ kind: 'busy', holder: 'c1:1', position: 1 })
  expect(await acquire(3)).toMatchObject({ kind: 'busy', position: 2 })
  expect(await session.steps.renew([{ address, owner: 'c1:1', leaseMs: 40_000 }], 5_000)).toEqual(['renewed'])
  const entries = ['c1:1', 'c1:2', 'c1:4'].map((owner) => ({ address, owner, entryTtlMs: 30_000 }))
  expect((await session.steps.refresh(entries)).map(({ state }) => state)).toEqual([
    'granted',
    'waiting',
    'missing',
  ])
  expect(await release(1, 1)).toEqual({ kind: 'released' })
  await until(() => reports.length >= 2)
  expect(reports.splice(0)).toEqual([`granted ${address.id} c1:2 20000`, `granted ${address.id} c1:3 20000`])
  expect(await acquire(1, 3)).toEqual({ kind: 'lost' })

  const request = { size: 2, keepMs: 60_000, version: 0, id: 'a' }
  expect(await session.steps.resize?.(address, request, 5_000)).toEqual({
    kind: 'resized',
    version: 1,
    size: 2,
  })
  expect(await session.steps.resize?.(address, { ...request, id: 'b' }, 5_000)).toMatchObject({
    kind: 'superseded',
  })
  await acquire(4, 2)
  expect(await session.steps.inspect(address, 1)).toEqual({
    kind: 'shared',
    size: 2,
    version: 1,
    used: 3,
    holderCount: 3,
    holders: [{ owner: 'c1:2', permits: 1, ttlMs: ms }],
    token: ms,
    waiterCount: 1,
    waiters: [{ owner: 'c1:4', permits: 2, aliveMs: ms }],
  })
  expect(await session.steps.force(address, 'c1:1')).toEqual({ kind: 'released' })
  expect(await session.steps.force(address, 'c1:1')).toEqual({ kind: 'not-held' })
  await until(() => reports.length >= 1)
  expect(reports).toEqual(['revoked c1:1'])
  for (const n of [2, 3, 4]) await release(n)
})
