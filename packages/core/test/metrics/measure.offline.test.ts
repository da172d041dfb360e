import { Holdfast } from '../../src/index.js'
import { memory, type MemoryStore } from '@holdfast/stores/memory'
import {
  measure,
  metricDefinitions,
  mostGroups,
  type Measuring,
  type MetricSink,
} from '../../src/metrics/index.js'

let store: MemoryStore
let ann: Holdfast
let bob: Holdfast
let measuring: Measuring
let values: { readonly name: string; readonly value: number; readonly attributes: object }[]

const sink: MetricSink = {
  record: (name, value, attributes) => values.push({ name, value, attributes }),
  count: (name, by, attributes) => values.push({ name, value: by, attributes }),
}

const settled = async (): Promise<void> => {
  for (let i = 0; i < 50; i++) await Promise.resolve()
}

const of = (name: string): typeof values => values.filter((one) => one.name === name && one.value !== 0)

const gauge = (name: string, group?: string): number | undefined =>
  measuring.read().find((one) => one.name === name && one.attributes['group'] === group)?.value

beforeEach(() => {
  values = []
  store = memory()
  ann = new Holdfast({ engine: store })
  bob = new Holdfast({ engine: store })
})

afterEach(async () => {
  jest.useRealTimers()
  measuring.stop()
  await Promise.all([ann.close(), bob.close()])
})

it('times acquisitions by outcome and contention, and holds by their end', async () => {
  jest.useFakeTimers()
  measuring = measure(sink)
  const first = await ann.getLock('order').lock()
  const waiting = bob.getLock('order').lock()
  await jest.advanceTimersByTimeAsync(2_000)
  await first.unlock()
  await (await waiting).unlock()
  expect(await ann.getLock('order').tryLock()).not.toBeNull()
  expect(await bob.getLock('order').tryLock()).toBeNull()
  const acquired = values.filter(({ name }) => name === 'holdfast.acquire.duration')
  expect(acquired.map(({ attributes }) => attributes)).toEqual([
    { outcome: 'acquired', contended: 'false' },
    { outcome: 'acquired', contended: 'true' },
    { outcome: 'acquired', contended: 'false' },
    { outcome: 'busy', contended: 'true' },
  ])
  expect(acquired[1]?.value).toBeCloseTo(2, 1)
  expect(of('holdfast.hold.duration')[0]).toMatchObject({ attributes: { end: 'released' } })
  expect(of('holdfast.hold.duration')[0]?.value).toBeCloseTo(2, 1)
})

it('counts warnings by their code: here a callback that ended before one that entered its hold', async () => {
  measuring = measure(sink)
  const lock = ann.getLock('order')
  let inner = Promise.resolve()
  await lock.withLock(() => {
    inner = lock.withLock(() => undefined)
  })
  await inner
  expect(of('holdfast.warnings')).toEqual([
    { name: 'holdfast.warnings', value: 1, attributes: { code: 'BODY_ENDED_FIRST' } },
  ])
})

it('counts what is held and who waits now, and how long the oldest has waited', async () => {
  measuring = measure(sink)
  expect(measuring.read().map(({ value }) => value)).toEqual([0, 0, 0])
  const first = await ann.getLock('order').lock()
  const waiting = Promise.all([bob.getLock('order').lock(), settled()])
  await settled()
  expect(gauge('holdfast.hold.count')).toBe(1)
  expect(gauge('holdfast.waiter.count')).toBe(1)
  expect(gauge('holdfast.waiter.age.max')).toBeGreaterThan(0)
  await first.unlock()
  const [second] = await waiting
  expect(gauge('holdfast.waiter.count')).toBe(0)
  expect(gauge('holdfast.waiter.age.max')).toBe(0)
  await second.unlock()
  expect(gauge('holdfast.hold.count')).toBe(0)
})

it('records the margin of each renewal of each hold, and the time of each command', async () => {
  jest.useFakeTimers()
  measuring = measure(sink)
  const leases = await Promise.all(['a', 'b'].map((name) => ann.getLock(name).lock()))
  await jest.advanceTimersByTimeAsync(10_500)
  expect(of('holdfast.lease.margin')).toHaveLength(2)
  for (const { value } of of('holdfast.lease.margin')) expect(value).toBeCloseTo(0.65, 1)
  expect(values.filter(({ name }) => name === 'holdfast.renew.duration')).toMatchObject([
    { attributes: { outcome: 'renewed' } },
  ])
  await Promise.all(leases.map((lease) => lease.unlock()))
})

it('counts losses by reason, from series that begin at 0', async () => {
  measuring = measure(sink)
  expect(values).toContainEqual({ name: 'holdfast.losses', value: 0, attributes: { reason: 'expired' } })
  await ann.getLock('order').lock()
  await bob.getLock('order').forceUnlock()
  await settled()
  expect(of('holdfast.losses')).toEqual([
    { name: 'holdfast.losses', value: 1, attributes: { reason: 'revoked' } },
  ])
})

