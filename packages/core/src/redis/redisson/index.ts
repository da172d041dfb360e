export type {} from '../../ambient.js'
export { redisson, type RedissonOptions } from './engine.js'
export type { RedissonSemaphore } from './calls.js'
