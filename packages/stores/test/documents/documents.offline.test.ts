import { RefusedError, UnavailableError } from '@holdfast/core/engine'
import { DocumentTable } from '@holdfast/sim/stores'
import { openClient } from './support/open-client.js'
import { requestOf } from './support/request-of.js'

const second = 1_000
const releaseOf = (owner: string, tombstoneMs = 0) => ({ owner, count: 0, tombstoneMs })

it('300 steps of a client on one document share reads and replacements', async () => {
  const table = new DocumentTable()
  const { session, locate } = await openClient(table, 'a')
  const before = table.commands
  const owners = Array.from({ length: 300 }, (_, n) => `a:${n}`)
  const replies = await Promise.all(
    owners.map((owner) => session.steps.acquire(locate('x'), requestOf(owner), second)),
  )
  expect(replies.map((reply) => reply.kind === 'busy' && reply.position)).toEqual([
    false,
    ...owners.slice(1).map((_, n) => n + 1),
  ])
  expect(table.commands - before).toBe(4)
})

it('a replacement that another client overtook is made again from what that one left', async () => {
  const table = new DocumentTable()
  const [a, b] = [await openClient(table, 'a'), await openClient(table, 'b')]
  const acquire = (client: typeof a, owner: string) =>
    client.session.steps.acquire(client.locate('x'), requestOf(owner), second)
  const replies = await Promise.all([acquire(a, 'a:1'), acquire(b, 'b:1')])
  expect(replies.map(({ kind }) => kind).sort()).toEqual(['busy', 'held'])
})

it('a request whose owner was abandoned while it was on its way does not enter', async () => {
  const table = new DocumentTable()
  const [late, other] = [await openClient(table, 'a'), await openClient(table, 'b')]
  let letGo: () => void = () => undefined
  let isOnItsWay: () => void = () => undefined
  const onItsWay = new Promise<void>((resolve) => (isOnItsWay = resolve))
  table.beforeReplacing = () => {
    table.beforeReplacing = () => undefined
    isOnItsWay()
    return new Promise<void>((resolve) => (letGo = resolve))
  }
  const request = late.session.steps.acquire(late.locate('x'), requestOf('a:1'), 5 * second)
  await onItsWay
  await other.session.steps.release(other.locate('x'), releaseOf('a:1', 30 * second), second)
  letGo()
  expect(await request).toEqual({ kind: 'abandoned' })
  expect(await other.session.steps.inspect(other.locate('x'), 1)).toMatchObject({ owner: '' })
})

it('a lock that was held for longer than its token counts leaves nothing that must be kept', async () => {
  const table = new DocumentTable()
  const { session, locate } = await openClient(table, 'a')
  const address = locate('x')
  await session.steps.acquire(address, requestOf('a:1'), second)
  for (let minutes = 0; minutes < 2; minutes += 0.25) {
    table.offsetMs += 15_000
    await session.steps.renew([{ address, owner: 'a:1', leaseMs: 30_000 }], second)
  }
  expect(await session.steps.release(address, releaseOf('a:1'), second)).toEqual({ kind: 'released' })
  expect(await session.steps.inspect(address, 1)).toMatchObject({ owner: '' })
})

it('a step that runs out of time fails alone, and is not carried out later', async () => {
  const table = new DocumentTable()
  const { session, locate } = await openClient(table, 'a')
  let letGo: () => void = () => undefined
  table.beforeReplacing = () => new Promise<void>((resolve) => (letGo = resolve))
  const first = session.steps.acquire(locate('x'), requestOf('a:1'), 5 * second)
  const impatient = session.steps.acquire(locate('x'), requestOf('a:2'), 20)
  const patient = session.steps.acquire(locate('x'), requestOf('a:3'), 5 * second)
  await expect(impatient).rejects.toThrow('the table has not replied within 20 ms')
  table.beforeReplacing = () => undefined
  letGo()
  expect(await first).toMatchObject({ kind: 'held' })
  expect(await patient).toMatchObject({ kind: 'busy', position: 1 })
  expect(await session.steps.inspect(locate('x'), 9)).toMatchObject({ waiterCount: 1 })
})

it('a step that would make its document too large is refused with what there is to do, and those beside it are carried out', async () => {
  const table = new DocumentTable({ maxBytes: 400 })
  const { session, locate } = await openClient(table, 'a')
  const acquire = (owner: string) => session.steps.acquire(locate('x'), requestOf(owner), second)
  await acquire('a:1')
  const [queued, refused, renewed] = await Promise.allSettled([
    acquire('a:2'),
    acquire('a:3'),
    session.steps.renew([{ address: locate('x'), owner: 'a:1', leaseMs: 60_000 }], second),
  ])
  expect(queued).toMatchObject({ value: { kind: 'busy' } })
  expect(renewed).toMatchObject({ value: ['renewed'] })
  expect(refused).toMatchObject({ reason: expect.any(RefusedError) as RefusedError })
  await expect(acquire('a:3')).rejects.toThrow(
    /^lock x: its document would have \d+ bytes, and table takes 360; have fewer wait for it or hold it at once \(see maxWaiters\), or let the store take larger ones$/,
  )
})

