export { etcd } from './engine.js'
export type { EtcdOptions } from './options.js'
