export { zookeeper } from './engine.js'
export type { Acl, Auth, ZooKeeperOptions } from './options.js'
