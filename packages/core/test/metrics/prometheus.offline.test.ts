import { AggregatorRegistry, Registry } from 'prom-client'
import { Holdfast } from '../../src/index.js'
import { memory } from '@holdfast/stores/memory'
import { metricDefinitions, prometheusNameOf } from '../../src/metrics/index.js'
import { collectHoldfastMetrics } from '../../src/prometheus/index.js'

let register: Registry
let holdfast: Holdfast
let stop: () => void

beforeEach(() => {
  register = new Registry()
  holdfast = new Holdfast({ engine: memory() })
})

afterEach(async () => {
  stop()
  await holdfast.close()
})

it('registers all metrics under the names that OpenTelemetry translates to', () => {
  stop = collectHoldfastMetrics({ register })
  const names = register.getMetricsAsArray().map(({ name }) => name)
  expect(names).toEqual(metricDefinitions.map(prometheusNameOf))
  expect(names).toEqual([
    'holdfast_acquire_duration_seconds',
    'holdfast_hold_duration_seconds',
    'holdfast_hold_count',
    'holdfast_waiter_count',
    'holdfast_waiter_age_max_seconds',
    'holdfast_losses_total',
    'holdfast_renew_duration_seconds',
    'holdfast_lease_margin',
    'holdfast_handoff_duration_seconds',
    'holdfast_warnings_total',
    'holdfast_errors_total',
  ])
})

it('exposes what happens', async () => {
  stop = collectHoldfastMetrics({ register, group: (name) => name.split(':')[0] })
  const lease = await holdfast.getLock('order:42').lock()
  const exposed = await register.metrics()
  expect(exposed).toContain(
    'holdfast_acquire_duration_seconds_count{outcome="acquired",contended="false",group="order"} 1',
  )
  expect(exposed).toContain('holdfast_hold_count{group="order"} 1')
  expect(exposed).toContain('holdfast_losses_total{reason="expired"} 0')
  expect(exposed).toContain('holdfast_losses_total{reason="expired",group="order"} 0')
  expect(exposed).not.toContain('order:42')
  await lease.unlock()
  expect(await register.metrics()).toContain('holdfast_hold_count{group="order"} 0')
})

it('workers of a cluster add up what they hold, and expose the age of the oldest waiter of all', async () => {
  stop = collectHoldfastMetrics({ register })
  const exposed = await register.getMetricsAsJSON()
  const worker = (value: number) =>
    exposed.map((metric) => ({ ...metric, values: metric.values.map((of) => ({ ...of, value })) }))
  const joined = await AggregatorRegistry.aggregate([worker(7), worker(10)]).metrics()
  expect(joined).toContain('holdfast_hold_count 17')
  expect(joined).toContain('holdfast_waiter_age_max_seconds 10')
})

it('errors that may be reported only once are counted from 0', async () => {
  stop = collectHoldfastMetrics({ register })
  const exposed = await register.metrics()
  for (const code of ['INVALID_ARGUMENT', 'NOT_A_LOCK'])
    expect(exposed).toContain(`holdfast_errors_total{code="${code}"} 0`)
})

it('all gauges of a scrape are read at one instant, and those of the next one again', async () => {
  stop = collectHoldfastMetrics({ register })
  const clock = jest.spyOn(performance, 'now')
  try {
    const scrape = register.metrics()
    expect(clock).toHaveBeenCalledTimes(1)
    expect(await scrape).toContain('holdfast_hold_count 0')
    const lease = await holdfast.getLock('order').lock()
    clock.mockClear()
    const next = register.metrics()
    expect(clock).toHaveBeenCalledTimes(1)
    expect(await next).toContain('holdfast_hold_count 1')
    await lease.unlock()
  } finally {
    clock.mockRestore()
  }
})

it.each([
  [new Registry(), 'options must be an object, got a Registry; write collectHoldfastMetrics({ register })'],
  [new Holdfast({ engine: memory() }), 'got a Holdfast client; leave it out: all clients are measured'],
  [{ register: 'default' }, 'register must be a Registry of prom-client, got a string'],
  [{ group: 'orders' }, 'group must be a function from the name of a lock to its group, got a string'],
  ['orders', 'options must be an object, got a string'],
  [{ registry: 1 }, "unknown option 'registry' (did you mean register?)"],
])('%j is refused', (options, message) => {
  stop = () => undefined
  expect(() => Reflect.apply(collectHoldfastMetrics, undefined, [options]) as unknown).toThrow(message)
})

it('a second time is refused with what to do, and changes nothing', async () => {
  stop = collectHoldfastMetrics({ register })
  expect(() => collectHoldfastMetrics({ register })).toThrow(
    /^the registry has holdfast_acquire_duration_seconds already: call collectHoldfastMetrics once/,
  )
  expect(await register.metrics()).toContain('holdfast_hold_count 0')
})

it('once stopped leaves the registry as it was', async () => {
  stop = collectHoldfastMetrics({ register })
  stop()
  await holdfast.getLock('order').withLock(() => undefined)
  expect(register.getMetricsAsArray()).toEqual([])
  stop = collectHoldfastMetrics({ register })
})
