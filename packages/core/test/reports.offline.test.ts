import { Holdfast } from '@holdfast/core'
import type { EngineHost, OperatorSession } from '@holdfast/core/engine'
import { readMessage } from '../src/operating/messages.js'
import type { ClientReport } from '../src/operating/messages.js'
import { pause } from '../src/util/timeouts.js'
import { withOperator } from './support/with-operator.js'

const opened: Holdfast[] = []

beforeEach(() => jest.useFakeTimers())
afterEach(async () => {
  await Promise.all(opened.splice(0).map((client) => client.close()))
  expect(jest.getTimerCount()).toBe(0)
  jest.useRealTimers()
})

/** A client whose texts to others go here. */
function openWith(operator: Partial<OperatorSession>): { holdfast: Holdfast; host: EngineHost } {
  const hosts: EngineHost[] = []
  const engine = withOperator((host) => {
    hosts.push(host)
    return operator
  })
  const holdfast = new Holdfast({ engine })
  opened.push(holdfast)
  const [host] = hosts
  if (!host) throw new Error('not opened')
  return { holdfast, host }
}

const reportIn = (text: string): ClientReport => {
  const message = readMessage(text)
  if (message?.kind !== 'report') throw new Error(`not a report: ${text}`)
  return message.content.report
}

const ask = (host: EngineHost, id: string, more: object = {}): void =>
  host.onMessage(`ask ${JSON.stringify({ id, from: 'asker', spreadMs: 0, ...more })}`)

/** A client that answers questions. */
function openAnswering() {
  const sent: { to: string; text: string }[] = []
  const { holdfast, host } = openWith({
    send: ([to = ''], text) => {
      sent.push({ to, text })
      return Promise.resolve([true])
    },
  })
  return { holdfast, host, sent }
}

describe('a client that is asked', () => {
  it.each([0, 5_000])(
    'after close() does not answer, with spreadMs %d, and has no timer',
    async (spreadMs) => {
      const { holdfast, host, sent } = openAnswering()
      await holdfast.close()
      ask(host, 'late', { spreadMs })
      expect(jest.getTimerCount()).toBe(0)
      expect(sent).toEqual([])
    },
  )

  it('twice under one id answers once', async () => {
    const { host, sent } = openAnswering()
    for (let i = 0; i < 2; i++) ask(host, 'one', { spreadMs: 1_000 })
    await jest.advanceTimersByTimeAsync(2_000)
    expect(sent.map(({ to }) => to)).toEqual(['asker'])
  })

  it.each([
    ['one asker', () => 'asker'],
    ['strangers under ever new names', (n: number) => `stranger${n}`],
  ])('by %s sends 512 kB per second at most', async (_, from) => {
    const { holdfast, host, sent } = openAnswering()
    const names = Array.from({ length: 120 }, (_each, n) => `order:${n}`)
    await Promise.all(names.map((name) => holdfast.getLock(name).lock()))
    for (let second = 0; second < 3; second++) {
      for (let n = 0; n < 300; n++) ask(host, `${second}-${n}`, { from: from(n) })
      await jest.advanceTimersByTimeAsync(1_000)
    }
    const bytes = sent.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
    expect(bytes).toBeGreaterThan(1_000_000)
    expect(bytes).toBeLessThan(520_000 + 3 * 512_000 + 7_000)
  })

  it('more than it has time for answers later, and drops what nobody waits for any more', async () => {
    const { holdfast, host, sent } = openAnswering()
    const names = Array.from({ length: 120 }, (_, n) => `order:${n}`)
    await Promise.all(names.map((name) => holdfast.getLock(name).lock()))
    for (let n = 0; n < 500; n++) ask(host, `${n}`)
    const atOnce = sent.length
    await jest.advanceTimersByTimeAsync(60_000)
    expect(atOnce).toBeGreaterThan(50)
    expect(sent.length).toBeGreaterThan(atOnce)
    expect(sent.length).toBeLessThanOrEqual(atOnce + 200)
  })

  it('lists its oldest holds of many, the oldest first', async () => {
    const { holdfast, host, sent } = openAnswering()
    for (let n = 0; n < 600; n++) {
      await holdfast.getLock(`order:${n}`).lock()
      await jest.advanceTimersByTimeAsync(1)
    }
    ask(host, 'q')
    const { holds, holdCount } = reportIn(sent[0]?.text ?? '')
    expect(holdCount).toBe(600)
    expect(holds.length).toBeGreaterThan(80)
    expect(holds.map(({ name }) => name)).toEqual(holds.map((_, n) => `order:${n}`))
  })

  it('says of a waiter for a semaphore how many permits it wants, and of any other 1', async () => {
    const { holdfast, host, sent } = openAnswering()
    const semaphore = holdfast.getSemaphore('permits', { permits: 3 })
    const { write } = holdfast.getReadWriteLock('sides')
    const held = [await semaphore.acquire({ permits: 2 }), await write.lock()]
    const waiting = [semaphore.acquire({ permits: 2 }), write.lock({ reentrant: false })]
    await jest.advanceTimersByTimeAsync(4_000)
    ask(host, 'q')
    const { queue } = reportIn(sent[0]?.text ?? '')
    const [first, second] = queue
    expect(first).toMatchObject({ name: 'permits', permits: 2, size: 3 })
    expect(second).toMatchObject({ name: 'sides', kind: 'write-lock', permits: 1, size: null })
    expect(first?.stateAgeMs).toBeGreaterThanOrEqual(4_000)
    for (const each of waiting) each.catch(() => undefined)
    for (const lease of held) await ('release' in lease ? lease.release() : lease.unlock())
    for (const each of waiting) await each
  })
})

