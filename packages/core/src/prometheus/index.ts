export type { GroupOf } from '../metrics/groups.js'
export { collectHoldfastMetrics, type HoldfastMetricsOptions } from './collect-holdfast-metrics.js'
