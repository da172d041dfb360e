export { metricDefinitions, prometheusNameOf } from './definitions.js'
export type {
  CounterName,
  Definition,
  GaugeName,
  HistogramName,
  MetricDefinition,
  MetricName,
} from './definitions.js'
export { measure, type Measuring, type MetricSink } from './measure.js'
export type { GaugeReading } from './open-operations.js'
export { mostGroups, otherGroup, type GroupOf } from './groups.js'
export type { Attributes } from './attributes.js'
