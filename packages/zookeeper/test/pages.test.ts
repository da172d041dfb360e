import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Holdfast } from '@holdfast/core'
import {
  blockBelow,
  bodyOf,
  startZooKeeper,
  until,
  withBlockBelow,
  zooKeeperTickMs,
  type LocalZooKeeper,
} from '@holdfast/testkit'
import { mode } from '../src/client/requests.js'
import { zookeeper } from '../src/index.js'
import { HerdLock } from './support/herd-lock.js'
import { withSession } from './support/nodes.js'
import { byClient, pictureOf } from './support/pictures.js'
import { Trace, type Passed } from './support/trace.js'

const docs = join(__dirname, '../../../docs')
const names = ['A', 'B', 'C', 'D', 'E']
const waiters = names.slice(1)

let server: LocalZooKeeper
let trace: Trace

beforeAll(async () => {
  server = await startZooKeeper()
})
beforeEach(() => {
  trace = new Trace(server)
})
afterEach(() => trace.close())
afterAll(() => server.stop())

/** Compares with what a page shows; HOLDFAST_UPDATE_DOCS=1 updates it instead. */
function expectOnPage(page: string, name: string, body: string): void {
  const file = join(docs, page)
  const shown = readFileSync(file, 'utf8')
  const updated = process.env['HOLDFAST_UPDATE_DOCS'] ? withBlockBelow(shown, name, body) : shown
  if (updated !== shown) writeFileSync(file, updated)
  expect(blockBelow(updated, name)).toBe(body)
}

const events = (passed: readonly Passed[]) => passed.filter(({ way }) => way === 'event')
const requests = (passed: readonly Passed[]) => passed.filter(({ way }) => way === 'request')

/** One Holdfast client for each name, which knows the lock's directory already. */
async function openHoldfasts(clients: readonly string[]): Promise<Map<string, Holdfast>> {
  const opened = new Map<string, Holdfast>()
  for (const name of clients) {
    const connect = await trace.portOf(name)
    const holdfast = new Holdfast({ engine: zookeeper({ connect, tickMs: zooKeeperTickMs }), label: name })
    await holdfast.getLock('walk').withLock(() => undefined)
    opened.set(name, holdfast)
  }
  return opened
}

const ofWalk = /\/l=walk(\/|$)/

it('a contended cycle is five requests and one event, as docs/stores/zookeeper.md walks through it', async () => {
  const holdfasts = await openHoldfasts(['A', 'B'])
  const [a, b] = [holdfasts.get('A'), holdfasts.get('B')]
  const lease = await a?.getLock('walk').lock()
  const from = trace.passed.length
  const passing = b?.getLock('walk').withLock(() => undefined)
  await untilQuiet(() => requests(trace.passed.slice(from)).length === 3)
  await lease?.unlock()
  await passing
  const walk = trace.passed.slice(from).filter(({ path }) => ofWalk.test(path))
  expect(requests(walk).filter(({ client }) => client === 'B')).toHaveLength(5)
  expect(events(walk)).toMatchObject([{ client: 'B', what: 'deleted' }])
  expectOnPage('stores/zookeeper.md', 'picture: contended cycle', pictureOf(walk, ['A', 'B'], trace.entries))
  for (const holdfast of holdfasts.values()) await holdfast.close()
})

describe('five clients want a lock, and the first one releases it', () => {
  it('where everybody watches the queue all others wake up, as docs/trust/why.md shows', async () => {
    const queue = '/herd'
    await withSession(server.connect, (ask, make) => ask(make.create(queue, '', mode.persistent)))
    const { locks, close } = await openHerd(queue)
    await locks.get('A')?.lock()
    const entered: string[] = []
    for (const [n, name] of waiters.entries()) {
      const from = trace.passed.length
      // Whose session is closed while it waits is of no interest.
      void locks
        .get(name)
        ?.lock()
        .then(() => entered.push(name))
        .catch(() => undefined)
      // Those who wait already look again, as the queue has changed.
      await untilQuiet(() => listsAfter(from).length === n + 1)
    }
    const from = trace.passed.length
    await locks.get('A')?.unlock()
    await untilQuiet(() => listsAfter(from).length === waiters.length)
    await until(() => entered.length > 0)
    const release = trace.passed.slice(from)
    expect(
      events(release)
        .map(({ client }) => client)
        .sort(),
    ).toEqual(waiters)
    expect(entered).toEqual(['B'])
    const [deletion] = release
    const drawn = deletion ? [deletion, ...byClient(events(release)), ...byClient(listsAfter(from))] : []
    expectOnPage('trust/why.md', 'picture: herd', pictureOf(drawn, names, trace.entries))
    const source = readFileSync(join(__dirname, 'support/herd-lock.ts'), 'utf8')
    expectOnPage('trust/why.md', 'code: herd', bodyOf(source))
    await close()
  })

  it('where each watches its predecessor one wakes up, as docs/trust/why.md shows', async () => {
    const holdfasts = await openHoldfasts(names)
    const lease = await holdfasts.get('A')?.getLock('walk').lock()
    const order: string[] = []
    const passes: Promise<unknown>[] = []
    for (const name of waiters) {
      const from = trace.passed.length
      const lock = holdfasts.get(name)?.getLock('walk')
      if (lock) passes.push(lock.withLock(() => order.push(name)))
      await untilQuiet(() => requests(ofWalkAfter(from)).length === 3)
    }
    const from = trace.passed.length
    await lease?.unlock()
    await Promise.all(passes)
    expect(order).toEqual(waiters)
    // Each release is one event, for the client that is next.
    expect(events(ofWalkAfter(from)).map(({ client }) => client)).toEqual(waiters)
    const isOfFirst = ({ client }: Passed): boolean => client === 'A' || client === 'B'
    const picture = pictureOf(ofWalkAfter(from).filter(isOfFirst).slice(0, 3), names, trace.entries)
    expectOnPage('trust/why.md', 'picture: holdfast predecessor', picture)
    for (const holdfast of holdfasts.values()) await holdfast.close()
  })
})

/** Only a watch whose reply has come is certain to be in place. */
const untilQuiet = (isDone: () => boolean) => until(() => isDone() && trace.unanswered === 0)

const ofWalkAfter = (from: number) => trace.passed.slice(from).filter(({ path }) => ofWalk.test(path))
const listsAfter = (from: number) => trace.passed.slice(from).filter(({ what }) => what === 'list')

/** A lock for each name, on a session of its own. */
async function openHerd(queue: string) {
  const locks = new Map<string, HerdLock>()
  const closings: (() => void)[] = []
  const sessions: Promise<void>[] = []
  for (const name of names) {
    const connect = await trace.portOf(name)
    await new Promise<void>((opened) =>
      sessions.push(
        withSession(connect, async (ask, make, session) => {
          await session.connect(10_000)
          locks.set(name, new HerdLock({ ask, make, session }, queue))
          opened()
          await new Promise<void>((resolve) => closings.push(resolve))
        }),
      ),
    )
  }
  const close = async (): Promise<void> => {
    for (const each of closings) each()
    await Promise.all(sessions)
  }
  return { locks, close }
}
