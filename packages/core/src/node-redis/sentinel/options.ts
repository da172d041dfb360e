import type { RedisAddress } from '../../index.js'
import type { NodeAddressMap } from '../link/address-map.js'

/** Where the master is: options of `createSentinel`, of which others, such as the sizes of pools, are ignored. */
export interface NodeRedisSentinelOptions {
  /** The name that the Sentinels have for the master. */
  readonly name: string
  /** One that can be reached is enough. */
  readonly sentinelRootNodes: readonly RedisAddress[]
  /** Options of a client for connections to the master: `username`, `password`, `database`, `socket` with `tls`, … */
  readonly nodeClientOptions?: object | undefined
  /** The same for connections to the Sentinels. */
  readonly sentinelClientOptions?: object | undefined
  /** How an address that a Sentinel reports is reached from here. */
  readonly nodeAddressMap?: NodeAddressMap | undefined
  /** Put before the names of all keys, in front of `prefix`. */
  readonly keyPrefix?: string | Uint8Array | undefined
}
