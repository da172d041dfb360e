import { UnavailableError } from '../errors.js'
import { readMessage } from './read-message.js'
import { Reporter } from './reporter.js'
import type { ReportedHold } from './reporter.js'

beforeEach(() => jest.useFakeTimers())
afterEach(() => jest.useRealTimers())

const question = { id: 'question', from: 'asker:1', limit: 200, spreadMs: 0 }

const holdOf = (name: string): ReportedHold => ({
  owner: 'client:1',
  target: { address: { name, id: name, group: '' }, kind: 'lock', permits: 1, size: undefined },
  count: 1,
  fencingToken: 1,
  heldSince: 0,
  remainingMs: () => 30_000,
})

/** A reporter of a client with these holds. @param tell - passes a text on, or rejects */
function reporterOf(names: readonly string[], tell: (text: string) => Promise<readonly boolean[]>) {
  const sending: Promise<unknown>[] = []
  const reporter = new Reporter({
    clientId: 'client',
    client: { host: 'here', pid: 1, label: '', startedAt: new Date(0) },
    session: {
      operator: {
        list: () => Promise.reject(new Error('not asked for')),
        clients: () => Promise.resolve([]),
        tell: (_clientIds, text) => tell(text),
      },
      register: () => Promise.resolve(),
    },
    registerEveryMs: 10_000,
    holds: { all: names.map(holdOf), size: names.length, counts: { acquired: 0, released: 0, lost: 0 } },
    waiters: { allWaiting: [], waiting: 0 },
    meter: { read: () => ({ buckets: [], handOffs: 0 }), end: () => undefined },
    losses: { read: () => [] },
    background: (work) => sending.push(work),
  })
  return { reporter, sent: () => Promise.all(sending) }
}

describe('a question that arrives after close()', () => {
  it.each([0, 5_000])('is ignored, with spreadMs %d, and leaves no timer', async (spreadMs) => {
    const texts: string[] = []
    const { reporter, sent } = reporterOf([], (text) => Promise.resolve([texts.push(text) > 0]))
    reporter.close()
    reporter.answer({ ...question, spreadMs })
    expect(jest.getTimerCount()).toBe(0)
    await sent()
    expect(texts).toEqual([])
  })
})

describe('a report of several pages', () => {
  const names = Array.from({ length: 60 }, (_, n) => `${n}:${'x'.repeat(500)}`)

  /** The pages that are sent when the sending of these fails, and how many there are. */
  async function sentDespite(
    failing: readonly number[],
    unheard: readonly number[] = [],
  ): Promise<{ pages: number[]; count: number }> {
    const pages: number[] = []
    let count = 0
    const { reporter, sent } = reporterOf(names, (text) => {
      const message = readMessage(text)
      if (message?.kind !== 'report') throw new Error(`not a report: ${text}`)
      const { page } = message.content
      pages.push(page)
      count = message.content.pages
      return failing.includes(page)
        ? Promise.reject(new UnavailableError('no reply', { engine: 'test' }))
        : Promise.resolve([!unheard.includes(page)])
    })
    reporter.answer(question)
    await sent()
    return { pages, count }
  }

  it('is sent to the end although the replies to some are lost', async () => {
    const { pages, count } = await sentDespite([0, 2])
    expect(count).toBeGreaterThan(4)
    expect(pages).toEqual(Array.from({ length: count }, (_, page) => page))
  })

  it('is not sent on to a client that has gone', async () => {
    expect((await sentDespite([], [1])).pages).toEqual([0, 1])
  })

  it('is given up when two in a row fail', async () => {
    expect((await sentDespite([1, 3, 4])).pages).toEqual([0, 1, 2, 3, 4])
  })
})
