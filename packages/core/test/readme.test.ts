import { once } from 'node:events'
import { connect } from 'node:net'

import { startRedis, type RedisServer } from '@holdfast/testkit'

import type * as core from '../src/index.js'
import { redisson, type RedissonSemaphore } from '../src/redis/redisson/index.js'
import { readPage, readSnippets, typeErrors } from './readme-snippets.js'
import { nextEvent } from './support/next-event.js'
import { endAll, Holdfast, runSnippet, storesOf } from './support/run-snippet.js'

const snippets = readSnippets()
let server: RedisServer

beforeAll(async () => {
  server = await startRedis()
})

beforeEach(() => server.call('FLUSHALL'))

afterEach(endAll)

afterAll(() => server.stop())

/** Sends the page's one `ACL SETUSER` line to the server as a terminal would: as typed. */
async function paste(page: string): Promise<void> {
  const lines = [...readPage(page).matchAll(/^ACL SETUSER .*$/gm)].map(([line]) => line)
  expect(lines).toHaveLength(1)
  const socket = connect(server.port, server.host)
  try {
    socket.write(`${lines.join()}\r\n`)
    const [reply] = (await once(socket, 'data')) as [Buffer]
    expect(String(reply)).toBe('+OK\r\n')
  } finally {
    socket.destroy()
  }
}

/** Opens a client as that user; what it warns of, and its errors, are added to `problems`. */
const urlOfUser = (): string => server.url.replace('//', '//locks:secret@')

const openAsUser = (
  problems: unknown[],
  where: core.HoldfastOptions | core.EngineHoldfastOptions = { redis: urlOfUser() },
): Holdfast =>
  new Holdfast({ ...where, watchdogTimeoutMs: 3_000 })
    .on('warning', (warning) => problems.push(warning))
    .on('error', (error) => problems.push(error))

/** What the server refused, apart from ioredis saying its name: older servers reject a rule that allows it. */
async function refused(): Promise<unknown[]> {
  const entries = (await server.call('ACL', 'LOG')) as unknown[][]
  return entries.filter((entry) => !entry.includes('client|setinfo'))
}

