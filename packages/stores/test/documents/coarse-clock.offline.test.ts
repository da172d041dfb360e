import { DocumentTable } from '@holdfast/sim/stores'
import { openClient } from './support/open-client.js'
import { requestOf } from './support/request-of.js'

const second = 1_000
const address = { lock: 'x', latch: 'latch' } as const

/** A store whose clock counts seconds, and two clients. */
async function open(graceMs = 3_000) {
  const table = new DocumentTable({ clockStepMs: 1_000, graceMs })
  const [a, b] = [await openClient(table, 'a'), await openClient(table, 'b')]
  const acquire = (client: typeof a, owner: string, more = {}) =>
    client.session.steps.acquire(client.locate(address.lock), requestOf(owner, more), second)
  const set = (client: typeof a, named: number, setter: string, timeoutMs = second) =>
    client.session.latches?.set(
      client.locate(address.latch, 'latch'),
      { named, setter, count: 1, keepMs: 60_000 },
      timeoutMs,
    )
  return { table, a, b, acquire, set }
}

it('a lease is never short, nor more than three seconds too long, at whichever moment of a second it begins', async () => {
  const { table, a, b, acquire } = await open()
  for (let phase = 0; phase < 200; phase++) {
    const leaseMs = 3_000 + (phase % 7) * 300
    const owner = `a:${phase}`
    table.offsetMs += 1_000 - (table.trueMs % 1_000) + phase * 5
    expect(await acquire(a, owner, { leaseMs, entryTtlMs: 0 })).toMatchObject({ kind: 'held' })
    const found = await a.session.steps.inspect(a.locate('x'), 1)
    expect(found.kind === 'lock' && found.ttlMs).toBeLessThanOrEqual(Math.ceil(leaseMs / second) * second)
    table.offsetMs += leaseMs - 5
    expect(await acquire(b, `b:${phase}`, { entryTtlMs: 0 })).toMatchObject({ kind: 'busy', holder: owner })
    table.offsetMs += 3_500
    expect(await acquire(b, `b:${phase}`, { entryTtlMs: 0 })).toMatchObject({ kind: 'held' })
    await b.session.steps.release(b.locate('x'), { owner: `b:${phase}`, count: 0, tombstoneMs: 0 }, second)
  }
})

it('after a loss of data nobody enters until those who held something have been told', async () => {
  const { table, a, b, acquire } = await open()
  await acquire(a, 'a:1')
  table.wipe()
  expect(a.log).toContain('reconnected')
  expect(await acquire(b, 'b:1')).toMatchObject({ kind: 'busy', holder: '', position: 0, againMs: 500 })
  const renewal = { address: a.locate('x'), owner: 'a:1', leaseMs: 30_000 }
  expect(await a.session.steps.renew([renewal], second)).toEqual(['not-held'])
  expect(await acquire(a, 'a:1', { count: 2 })).toEqual({ kind: 'lost' })
  const release = { owner: 'a:1', count: 0, tombstoneMs: 0 }
  expect(await a.session.steps.release(a.locate('x'), release, second)).toEqual({ kind: 'not-held' })
  table.offsetMs += 3_000
  expect(await acquire(b, 'b:1')).toMatchObject({ kind: 'held' })
})

it('what was not lost goes on meanwhile, but lets nobody in', async () => {
  const { table, a, b, acquire } = await open()
  await acquire(a, 'a:1')
  await acquire(b, 'b:1')
  const kept = [...table.rows]
  table.wipe()
  for (const [key, row] of kept) table.rows.set(key, row)
  const renewal = { address: a.locate('x'), owner: 'a:1', leaseMs: 30_000 }
  expect(await a.session.steps.renew([renewal], second)).toEqual(['renewed'])
  expect(await acquire(a, 'a:1')).toMatchObject({ kind: 'held' })
  await a.session.steps.release(a.locate('x'), { owner: 'a:1', count: 0, tombstoneMs: 0 }, second)
  expect(await acquire(b, 'b:1')).toMatchObject({ kind: 'busy', holder: '' })
  table.offsetMs += 3_000
  expect(await acquire(b, 'b:1')).toMatchObject({ kind: 'held' })
})

it('tokens grow over a loss of data within one second of the clock', async () => {
  const { table, a, b, acquire } = await open(1_000)
  const tokens: number[] = []
  const take = async (client: typeof a, owner: string): Promise<void> => {
    const reply = await acquire(client, owner)
    if (reply.kind === 'held') tokens.push(reply.token)
    await client.session.steps.release(client.locate('x'), { owner, count: 0, tombstoneMs: 0 }, second)
  }
  table.offsetMs += 1_000 - (table.trueMs % 1_000)
  for (let n = 0; n < 5; n++) await take(a, `a:${n}`)
  table.wipe()
  await take(b, 'b:0')
  expect(tokens).toHaveLength(5)
  table.offsetMs += 1_000
  await take(b, 'b:1')
  expect(tokens).toHaveLength(6)
  expect([...tokens].sort((x, y) => x - y)).toEqual(tokens)
  expect(new Set(tokens).size).toBe(6)
})

it('a latch is set once the store is open, and its generations grow over the loss', async () => {
  const { table, a, b, set } = await open(1_000)
  const before = await set(a, 0, 'one')
  table.wipe()
  const lostAtMs = table.trueMs
  const after = await set(b, 0, 'two', 5_000)
  expect(table.trueMs - lostAtMs).toBeGreaterThan(990)
  if (before?.kind !== 'done' || after?.kind !== 'done') throw new Error('a count was not set')
  expect(after.state.generation).toBeGreaterThan(before.state.generation)
})

it('a latch whose store does not open in time is not set', async () => {
  const { table, a, set } = await open(60_000)
  table.wipe()
  await expect(set(a, 0, 'one', 300)).rejects.toThrow('lost its data lately')
})
