export type { GroupOf } from '@holdfast/metrics'
export { collectHoldfastMetrics, type HoldfastMetricsOptions } from './collect-holdfast-metrics.js'
