export type {} from '../ambient.js'
export { getMultiLock, type MultiLock } from '../objects/multi-lock.js'
export type { MultiLease } from '../objects/multi-lease.js'
