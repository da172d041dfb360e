export type {} from '../ambient.js'
export { bridge, type BridgedLock } from '../objects/bridge.js'
export type { BridgedLease } from '../objects/bridged-lease.js'
export type { OldLock } from '../objects/old-call.js'