it('a fixed lease that ends by itself, as of a rate limit, is no loss', async () => {
  jest.useFakeTimers()
  measuring = measure(sink)
  for (const name of ['limit:ann', 'limit:bob']) await ann.getLock(name).tryLock({ leaseMs: 1_000 })
  await jest.advanceTimersByTimeAsync(1_000)
  expect(of('holdfast.losses')).toEqual([])
  expect(of('holdfast.hold.duration').map(({ attributes }) => attributes)).toEqual([
    { end: 'ended' },
    { end: 'ended' },
  ])
})

it.each([
  ['a lock', () => bob.getLock('leader')],
  ['a multi lock', () => bob.getMultiLock([bob.getLock('leader'), bob.getLock('other')])],
])(
  'a standby, which says that it waits without limit for %s, is counted, and has no age',
  async (_, lockOf) => {
    jest.useFakeTimers()
    measuring = measure(sink)
    const leader = await ann.getLock('leader').lock()
    const standby = lockOf().lock({ waitMs: Infinity })
    await jest.advanceTimersByTimeAsync(70_000)
    expect(gauge('holdfast.waiter.count')).toBe(1)
    expect(gauge('holdfast.waiter.age.max')).toBe(0)
    const stuck = bob.getLock('leader').lock()
    await jest.advanceTimersByTimeAsync(70_000)
    expect(gauge('holdfast.waiter.count')).toBe(2)
    expect(gauge('holdfast.waiter.age.max')).toBeCloseTo(70, 0)
    await leader.unlock()
    await (await standby).unlock()
    await (await stuck).unlock()
  },
)

it('dates hand-offs', async () => {
  measuring = measure(sink)
  const first = await ann.getLock('order').lock()
  const waiting = bob.getLock('order').lock()
  await settled()
  await first.unlock()
  await (await waiting).unlock()
  expect(values.filter(({ name }) => name === 'holdfast.handoff.duration')).toHaveLength(1)
})

it('counts errors that no call waits for', async () => {
  measuring = measure(sink)
  const lease = await ann.getLock('order').lock()
  const waiting = ann.getLock('other').lock({ waitMs: 20_000 })
  store.disconnect()
  await settled()
  expect(of('holdfast.errors')[0]).toMatchObject({ attributes: { code: 'UNAVAILABLE' } })
  store.reconnect()
  await (await waiting).unlock()
  await lease.unlock()
})

describe('groups', () => {
  it('are on no metric unless asked for', async () => {
    measuring = measure(sink)
    await ann.getLock('secret:1').withLock(() => undefined)
    expect(JSON.stringify([values, measuring.read()])).not.toContain('secret')
  })

  it(`are at most ${mostGroups}, then _other`, async () => {
    measuring = measure(sink, (name) => name.split(':')[0])
    for (let i = 0; i < mostGroups + 10; i++) {
      await ann.getLock(`group${i}:lock`).withLock(() => undefined)
    }
    const groups = new Set(
      of('holdfast.acquire.duration').map(({ attributes }) => JSON.stringify(attributes)),
    )
    expect(groups.size).toBe(mostGroups + 1)
    expect([...groups].filter((group) => group.includes('"_other"'))).toHaveLength(1)
  })

  it('are left out where the name has none', async () => {
    measuring = measure(sink, (name) => name.split(':')[0])
    await ann.getLock(':1').withLock(() => undefined)
    expect(of('holdfast.acquire.duration')).toMatchObject([{ attributes: { outcome: 'acquired' } }])
    expect(JSON.stringify(values)).not.toContain('group')
  })

  it('are left out for a function that throws, which ends nothing', async () => {
    measuring = measure(sink, () => {
      throw new Error('no group for this one')
    })
    await ann.getLock('order:1').withLock(() => undefined)
    expect(of('holdfast.acquire.duration')).toMatchObject([{ attributes: { outcome: 'acquired' } }])
    expect(JSON.stringify(values)).not.toContain('group')
  })

  it('fall back to 0 when nothing of them is held', async () => {
    measuring = measure(sink, (name) => name.split(':')[0])
    const lease = await ann.getLock('order:1').lock()
    expect(gauge('holdfast.hold.count', 'order')).toBe(1)
    await lease.unlock()
    expect(gauge('holdfast.hold.count', 'order')).toBe(0)
  })
})

it('every metric that is recorded is defined, with its attributes', async () => {
  measuring = measure(sink, (name) => name)
  await ann.getLock('order').withLock(() => undefined)
  const definitions = new Map(metricDefinitions.map((definition) => [definition.name as string, definition]))
  for (const { name, attributes } of [...values, ...measuring.read()]) {
    const definition = definitions.get(name)
    const allowed = [...(definition?.attributes ?? []), ...(definition?.hasGroup ? ['group'] : [])]
    expect(allowed).toEqual(expect.arrayContaining(Object.keys(attributes)))
  }
})

it('once stopped measures nothing', async () => {
  measuring = measure(sink)
  measuring.stop()
  values = []
  await ann.getLock('order').withLock(() => undefined)
  expect(values).toEqual([])
})
