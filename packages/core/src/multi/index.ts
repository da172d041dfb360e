export type {} from '../ambient.js'
export { getMultiLock, type MultiLock } from './multi-lock.js'
export type { MultiLease } from './multi-lock.js'
