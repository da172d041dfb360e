import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { context, metrics, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import type { MetricData } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { Holdfast } from '../../src/index.js'
import { memory, type MemoryStore } from '@holdfast/stores/memory'
import { metricDefinitions } from '../../src/metrics/index.js'
import { HoldfastInstrumentation } from '../../src/otel/index.js'

const spanExporter = new InMemorySpanExporter()
const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const reader = new PeriodicExportingMetricReader({ exporter: metricExporter })
const meterProvider = new MeterProvider({ readers: [reader] })
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spanExporter)] })
const tracer = trace.getTracer('the application')

let store: MemoryStore
let ann: Holdfast
let bob: Holdfast
let instrumentation: HoldfastInstrumentation

const settled = async (): Promise<void> => {
  for (let i = 0; i < 50; i++) await Promise.resolve()
}

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  trace.setGlobalTracerProvider(tracerProvider)
  metrics.setGlobalMeterProvider(meterProvider)
})

afterAll(async () => {
  await meterProvider.shutdown()
  await tracerProvider.shutdown()
  context.disable()
  trace.disable()
  metrics.disable()
})

beforeEach(() => {
  store = memory()
  ann = new Holdfast({ engine: store })
  bob = new Holdfast({ engine: store })
  instrumentation = new HoldfastInstrumentation()
})

afterEach(async () => {
  instrumentation.disable()
  await Promise.all([ann.close(), bob.close()])
  spanExporter.reset()
})

async function collect(): Promise<Map<string, MetricData>> {
  metricExporter.reset()
  await meterProvider.forceFlush()
  const found = metricExporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics)
  return new Map(found.flatMap((scope) => scope.metrics.map((metric) => [metric.descriptor.name, metric])))
}

const spansOf = (name: string): ReadableSpan[] =>
  spanExporter.getFinishedSpans().filter((span) => span.name === name)

it('says which version it is', () => {
  const manifest: unknown = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8'))
  expect(manifest).toMatchObject({
    name: instrumentation.instrumentationName,
    version: instrumentation.instrumentationVersion,
  })
})

describe('metrics', () => {
  it('have the names, units and buckets of their definitions', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] })
    const first = await ann.getLock('order').lock()
    const waiting = bob.getLock('order').lock()
    await jest.advanceTimersByTimeAsync(10_500)
    await first.unlock()
    await (await waiting).unlock()
    jest.useRealTimers()
    const collected = await collect()
    expect([...collected.keys()].sort()).toEqual(metricDefinitions.map(({ name }) => name).sort())
    for (const { name, unit, buckets, instrument } of metricDefinitions) {
      const metric = collected.get(name)
      expect(metric?.descriptor.unit).toBe(unit)
      const boundaries = metric?.dataPoints.map(({ value }) =>
        typeof value === 'object' && 'buckets' in value ? value.buckets : undefined,
      )
      if (instrument === 'histogram')
        expect(boundaries).toContainEqual(expect.objectContaining({ boundaries: buckets }))
    }
  })

  it('never carry the name of a lock', async () => {
    await ann.getLock('a-secret-name').withLock(() => undefined)
    const points = [...(await collect()).values()].flatMap(({ dataPoints }) =>
      dataPoints.map(({ attributes }) => attributes),
    )
    expect(points.length).toBeGreaterThan(5)
    expect(JSON.stringify(points)).not.toContain('a-secret-name')
  })

  it('carry the group that the application gives a lock', async () => {
    instrumentation.setConfig({ group: (name) => name.split(':')[0] })
    const lease = await ann.getLock('order:42').lock()
    const held = (await collect()).get('holdfast.hold.count')
    const point = held?.dataPoints.find(({ attributes }) => attributes['group'] === 'order')
    expect(point?.value).toBe(1)
    await lease.unlock()
  })

  it.each([
    [{ grp: 1 }, "unknown option 'grp' (did you mean group?)"],
    [{ group: 'orders' }, 'group must be a function from the name of a lock to its group, got a string'],
  ])('are not exported by the configuration %j', (config, message) =>
    expect(() => Reflect.construct(HoldfastInstrumentation, [config]) as unknown).toThrow(message),
  )

  it('end with disable()', async () => {
    const counts = async (): Promise<unknown[]> => {
      const { dataPoints = [] } = (await collect()).get('holdfast.acquire.duration') ?? {}
      return dataPoints.map(({ value }) =>
        typeof value === 'object' && 'count' in value ? value.count : value,
      )
    }
    await ann.getLock('order').withLock(() => undefined)
    const before = await counts()
    instrumentation.disable()
    await ann.getLock('order').withLock(() => undefined)
    expect(before.length).toBeGreaterThan(0)
    expect(await counts()).toEqual(before)
  })
})

