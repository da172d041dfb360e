import { UnavailableError } from '../errors/errors.js'
import { pause } from '../util/timeouts.js'
import { readMessage } from './messages.js'
import { Reporter } from './reporter.js'
import type { ReportedHold, ReportedWaiter } from './reporter.js'

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

/** A reporter of a client with these holds. @param send - passes a text on, or rejects */
function reporterOf(
  names: readonly string[],
  send: (text: string, to: string) => Promise<readonly boolean[]>,
  waiting: readonly ReportedWaiter[] = [],
) {
  const sending: Promise<unknown>[] = []
  const reporter = new Reporter({
    clientId: 'client',
    client: { host: 'here', pid: 1, label: '', startedAt: new Date(0) },
    operator: {
      list: () => Promise.reject(new Error('not asked for')),
      clients: () => Promise.resolve([]),
      send: ([to = ''], text) => send(text, to),
    },
    registry: { register: () => Promise.resolve() },
    registerEveryMs: 10_000,
    holds: {
      unordered: names.map(holdOf),
      size: names.length,
      counts: { acquired: 0, released: 0, lost: 0 },
    },
    waiters: { allWaiting: waiting, waiting: waiting.length },
    meter: { read: () => ({ buckets: [], handOffs: 0 }), end: () => undefined },
    losses: { read: () => [] },
    background: { run: (work) => sending.push(work) },
  })
  /** What is due at once is sent. */
  const sent = async (): Promise<void> => {
    await jest.advanceTimersByTimeAsync(50)
    await Promise.all(sending)
  }
  return { reporter, sent }
}

describe('a question that arrives after close()', () =>
  it.each([0, 5_000])('is ignored, with spreadMs %d, and leaves no timer', async (spreadMs) => {
    const texts: string[] = []
    const { reporter, sent } = reporterOf([], (text) => Promise.resolve([texts.push(text) > 0]))
    reporter.close()
    reporter.answer({ ...question, spreadMs })
    expect(jest.getTimerCount()).toBe(0)
    await sent()
    expect(texts).toEqual([])
  }))

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

describe('of many questions', () => {
  const names = Array.from({ length: 3_000 }, (_, n) => `order:${n}`)

  /** Asks them all, lets time pass, and says how many bytes went to whom, in how many whole reports. */
  async function answersTo(questions: readonly (typeof question)[], withinMs: number) {
    const bytes = new Map<string, number>()
    let reports = 0
    let [inFlight, mostInFlight] = [0, 0]
    const { reporter } = reporterOf(names, async (text, to) => {
      inFlight += 1
      mostInFlight = Math.max(mostInFlight, inFlight)
      bytes.set(to, (bytes.get(to) ?? 0) + Buffer.byteLength(text))
      const message = readMessage(text)
      if (message?.kind === 'report' && message.content.page === message.content.pages - 1) reports += 1
      await pause(1)
      inFlight -= 1
      return [true]
    })
    for (const one of questions) reporter.answer(one)
    await jest.advanceTimersByTimeAsync(withinMs)
    reporter.close()
    expect(jest.getTimerCount()).toBeLessThanOrEqual(mostInFlight)
    return { bytes, reports, mostInFlight }
  }
  const asks = (count: number, more: (n: number) => Partial<typeof question>): (typeof question)[] =>
    Array.from({ length: count }, (_, n) => ({ ...question, id: `${n}`, limit: 10_000, ...more(n) }))
  const sum = (bytes: ReadonlyMap<string, number>): number =>
    [...bytes.values()].reduce((total, each) => total + each, 0)

  it('one asker has two answered at once, and later as many as its share is good for', async () => {
    const { bytes, reports, mostInFlight } = await answersTo(
      asks(500, () => ({})),
      10_000,
    )
    expect(mostInFlight).toBe(1)
    expect(reports).toBeGreaterThanOrEqual(2)
    expect(sum(bytes)).toBeLessThan(1_200_000 + 10 * 128_000 + 700_000)
  })

  it('those under ever new names get no more than the bound of all together', async () => {
    const { bytes, mostInFlight } = await answersTo(
      asks(500, (n) => ({ from: `stranger${n}` })),
      10_000,
    )
    expect(mostInFlight).toBe(4)
    expect(sum(bytes)).toBeLessThan(1_200_000 + 10 * 512_000 + 50_000)
  })

  it('a short one need not wait for the long ones of others', async () => {
    const long = asks(50, () => ({}))
    const { bytes } = await answersTo([...long, { ...question, id: 'short', from: 'other', limit: 1 }], 20)
    expect(bytes.get('other')).toBeGreaterThan(0)
  })

  it('those that nobody waits for any more are dropped', async () => {
    const { bytes } = await answersTo(
      asks(200, (n) => ({ from: `${n}` })),
      60_000,
    )
    expect(sum(bytes)).toBeLessThan(1_200_000 + 12 * 512_000 + 4 * 700_000)
  })
})

describe('a waiter', () => {
  const waiterOf = (target: object, obstacle: ReportedWaiter['obstacle']): ReportedWaiter => ({
    owner: 'client:2',
    target: {
      address: { name: 'order', id: 'order', group: '' },
      kind: 'semaphore',
      permits: 2,
      size: 3,
      ...target,
    },
    waitsSince: 0,
    obstacle,
  })

  it.each([
    ['of a semaphore has the permits of its process', {}, { permits: 2, size: 3 }],
    [
      'of a read/write lock has no number of permits',
      { kind: 'write-lock', permits: 1_000_000_000, size: 1_000_000_000 },
      { permits: 1, size: null },
    ],
  ])('%s', async (_, target, expected) => {
    const pages: unknown[] = []
    const send = (text: string) => Promise.resolve([pages.push(readMessage(text)) > 0])
    const { reporter, sent } = reporterOf([], send, [waiterOf(target, undefined)])
    reporter.answer(question)
    await sent()
    expect(pages).toMatchObject([{ content: { queue: [{ ...expected, stateAgeMs: null }] } }])
  })

  it("says how old its client's knowledge of the holder is", async () => {
    const pages: unknown[] = []
    const obstacle = { holder: 'other:1', position: 1, at: performance.now() - 4_000 }
    const send = (text: string) => Promise.resolve([pages.push(readMessage(text)) > 0])
    const { reporter, sent } = reporterOf([], send, [waiterOf({}, obstacle)])
    reporter.answer(question)
    await sent()
    const [{ stateAgeMs }] = (pages as [{ content: { queue: [{ stateAgeMs: number }] } }])[0].content.queue
    expect(stateAgeMs).toBeGreaterThanOrEqual(4_000)
  })
})
