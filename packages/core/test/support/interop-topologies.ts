import type { RedisCluster, RedisServer } from '@holdfast/testkit'
import { Cluster } from 'ioredis'
import type { Holdfast } from '../../src/index.js'
import { openClient, openHoldfast, type ClientOptions } from './clients.js'

/** Where locks are shared with Redisson: how its releases are published, and how to open a client. */
export interface InteropTopology {
  readonly publish: 'PUBLISH' | 'SPUBLISH'
  readonly open: (options?: Omit<ClientOptions, 'interop'>) => Holdfast
  /** The server that has the lock. */
  readonly home: (name: string) => Promise<RedisServer>
}

export const onServer = (server: () => RedisServer): InteropTopology => ({
  publish: 'PUBLISH',
  open: (options = {}) => openHoldfast(server().url, { ...options, interop: 'redisson' }).holdfast,
  home: () => Promise.resolve(server()),
})

export const inCluster = (cluster: () => RedisCluster): InteropTopology => ({
  publish: 'SPUBLISH',
  open(options = {}) {
    const template = new Cluster([...cluster().startupNodes], { lazyConnect: true })
    return openClient(template, { ...options, interop: 'redisson' })
  },
  home: (name) => cluster().masterOf(name),
})
