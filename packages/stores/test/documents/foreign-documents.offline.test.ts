import { DocumentTable } from '@holdfast/sim/stores'
import { openClient } from './support/open-client.js'
import { requestOf } from './support/request-of.js'

const second = 1_000
const foreign = 'the document lock:x was not written by Holdfast; delete it, or keep locks under other keys'

it.each([
  ['text', 'hello', foreign],
  ['other JSON', '{"name":"x"}', foreign],
  ['a list', '[1]', foreign],
  [
    'a later format',
    '{"format":2,"hold":null}',
    'the document lock:x has format 2, and this version of @holdfast/stores reads format 1; update the older of the two',
  ],
])('%s is not a lock, and no step changes it', async (_, text, reason) => {
  const table = new DocumentTable()
  const { session, locate } = await openClient(table, 'a')
  const { steps } = session
  const address = locate('x')
  const owner = 'a:1'
  table.rows.set('lock:x', { text, version: 7, untilMs: Infinity })
  const notALock = { kind: 'not-a-lock', reason }
  expect(await steps.acquire(address, requestOf(owner), second)).toEqual(notALock)
  expect(await steps.release(address, { owner, count: 0, tombstoneMs: second }, second)).toEqual(notALock)
  expect(await steps.force(address, owner)).toEqual(notALock)
  expect(await steps.inspect(address, 1)).toEqual(notALock)
  expect(await steps.renew([{ address, owner, leaseMs: second }], second)).toEqual(['not-held'])
  expect(await steps.refresh([{ address, owner, entryTtlMs: second }])).toEqual([
    { state: 'missing', ttlMs: 0 },
  ])
  await expect(steps.raiseToken?.(address, 1, second)).rejects.toThrow(reason)
  expect(table.rows.get('lock:x')).toEqual({ text, version: 7, untilMs: Infinity })
})

it('a latch and a semaphore say so, too', async () => {
  const table = new DocumentTable()
  const { session, locate } = await openClient(table, 'a')
  for (const key of ['latch:x', 'semaphore:x'])
    table.rows.set(key, { text: '1', version: 7, untilMs: Infinity })
  const latch = locate('x', 'latch')
  const notALock = { kind: 'not-a-lock' }
  expect(await session.latches?.inspect(latch, 1)).toMatchObject(notALock)
  expect(await session.latches?.countDown(latch, { named: 0, party: 'p' }, second)).toMatchObject(notALock)
  expect(
    await session.latches?.wait([{ address: latch, awaited: undefined, aliveMs: 0 }], second),
  ).toMatchObject([notALock])
  const resize = { size: 1, keepMs: second, version: 0, id: 'one' }
  expect(await session.steps.resize?.(locate('x', 'semaphore'), resize, second)).toMatchObject(notALock)
})

it('a registration that cannot be read counts as none', async () => {
  const table = new DocumentTable()
  const { session } = await openClient(table, 'a')
  expect(await session.registry.find('a')).toMatchObject({ host: 'here', pid: 1, label: 'a' })
  table.rows.set('client:a', { text: 'hello', version: 7, untilMs: Infinity })
  expect(await session.registry.find('a')).toBeNull()
  expect(await session.registry.find('b')).toBeNull()
})