describe('clientReports()', () => {
  const call = { clientIds: ['frozen'], withinMs: 1_000 }

  it('ends in time, and has reports spread over no more than half of what is left', async () => {
    const spreads: unknown[] = []
    const { holdfast } = openWith({
      send: async (clientIds, text) => {
        const message = readMessage(text)
        if (message?.kind === 'ask') spreads.push(message.content.spreadMs)
        await pause(1)
        return clientIds.map(() => true)
      },
    })
    await holdfast.getLock('first-use').withLock(() => undefined)
    const startedAt = performance.now()
    const asked = holdfast.clientReports({ ...call, spreadMs: 500 })
    await jest.advanceTimersByTimeAsync(2_000)
    expect(await asked).toEqual([])
    expect(spreads).toEqual([500])
    expect(performance.now() - startedAt).toBe(2_000)
  })

  it('asks no more clients once the time is over', async () => {
    let asked = 0
    const { holdfast } = openWith({
      send: async (clientIds) => {
        asked += clientIds.length
        await pause(600)
        return clientIds.map(() => true)
      },
    })
    const clientIds = Array.from({ length: 1_000 }, (_, n) => `client${n}`)
    const reports = holdfast.clientReports({ ...call, clientIds })
    await jest.advanceTimersByTimeAsync(10_000)
    expect(await reports).toEqual([])
    expect(asked).toBe(200)
  })

  it('takes the reports of clients that it asked, and none that strangers make up', async () => {
    let id = ''
    const { holdfast, host } = openWith({
      send: (clientIds, text) => {
        const message = readMessage(text)
        if (message?.kind === 'ask') id = message.content.id
        return Promise.resolve(clientIds.map(() => true))
      },
    })
    const reports = holdfast.clientReports(call)
    await jest.advanceTimersByTimeAsync(1)
    const report = (given: object): void =>
      host.onMessage(
        `report ${JSON.stringify({
          ...{ id, clientId: 'frozen', holdCount: 1, waiterCount: 0, handOffs: 0 },
          ...{ client: { host: 'here', pid: 1, label: '', startedAt: 0 } },
          ...{ counts: { acquired: 0, released: 0, lost: 0 }, waits: { count: 0, buckets: [] } },
          ...{ holds: [], queue: [], losses: [], ...given },
        })}`,
      )
    for (const stranger of [{ id: 'guessed' }, { clientId: 'stranger' }])
      report({ ...stranger, holdCount: 9 })
    report({})
    expect(await reports).toMatchObject([{ clientId: 'frozen', holdCount: 1 }])
  })
})