it('of thousands that come at once those that the document has no room for are refused in the same trip', async () => {
  const table = new DocumentTable({ maxBytes: 20_000 })
  const { session, locate } = await openClient(table, 'a')
  const acquire = (n: number) => session.steps.acquire(locate('x'), requestOf(`a:${n}`), 30 * second)
  await acquire(1)
  const outcomes = await Promise.allSettled(Array.from({ length: 3_000 }, (_, n) => acquire(n + 2)))
  const refused = outcomes.flatMap((outcome): unknown[] =>
    outcome.status === 'rejected' ? [outcome.reason] : [],
  )
  expect(
    refused
      .filter((reason) => !(reason instanceof RefusedError))
      .map(String)
      .slice(0, 3),
  ).toEqual([])
  expect(3_000 - refused.length).toBeGreaterThan(80)
  expect(table.reads).toBeLessThan(6)
  // Whoever holds it, and whoever gives up, has room left.
  const release = { owner: 'a:2', count: 0, tombstoneMs: 60_000 }
  await expect(session.steps.release(locate('x'), release, second)).resolves.toEqual({ kind: 'not-held' })
})

describe('of several renewals', () => {
  const renew = async (silent: readonly string[]) => {
    const table = new DocumentTable()
    const client = await openClient(table, 'a')
    const { session, locate, log } = client
    const names = ['x', 'y', 'z']
    for (const [n, name] of names.entries())
      await session.steps.acquire(locate(name), requestOf(`a:${n}`), second)
    const renewals = names.map((name, n) => ({ address: locate(name), owner: `a:${n}`, leaseMs: 60_000 }))
    table.beforeReplacing = (key) => {
      if (silent.includes(key)) throw new UnavailableError(`nothing about ${key}`)
    }
    return { replies: session.steps.renew(renewals, second), log }
  }

  it('one without a reply does not fail the others', async () => {
    const { replies, log } = await renew(['lock:y'])
    expect(await replies).toEqual(['renewed', 'no-reply', 'renewed'])
    expect(log).toEqual([])
  })

  it('all fail with the reason, if there is no reply to any', async () => {
    const { replies } = await renew(['lock:x', 'lock:y', 'lock:z'])
    await expect(replies).rejects.toThrow('nothing about lock:x')
  })
})

it('a document is kept for as long as anything in it lasts', async () => {
  const table = new DocumentTable()
  const { session, locate } = await openClient(table, 'a')
  const leftMs = (key: string): number => Math.round((table.rows.get(key)?.untilMs ?? 0) - table.trueMs)
  const near = (ms: number, key: string): void => {
    expect(leftMs(key)).toBeGreaterThan(ms - second)
    expect(leftMs(key)).toBeLessThanOrEqual(ms + second)
  }
  const address = locate('x')
  await session.steps.acquire(address, requestOf('a:1', { leaseMs: 200_000 }), second)
  // The last token outlives the hold.
  near(400_000, 'lock:x')
  await session.steps.release(address, releaseOf('a:2', 500_000), second)
  near(500_000, 'lock:x')
  await session.steps.acquire(address, requestOf('a:3', { entryTtlMs: 600_000 }), second)
  // A queue is kept for twice as long as its last entry.
  near(1_200_000, 'lock:x')
  const semaphore = locate('x', 'semaphore')
  await session.steps.resize?.(semaphore, { size: 3, keepMs: 70_000, version: 0, id: 'one' }, second)
  near(70_000, 'semaphore:x')
  await session.steps.acquire(semaphore, requestOf('a:4', { count: 1, size: 3, leaseMs: 80_000 }), second)
  near(160_000, 'semaphore:x')
  const latch = locate('x', 'latch')
  await session.latches?.wait([{ address: latch, awaited: undefined, aliveMs: 40_000 }], second)
  near(40_000, 'latch:x')
  await session.latches?.set(latch, { named: 0, setter: 's', count: 1, keepMs: 90_000 }, second)
  near(105_000, 'latch:x')
})

it('names of 1,024 bytes and with NUL have documents of their own', async () => {
  const table = new DocumentTable()
  const { session, locate } = await openClient(table, 'a')
  const names = ['x'.repeat(1_024), 'x'.repeat(1_023), 'a\0b', 'a', 'lock:a', '\u{1f512}']
  for (const [n, name] of names.entries()) {
    expect(await session.steps.acquire(locate(name), requestOf(`a:${n}`), second)).toMatchObject({
      kind: 'held',
    })
  }
  for (const [n, name] of names.entries()) {
    expect(await session.steps.inspect(locate(name), 1)).toMatchObject({ owner: `a:${n}` })
  }
})

it('steps end with the session: those under way, and those that wait for them', async () => {
  const table = new DocumentTable()
  const { session, locate } = await openClient(table, 'a')
  const acquire = (owner: string) => session.steps.acquire(locate('x'), requestOf(owner), 5 * second)
  const steps = [acquire('a:1'), acquire('a:2')]
  const rejected = Promise.all(steps.map((step) => expect(step).rejects.toThrow('closed')))
  await session.close()
  await rejected
  await expect(acquire('a:3')).rejects.toThrow('closed')
})
