import * as redis6 from 'redis'
import * as redis5 from 'redis5'
import type { NodeRedisClient } from '../../../src/node-redis/index.js'

/** What tests use of a client of the application. */
interface ApplicationClient extends NodeRedisClient {
  readonly isOpen: boolean
  ping(): Promise<unknown>
  close(): Promise<void>
}

interface Version {
  readonly version: 5 | 6
  readonly createClient: (options?: object) => ApplicationClient
  readonly createCluster: (options: { rootNodes: { url: string }[] }) => object
  readonly createSentinel: (options: {
    name: string
    sentinelRootNodes: { host: string; port: number }[]
  }) => object
  readonly createClientPool: () => object
}

/** node-redis 5 and 6. */
export const versions: readonly Version[] = [
  { version: 5, ...redis5 },
  { version: 6, ...redis6 },
]
