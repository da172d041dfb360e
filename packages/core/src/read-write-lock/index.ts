export type {} from '../ambient.js'
export { getReadWriteLock, type ReadWriteLock } from './read-write-lock.js'