describe('spans', () => {
  it('of an acquisition, a hold and a release are children of the span of the caller', async () => {
    const root = tracer.startSpan('request')
    await context.with(trace.setSpan(context.active(), root), () =>
      ann.getLock('order').withLock(() => tracer.startSpan('work').end()),
    )
    root.end()
    const { spanId, traceId } = root.spanContext()
    for (const name of ['holdfast.acquire', 'holdfast.hold', 'holdfast.release', 'work']) {
      const [span] = spansOf(name)
      expect(span?.parentSpanContext?.spanId).toBe(spanId)
      expect(span?.spanContext().traceId).toBe(traceId)
    }
    const [acquired] = spansOf('holdfast.acquire')
    expect(acquired?.attributes).toMatchObject({
      'holdfast.lock.name': 'order',
      'holdfast.lock.kind': 'lock',
      'holdfast.outcome': 'acquired',
      'holdfast.contended': false,
      'holdfast.engine': 'memory',
    })
    const [held] = spansOf('holdfast.hold')
    expect(held?.links.map(({ context: linked }) => linked.spanId)).toEqual([acquired?.spanContext().spanId])
    expect(held?.attributes).toMatchObject({ 'holdfast.end': 'released' })
  })

  it('of a hold belong to the caller that waited, not to the one that released', async () => {
    const first = await ann.getLock('order').lock()
    const waiter = tracer.startSpan('the waiter')
    const waiting = context.with(trace.setSpan(context.active(), waiter), () => bob.getLock('order').lock())
    await settled()
    const releaser = tracer.startSpan('the releaser')
    await context.with(trace.setSpan(context.active(), releaser), () => first.unlock())
    await (await waiting).unlock()
    const held = spansOf('holdfast.hold').at(-1)
    expect(held?.parentSpanContext?.spanId).toBe(waiter.spanContext().spanId)
    expect(spansOf('holdfast.acquire').at(-1)?.attributes).toMatchObject({ 'holdfast.contended': true })
  })

  it('of a call that gives up in time are no errors, those of a failure are', async () => {
    const lease = await ann.getLock('order').lock()
    await expect(bob.getLock('order').lock({ waitMs: 20 })).rejects.toThrow('timed out')
    const timedOut = spansOf('holdfast.acquire').at(-1)
    expect(timedOut?.attributes).toMatchObject({ 'holdfast.outcome': 'timeout' })
    expect(timedOut?.status.code).toBe(SpanStatusCode.UNSET)
    store.disconnect()
    await expect(bob.getLock('other').tryLock()).rejects.toThrow('disconnected')
    const failed = spansOf('holdfast.acquire').at(-1)
    expect(failed?.status.code).toBe(SpanStatusCode.ERROR)
    expect(failed?.events[0]?.name).toBe('exception')
    store.reconnect()
    await lease.unlock()
  })

  it('of a lost hold end with its reason, as an error', async () => {
    await ann.getLock('order').lock()
    await bob.getLock('order').forceUnlock()
    await settled()
    const [lost] = spansOf('holdfast.hold')
    expect(lost?.attributes).toMatchObject({ 'holdfast.end': 'lost', 'holdfast.loss.reason': 'revoked' })
    expect(lost?.status.code).toBe(SpanStatusCode.ERROR)
  })

  it('of a hold that its fixed lease ended say so, and are no errors', async () => {
    const lease = await ann.getLock('order').lock({ leaseMs: 100 })
    await new Promise((resolve) => lease.signal.addEventListener('abort', resolve))
    const [ended] = spansOf('holdfast.hold')
    expect(ended?.attributes).toMatchObject({ 'holdfast.end': 'ended' })
    expect(ended?.status.code).toBe(SpanStatusCode.UNSET)
    expect(ended?.events).toEqual([])
  })

  it('go to the provider that an SDK sets', async () => {
    const exporter = new InMemorySpanExporter()
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
    instrumentation.setTracerProvider(provider)
    await ann.getLock('order').withLock(() => undefined)
    expect(exporter.getFinishedSpans()).toHaveLength(3)
    expect(spanExporter.getFinishedSpans()).toEqual([])
    await provider.shutdown()
  })
})
