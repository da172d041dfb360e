import type { BatchObservableResult, Counter, Histogram, Meter, Observable } from '@opentelemetry/api'
import { metricDefinitions } from '../metrics/definitions.js'
import type { GroupOf } from '../metrics/groups.js'
import { measure } from '../metrics/measure.js'

/** Sends all metrics to this meter, until the function that it returns is called. */
export function exportMetrics(meter: Meter, groupOf: GroupOf | undefined): () => void {
  const histograms = new Map<string, Histogram>()
  const counters = new Map<string, Counter>()
  const gauges = new Map<string, Observable>()
  for (const { name, instrument, unit, description, buckets } of metricDefinitions) {
    const options = { unit, description }
    if (instrument === 'histogram') {
      const advice = { explicitBucketBoundaries: [...buckets] }
      histograms.set(name, meter.createHistogram(name, { ...options, advice }))
    } else if (instrument === 'counter') counters.set(name, meter.createCounter(name, options))
    else if (instrument === 'sum') gauges.set(name, meter.createObservableUpDownCounter(name, options))
    else gauges.set(name, meter.createObservableGauge(name, options))
  }
  const measuring = measure(
    {
      record: (name, value, attributes) => histograms.get(name)?.record(value, attributes),
      count: (name, by, attributes) => counters.get(name)?.add(by, attributes),
    },
    groupOf,
  )
  const observables = [...gauges.values()]
  const read = (result: BatchObservableResult): void => {
    for (const { name, value, attributes } of measuring.read()) {
      const gauge = gauges.get(name)
      if (gauge) result.observe(gauge, value, attributes)
    }
  }
  meter.addBatchObservableCallback(read, observables)
  return () => {
    meter.removeBatchObservableCallback(read, observables)
    measuring.stop()
  }
}
