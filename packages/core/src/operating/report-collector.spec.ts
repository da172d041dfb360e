import type { OperatorSession } from '../engine/operator.js'
import { pause } from '../util/timeouts.js'
import { monotonicMs } from '../util/clock.js'
import { readMessage } from './messages.js'
import { ReportCollector } from './report-collector.js'

beforeEach(() => jest.useFakeTimers())
afterEach(() => jest.useRealTimers())

const address = { name: 'order', id: 'order', group: '' }

/** Collects reports for a client that has to wait that long for its subscription. */
const collectorWith = (operator: OperatorSession | undefined, subscribeMs = 0): ReportCollector =>
  new ReportCollector({
    clientId: 'asker',
    engine: 'test',
    operator,
    inbox: { subscribe: () => pause(subscribeMs) },
    report: () => Promise.reject(new Error('not asked for')),
  })

/** @param send - whether the text reached each of these clients */
const operatorWith = (send: OperatorSession['send']): OperatorSession => ({
  list: () => Promise.reject(new Error('not asked for')),
  clients: () => Promise.resolve([]),
  send,
})

const call = { clientIds: ['frozen'], limit: 1, withinMs: 1_000, spreadMs: 0 }

it('subscribing and waiting for reports take no longer than withinMs together', async () => {
  const spreads: unknown[] = []
  const operator = operatorWith((clientIds, text) => {
    const message = readMessage(text)
    if (message?.kind === 'ask') spreads.push(message.content.spreadMs)
    return Promise.resolve(clientIds.map(() => true))
  })
  const collector = collectorWith(operator, 600)
  const startedAt = monotonicMs()
  const asked = collector
    .ask({ ...call, spreadMs: 500 }, address)
    .then((reports) => [reports.length, monotonicMs() - startedAt])
  await jest.advanceTimersByTimeAsync(2_000)
  expect(await asked).toEqual([0, 1_000])
  // Otherwise clients would report when it is over.
  expect(spreads).toEqual([200])
})

it('without an operator no other client is waited for', async () => {
  expect(await collectorWith(undefined).ask(call, address)).toEqual([])
  expect(jest.getTimerCount()).toBe(0)
})

it('no more clients are asked once the time is over', async () => {
  let asked = 0
  const operator = operatorWith(async (clientIds) => {
    asked += clientIds.length
    await pause(600)
    return clientIds.map(() => true)
  })
  const clientIds = Array.from({ length: 1_000 }, (_, n) => `client${n}`)
  const reports = collectorWith(operator).ask({ ...call, clientIds }, address)
  await jest.advanceTimersByTimeAsync(10_000)
  expect(await reports).toEqual([])
  expect(asked).toBe(200)
})

it('of a page that no report can have nothing is kept, and a report is complete once each page has come', async () => {
  let id = ''
  const operator = operatorWith((clientIds, text) => {
    const message = readMessage(text)
    if (message?.kind === 'ask') id = message.content.id
    return Promise.resolve(clientIds.map(() => true))
  })
  const collector = collectorWith(operator)
  const reports = collector.ask(call, address)
  await jest.advanceTimersByTimeAsync(1)
  const page = { id, clientId: 'frozen', pages: 2, holds: [], queue: [], losses: [] }
  const head = {
    clientId: 'frozen',
    client: { host: 'here', pid: 1, label: '', startedAt: 0 },
    holdCount: 0,
    waiterCount: 0,
    counts: { acquired: 0, released: 0, lost: 0 },
    waits: { count: 0, buckets: [] },
    handOffs: 0,
  }
  collector.reported({ ...page, page: 0, head })
  for (let n = 50; n < 60; n += 1) collector.reported({ ...page, page: n, pages: 100 })
  for (const stranger of [{ id: 'guessed' }, { clientId: 'stranger' }])
    collector.reported({ ...page, page: 1, ...stranger })
  await jest.advanceTimersByTimeAsync(1)
  collector.reported({ ...page, page: 1 })
  expect(await reports).toMatchObject([{ clientId: 'frozen', holdCount: 0 }])
})
