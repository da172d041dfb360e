import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  blockBelow,
  bodyOf,
  checkHistory,
  nowMs,
  startMemcached,
  toMermaid,
  until,
  withBlockBelow,
  type HistoryEvent,
  type MemcachedServer,
} from '@holdfast/testkit'
import { AddLock } from './support/add-lock.js'
import { Clients } from './support/clients.js'
import { rawCommands } from './support/raw-commands.js'

const page = join(__dirname, '../../../docs/trust/why.md')
const clients = new Clients()

afterEach(() => clients.closeAll())

/** Compares with what the page shows; HOLDFAST_UPDATE_DOCS=1 updates it instead. */
function expectOnPage(name: string, body: string): void {
  const shown = readFileSync(page, 'utf8')
  const updated = process.env['HOLDFAST_UPDATE_DOCS'] ? withBlockBelow(shown, name, body) : shown
  if (updated !== shown) writeFileSync(page, updated)
  expect(blockBelow(updated, name)).toBe(body)
}

const pictureOf = (history: readonly HistoryEvent[]): string =>
  toMermaid(history).replaceAll('Redis', 'memcached')

/** What happens to the lock `k`, in order. */
class Story {
  readonly history: HistoryEvent[] = []

  note(process: string, event: { readonly kind: 'requested' | 'left' | 'released' | 'lost' }): void {
    const of = { atMs: nowMs(), process, call: process, lock: 'k', owner: process }
    this.history.push(
      event.kind === 'requested' ? { ...of, kind: event.kind, waitMs: null } : { ...of, kind: event.kind },
    )
  }

  acquired(process: string, token: number | null = null, claimUntilMs: number | null = null): void {
    const of = { atMs: nowMs(), process, call: process, lock: 'k', owner: process }
    this.history.push({ ...of, kind: 'acquired', token, count: 1, claimUntilMs })
  }

  fault(fault: string): void {
    this.history.push({
      kind: 'fault',
      id: fault,
      fault,
      atMs: nowMs(),
      disturbs: 'all',
      excuses: [],
      locks: 'all',
    })
  }
}

/** A takes the lock, something happens, and B tries until it gets it, while A works on. */
async function play(
  server: MemcachedServer,
  { leaseS, claimsMs = null }: { readonly leaseS: number; readonly claimsMs?: number | null },
  happen: (story: Story) => Promise<unknown>,
): Promise<Story> {
  const send = async (command: string): Promise<string> => (await rawCommands(server, command))[0]?.code ?? ''
  const [a, b] = [new AddLock({ send }, 'k', leaseS), new AddLock({ send }, 'k', leaseS)]
  const story = new Story()
  story.note('A', { kind: 'requested' })
  const sentAt = nowMs()
  expect(await a.tryAcquire()).toBe(true)
  story.acquired('A', null, claimsMs === null ? null : sentAt + claimsMs)
  await happen(story)
  story.note('B', { kind: 'requested' })
  await until(() => b.tryAcquire())
  story.acquired('B')
  return story
}

/** Half of a second of the server's clock is over: what ends with the second ends in about 500 ms. */
async function halfASecond(server: MemcachedServer): Promise<void> {
  const timeOf = async (): Promise<string | undefined> => (await server.stats()).get('time')
  const before = await timeOf()
  await until(async () => (await timeOf()) !== before)
  const halfAt = performance.now() + 500
  await until(() => performance.now() > halfAt)
}

const expectBothInside = ({ history }: Story): void =>
  expect(checkHistory(history).map(({ promise }) => promise)).toContain('exclusion')

describe('add and delete on memcached', () => {
  it('let two in when other data needs the room, as docs/trust/why.md shows', async () => {
    await using server = await startMemcached(['-m', '2'])
    const story = await play(server, { leaseS: 3_600 }, async (events) => {
      // To look at the lock would make it one that is in use.
      for (let n = 0; Number((await server.stats()).get('evictions')) < 50_000; n += 1_000) {
        const sets = Array.from({ length: 1_000 }, (_, i) => `set cached-${n + i} 0 0 1\r\n1\r\n`)
        await rawCommands(server, ...sets)
      }
      events.fault('memcached is full, and deletes the lock')
    })
    expectBothInside(story)
    expectOnPage('picture: add, evicted', pictureOf(story.history))
    expectOnPage('code: add', bodyOf(readFileSync(join(__dirname, 'support/add-lock.ts'), 'utf8')))
  })

  it('let two in within the last second of a lease', async () => {
    await using server = await startMemcached()
    await halfASecond(server)
    const story = await play(server, { leaseS: 1, claimsMs: 1_000 }, () => Promise.resolve())
    expectBothInside(story)
    expectOnPage('picture: add, a second', pictureOf(story.history))
  })

  it('let two in after a restart', async () => {
    await using server = await startMemcached()
    const story = await play(server, { leaseS: 3_600 }, async (events) => {
      await server.restart()
      events.fault('memcached restarts')
    })
    expectBothInside(story)
    expectOnPage('picture: add, restarted', pictureOf(story.history))
  })
})

it('Holdfast tells A of a restart before B gets in, as docs/trust/why.md shows', async () => {
  await using server = await startMemcached()
  const story = new Story()
  const [a, b] = [clients.open({ url: server.url }), clients.open({ url: server.url })]
  story.note('A', { kind: 'requested' })
  const held = await a.getLock('k').lock()
  story.acquired('A', held.fencingToken)
  held.signal.addEventListener('abort', () => story.note('A', { kind: 'lost' }))
  story.note('B', { kind: 'requested' })
  const waiting = b.getLock('k').lock()
  await until(async () => (await a.getLock('k').inspect()).waiterCount === 1)
  await server.restart()
  story.fault('memcached restarts')
  const next = await waiting
  story.acquired('B', next.fencingToken)
  story.note('B', { kind: 'left' })
  await next.unlock()
  story.note('B', { kind: 'released' })
  expect(checkHistory(story.history)).toEqual([])
  expectOnPage('picture: holdfast on memcached', pictureOf(story.history))
})
