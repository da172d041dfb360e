export type {} from '../ambient.js'
export { bridge, type BridgedLock } from './bridge.js'
export type { BridgedLease } from './bridge.js'
export type { OldLock } from './bridge.js'
