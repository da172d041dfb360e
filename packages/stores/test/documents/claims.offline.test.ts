import { Holdfast } from '@holdfast/core'
import { documentEngine } from '@holdfast/stores/documents'
import { DocumentTable } from '@holdfast/sim/stores'
import { openClient, type OpenClient } from './support/open-client.js'
import { requestOf } from './support/request-of.js'

const second = 1_000
const acquire = ({ session, locate }: OpenClient, owner: string, more = {}) =>
  session.steps.acquire(locate('x'), requestOf(owner, more), second)
const release = ({ session, locate }: OpenClient, owner: string) =>
  session.steps.release(locate('x'), { owner, count: 0, tombstoneMs: 0 }, second)

it('20 waiters of a client that died delay the next one once', async () => {
  const table = new DocumentTable()
  const [dead, a, b] = [
    await openClient(table, 'dead'),
    await openClient(table, 'a'),
    await openClient(table, 'b'),
  ]
  await acquire(a, 'a:1')
  for (let n = 0; n < 20; n++) await acquire(dead, `dead:${n}`)
  await acquire(b, 'b:1')
  await release(a, 'a:1')
  expect(await acquire(b, 'b:1')).toMatchObject({ kind: 'busy', holder: 'dead:0', position: 20 })
  table.offsetMs += 1_000
  expect(await acquire(b, 'b:1')).toMatchObject({ kind: 'busy', holder: 'dead:0' })
  table.offsetMs += 1_000
  expect(await acquire(b, 'b:1')).toMatchObject({ kind: 'held' })
})

it('a client that noticed its turn keeps the places of its other waiters, whatever becomes of its hold', async () => {
  const table = new DocumentTable()
  const [a, b, c] = [await openClient(table, 'a'), await openClient(table, 'b'), await openClient(table, 'c')]
  await acquire(a, 'a:1')
  for (const owner of ['b:1', 'b:2']) await acquire(b, owner)
  await acquire(c, 'c:1')
  await release(a, 'a:1')
  expect(await acquire(b, 'b:1', { leaseMs: 3_000 })).toMatchObject({ kind: 'held' })
  table.offsetMs += 3_010
  expect(await acquire(c, 'c:1')).toMatchObject({ kind: 'busy', holder: 'b:2' })
})

it.each([
  ['gave it up', (b: OpenClient) => release(b, 'b:1')],
  ['was evicted', ({ session, locate }: OpenClient) => session.steps.force(locate('x'), 'b:1')],
])('a client that %s before it noticed its turn is not taken for dead', async (_, end) => {
  const table = new DocumentTable()
  const [a, b, c] = [await openClient(table, 'a'), await openClient(table, 'b'), await openClient(table, 'c')]
  await acquire(a, 'a:1')
  await acquire(b, 'b:1')
  await acquire(c, 'c:1')
  await acquire(b, 'b:2')
  await release(a, 'a:1')
  await end(b)
  expect(await acquire(c, 'c:1')).toMatchObject({ kind: 'held' })
  expect(await c.session.steps.inspect(c.locate('x'), 9)).toMatchObject({ waiters: [{ owner: 'b:2' }] })
})

it('a client is told at once of its waiters that its own release let in, and of the eviction of its own hold', async () => {
  const table = new DocumentTable()
  const a = await openClient(table, 'a')
  for (const owner of ['a:1', 'a:2', 'a:3']) await acquire(a, owner)
  await release(a, 'a:1')
  expect(a.log).toEqual(['wake x a:2'])
  await acquire(a, 'a:2')
  await a.session.steps.force(a.locate('x'), 'a:2')
  expect(a.log).toEqual(['wake x a:2', 'revoked a:2', 'wake x a:3'])
})

it('a waiter that looks wakes those of its client that were let in before it', async () => {
  const table = new DocumentTable()
  const [a, b] = [await openClient(table, 'a'), await openClient(table, 'b')]
  const semaphore = (client: OpenClient, owner: string, count: number) =>
    client.session.steps.acquire(
      client.locate('s', 'semaphore'),
      requestOf(owner, { count, size: 3 }),
      second,
    )
  await semaphore(a, 'a:1', 3)
  await semaphore(b, 'b:1', 3)
  await semaphore(b, 'b:2', 1)
  const resize = { size: 2, keepMs: 60_000, version: 0, id: 'one' }
  await a.session.steps.resize?.(a.locate('s', 'semaphore'), resize, second)
  await a.session.steps.release(
    a.locate('s', 'semaphore'),
    { owner: 'a:1', count: 0, tombstoneMs: 0 },
    second,
  )
  expect(await semaphore(b, 'b:1', 3)).toMatchObject({ kind: 'busy', holder: 'b:2' })
  expect(b.log).toEqual([`wake ${b.locate('s', 'semaphore').id} b:2`])
})

it('in a store that evicts, a hold that vanished is lost although its release was sent twice', async () => {
  const table = new DocumentTable({ evicts: true })
  const client = new Holdfast({ engine: documentEngine(table) })
  const lost = new Promise<string>((resolve) => client.once('lost', ({ error }) => resolve(error.reason)))
  const lease = await client.getLock('x').lock()
  table.rows.delete('lock:x')
  table.repliesToLose = 1
  await expect(lease.unlock()).rejects.toThrow('no longer holds it')
  expect(await lost).toBe('not-held')
  await client.close()
})
