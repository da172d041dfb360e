export type {} from '../ambient.js'
export { getReadWriteLock, type ReadWriteLock } from '../objects/read-write-lock.js'
