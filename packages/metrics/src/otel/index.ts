export type { GroupOf } from '../groups.js'
export { HoldfastInstrumentation, type HoldfastInstrumentationConfig } from './instrumentation.js'
