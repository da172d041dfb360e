import type { OperatorSession } from '../engine/operator.js'
import { pause } from '../util/backoff.js'
import { monotonicMs } from '../util/clock.js'
import { readMessage } from './read-message.js'
import { RollCalls } from './roll-calls.js'

beforeEach(() => jest.useFakeTimers())
afterEach(() => jest.useRealTimers())

const address = { name: 'order', id: 'order', group: '' }

/** Roll calls of a client that has to wait that long for its subscription. */
const rollCallsWith = (operator: OperatorSession | undefined, subscribeMs = 0): RollCalls =>
  new RollCalls({
    clientId: 'asker',
    engine: 'test',
    session: { operator, subscribe: () => pause(subscribeMs) },
    report: () => {
      throw new Error('not asked for')
    },
  })

/** @param tell - whether the text reached each of these clients */
const operatorWith = (tell: OperatorSession['tell']): OperatorSession => ({
  list: () => Promise.reject(new Error('not asked for')),
  clients: () => Promise.resolve([]),
  tell,
})

const call = { clientIds: ['frozen'], limit: 1, withinMs: 1_000, spreadMs: 0 }

it('subscribing and waiting for reports take no longer than withinMs together', async () => {
  const spreads: unknown[] = []
  const operator = operatorWith((clientIds, text) => {
    const message = readMessage(text)
    if (message?.kind === 'ask') spreads.push(message.content.spreadMs)
    return Promise.resolve(clientIds.map(() => true))
  })
  const rollCalls = rollCallsWith(operator, 600)
  const startedAt = monotonicMs()
  const asked = rollCalls
    .ask({ ...call, spreadMs: 500 }, address)
    .then((reports) => [reports.length, monotonicMs() - startedAt])
  await jest.advanceTimersByTimeAsync(2_000)
  expect(await asked).toEqual([0, 1_000])
  // Otherwise clients would report when it is over.
  expect(spreads).toEqual([200])
})

it('without an operator no other client is waited for', async () => {
  expect(await rollCallsWith(undefined).ask(call, address)).toEqual([])
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
  const reports = rollCallsWith(operator).ask({ ...call, clientIds }, address)
  await jest.advanceTimersByTimeAsync(10_000)
  expect(await reports).toEqual([])
  expect(asked).toBe(200)
})
