import { nodeRedis, type CreateClient } from '../../../src/node-redis/index.js'
import type { HoldfastOptions } from '@holdfast/core'
import { Cluster, Redis } from 'ioredis'
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis5'
import { Cluster as ValkeyCluster, Redis as Valkey } from 'iovalkey'
import { createClient } from 'redis'
import { createClient as createClient5 } from 'redis5'

interface Address {
  readonly host: string
  readonly port: number
}

type NatMap = Readonly<Record<string, Address>>

/** Where clients find Redis: a server, Sentinels, or the nodes of a Cluster. */
export type Reach =
  | { readonly server: Address }
  | { readonly sentinels: readonly Address[]; readonly name: string; readonly natMap?: NatMap | undefined }
  | { readonly nodes: readonly Address[]; readonly natMap?: NatMap | undefined }

type Template = HoldfastOptions['redis']

/** What clients connect with. The modules of workers have the same. */
export const drivers = {
  'ioredis 5': (reach: Reach): Template => {
    const { nodes, options } = forIoredis(reach)
    return nodes ? new Cluster5([...nodes], options) : new Redis5(options)
  },
  'ioredis 6': (reach: Reach): Template => {
    const { nodes, options } = forIoredis(reach)
    return nodes ? new Cluster([...nodes], options) : new Redis(options)
  },
  iovalkey: (reach: Reach): Template => {
    const { nodes, options } = forIoredis(reach)
    return nodes ? new ValkeyCluster([...nodes], options) : new Valkey(options)
  },
  'node-redis 5': (reach: Reach): Template => forNodeRedis(createClient5, reach),
  'node-redis 6': (reach: Reach): Template => forNodeRedis(createClient, reach),
}

export type Driver = keyof typeof drivers

function forIoredis(reach: Reach) {
  const lazyConnect = true
  if ('server' in reach) return { options: { ...reach.server, lazyConnect } }
  const natMap = reach.natMap && { natMap: { ...reach.natMap } }
  if ('nodes' in reach) return { nodes: reach.nodes, options: { ...natMap, lazyConnect } }
  return { options: { sentinels: [...reach.sentinels], name: reach.name, ...natMap, lazyConnect } }
}

function forNodeRedis(create: CreateClient, reach: Reach): Template {
  if ('server' in reach) return nodeRedis(create({ socket: reach.server }))
  const nodeAddressMap = reach.natMap
  if ('nodes' in reach) {
    const rootNodes = reach.nodes.map((socket) => ({ socket }))
    return nodeRedis.cluster(create, { rootNodes, nodeAddressMap })
  }
  const { name, sentinels: sentinelRootNodes } = reach
  return nodeRedis.sentinel(create, { name, sentinelRootNodes, nodeAddressMap })
}
