export type { GroupOf } from '../metrics/groups.js'
export { HoldfastInstrumentation, type HoldfastInstrumentationConfig } from './instrumentation.js'