describe('the user of the ACL line', () => {
  beforeEach(async () => {
    await server.call('ACL', 'LOG', 'RESET')
    await paste('docs/stores/redis.md')
  })

  afterEach(() => server.call('ACL', 'DELUSER', 'locks'))

  it('in docs/stores/redis.md may do everything in the life of a lock', async () => {
    const problems: unknown[] = []
    const [holdfast, rival] = [openAsUser(problems), openAsUser(problems)]
    const [lock, rivals] = [holdfast.getLock('least'), rival.getLock('least')]
    const renewed = nextEvent(holdfast, 'renewed')
    await lock.withLock(async () => {
      await Promise.all([renewed, lock.withLock(() => lock.inspect()), rivals.tryLock({ waitMs: 1_500 })])
    })
    const fixed = await lock.lock({ leaseMs: 2_000 })
    await fixed.extend(4_000)
    const waiting = nextEvent(rival, 'waiting')
    const next = rivals.lock()
    await waiting
    expect(await lock.forceUnlock()).toBe(true)
    expect(await lock.isLocked()).toBe(true)
    await (await next).unlock()
    await Promise.all([holdfast.close(), rival.close()])
    expect(problems).toEqual([])
    expect(await refused()).toEqual([])
  })

  it('may use read/write locks and semaphores with the permissions that docs/stores/redis.md names for them', async () => {
    const [, more = ''] =
      /semaphores\]\(\.\.\/objects\/semaphore\.md\) also need\s+`([^`]+)`/.exec(
        readPage('docs/stores/redis.md'),
      ) ?? []
    await server.call('ACL', 'SETUSER', 'locks', ...more.split(/\s+/))
    const problems: unknown[] = []
    const [holdfast, rival] = [openAsUser(problems), openAsUser(problems)]
    const [pool, rivals] = [holdfast, rival].map((client) => client.getSemaphore('pool', { permits: 3 }))
    if (!pool || !rivals) throw new Error('no semaphores')
    const lease = await pool.acquire({ permits: 3, leaseMs: 60_000 })
    const waiting = nextEvent(rival, 'waiting')
    const waiters = [rivals.acquire(), rivals.acquire({ permits: 2 })]
    await waiting
    // Long enough for the queue entries to be refreshed.
    expect(await rivals.tryAcquire({ waitMs: 1_500 })).toBeNull()
    await lease.release(1)
    await pool.resize(4)
    await pool.forceRelease(lease.owner)
    for (const waiter of waiters) await (await waiter).release()
    expect((await pool.inspect()).available).toBe(4)
    await pool.acquire({ permits: 3, leaseMs: 200 })
    await (await rivals.acquire({ permits: 2 })).release()

    const { read, write } = holdfast.getReadWriteLock('catalog')
    const renewed = nextEvent(holdfast, 'renewed')
    const reading = await write.withLock(async () => {
      await renewed
      return read.lock()
    })
    await rival.getReadWriteLock('catalog').read.withLock(() => reading.unlock())
    await Promise.all([holdfast.close(), rival.close()])
    expect(problems).toEqual([])
    expect(await refused()).toEqual([])
  })

  it('may use count-down latches with the permissions that docs/stores/redis.md names for them', async () => {
    const [, more = ''] =
      /latches\]\(\.\.\/objects\/latch\.md\) also need\s+`([^`]+)`/.exec(readPage('docs/stores/redis.md')) ??
      []
    await server.call('ACL', 'SETUSER', 'locks', ...more.split(/\s+/))
    const problems: unknown[] = []
    const [holdfast, rival] = [openAsUser(problems), openAsUser(problems)]
    const [latch, rivals] = [holdfast.getCountDownLatch('done'), rival.getCountDownLatch('done')]
    await latch.trySetCount(2, { keepMs: 1_000 })
    const waiting = nextEvent(rival, 'waiting')
    const passed = rivals.wait()
    await waiting
    await latch.countDown({ as: 'first' })
    // Long enough for the wait to be refreshed.
    expect(await rivals.tryWait({ waitMs: 1_500 })).toBe(false)
    expect(await latch.inspect()).toMatchObject({ left: 1, parties: ['first'], waiterCount: 1 })
    await latch.countDown()
    await passed
    expect(await latch.delete()).toBe(true)
    await Promise.all([holdfast.close(), rival.close()])
    expect(problems).toEqual([])
    expect(await refused()).toEqual([])
  })

  it('may share locks with Java after the line in docs/stores/redisson.md', async () => {
    await paste('docs/stores/redisson.md')
    const problems: unknown[] = []
    const open = () => openAsUser(problems, { engine: redisson({ redis: urlOfUser() }) })
    const [holdfast, rival] = [open(), open()]
    const held = await holdfast.getFencedLock('order:42').lock()
    const waiting = nextEvent(rival, 'waiting')
    const next = rival.getFencedLock('order:42').lock()
    await waiting
    await held.unlock()
    expect((await next).fencingToken).toBeGreaterThan(held.fencingToken)
    await (await next).unlock()

    const { read, write } = holdfast.getReadWriteLock('order:7')
    const writing = await write.lock()
    const reading = await writing.run(() => read.lock())
    const alsoWaiting = nextEvent(rival, 'waiting')
    const rivals = rival.getReadWriteLock('order:7').write.lock()
    await alsoWaiting
    await writing.unlock()
    await reading.unlock()
    await (await rivals).unlock()
    await Promise.all([holdfast.close(), rival.close()])
    expect(problems).toEqual([])
    expect(await refused()).toEqual([])
  })

  it('may share semaphores and latches with Java after both lines in docs/stores/redisson.md', async () => {
    await paste('docs/stores/redisson.md')
    const [, more = ''] =
      /Semaphores and latches also need\s+`([^`]+)`/.exec(readPage('docs/stores/redisson.md')) ?? []
    await server.call('ACL', 'SETUSER', 'locks', ...more.split(/\s+/))
    const problems: unknown[] = []
    const open = (semaphores: RedissonSemaphore) =>
      openAsUser(problems, { engine: redisson({ redis: urlOfUser(), semaphores }) })
    for (const form of ['RSemaphore', 'RPermitExpirableSemaphore'] as const) {
      await using holdfast = open(form)
      await using rival = open(form)
      const [mine, theirs] = [holdfast, rival].map((client) =>
        client.getSemaphore(`order:${form}`, { permits: 2 }),
      )
      const lease = await mine?.acquire({ permits: 2 })
      const others = nextEvent(rival, 'waiting')
      const nextLease = theirs?.acquire()
      await others
      await lease?.release()
      await (await nextLease)?.release()
      expect((await mine?.inspect())?.available).toBe(2)
    }
    const [holdfast, rival] = [open('RSemaphore'), open('RSemaphore')]
    const latch = holdfast.getCountDownLatch('order:ready')
    await latch.trySetCount(1)
    const opening = nextEvent(rival, 'waiting')
    const passing = rival.getCountDownLatch('order:ready').wait()
    await opening
    await latch.countDown({ as: 'one' })
    await passing
    await Promise.all([holdfast.close(), rival.close()])
    expect(problems).toEqual([])
    expect(await refused()).toEqual([])
  })
})

it('there is something to check on every page', () =>
  expect(new Set(snippets.map(({ file }) => file)).size).toBeGreaterThanOrEqual(5))

describe('every snippet', () => {
  let errors: Map<string, string[]>

  beforeAll(() => {
    errors = typeErrors(snippets)
  })

  it.each(snippets.map((snippet) => [snippet.where, snippet] as const))('%s has no type errors', (where) =>
    expect(errors.get(where)).toEqual([]),
  )
})

const onRedis = snippets.filter((snippet) => storesOf(snippet).length === 0)

it.each(onRedis.map((snippet) => [snippet.where, snippet] as const))(
  '%s runs, and prints what it says',
  async (_, snippet) => {
    const printed = await runSnippet(snippet, server.url)
    if (snippet.prints.length > 0) expect(printed).toEqual(snippet.prints)
  },
)
