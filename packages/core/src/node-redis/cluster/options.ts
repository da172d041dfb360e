import type { NodeAddressMap } from '../link/address-map.js'

/** Where the cluster is: options of `createCluster`, of which others, such as `useReplicas`, are ignored. */
export interface NodeRedisClusterOptions {
  /** Options of clients for some of its nodes: `{ url }` or `{ socket: { host, port } }`. One that can be reached is enough. */
  readonly rootNodes: readonly object[]
  /** Options of a client for connections to all nodes: `username`, `password`, `socket` with `tls`, … */
  readonly defaults?: object | undefined
  /** How an address that the cluster reports is reached from here. */
  readonly nodeAddressMap?: NodeAddressMap | undefined
  /** Put before the names of all keys, in front of `prefix`. */
  readonly keyPrefix?: string | Uint8Array | undefined
}
