export type {} from '../../ambient.js'
export { redisson } from './engine.js'
export type { RedissonOptions, RedissonSemaphore } from './options.js'
