export type { GroupOf } from '@holdfast/metrics'
export { HoldfastInstrumentation, type HoldfastInstrumentationConfig } from './instrumentation.js'
