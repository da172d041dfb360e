export { memcached } from './engine.js'
export type { MemcachedOptions } from './options.js'
