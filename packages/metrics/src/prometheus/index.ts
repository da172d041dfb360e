export type { GroupOf } from '../groups.js'
export { collectHoldfastMetrics, type HoldfastMetricsOptions } from './collect-holdfast-metrics.js'
