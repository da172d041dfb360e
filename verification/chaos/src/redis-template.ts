import { redisClient } from '@holdfast/core/engine'
import type { RedisClient } from '@holdfast/core'
import { Cluster, Redis } from 'ioredis'

interface Address {
  readonly host: string
  readonly port: number
}

/** `natMap` maps each server's address to its fault proxy. */
export type RedisSpec =
  | { readonly kind: 'server'; readonly url: string }
  | {
      readonly kind: 'cluster'
      readonly nodes: readonly Address[]
      readonly natMap: Readonly<Record<string, Address>>
    }
  | {
      readonly kind: 'sentinel'
      readonly sentinels: readonly Address[]
      readonly name: string
      readonly natMap: Readonly<Record<string, Address>>
    }

/** By which library a process reaches Redis. */
export type RedisLibrary = 'ioredis' | 'node-redis'

/** A client that never connects. */
export type RedisTemplate = Redis | Cluster | RedisClient

const isIoredis = (given: object): given is Redis | Cluster =>
  given instanceof Redis || given instanceof Cluster

export const isRedis = (given: object): given is RedisTemplate => isIoredis(given) || redisClient in given

export function discardRedis(template: RedisTemplate): void {
  if (isIoredis(template)) template.disconnect()
}

export const redisTemplateOf = async (spec: RedisSpec, library: RedisLibrary): Promise<RedisTemplate> =>
  library === 'ioredis' ? ofIoredis(spec) : ofNodeRedis(spec)

function ofIoredis(spec: RedisSpec): RedisTemplate {
  switch (spec.kind) {
    case 'server':
      return new Redis(spec.url, { lazyConnect: true })
    case 'cluster':
      return new Cluster([...spec.nodes], { lazyConnect: true, natMap: { ...spec.natMap } })
    case 'sentinel':
      return new Redis({
        lazyConnect: true,
        sentinels: [...spec.sentinels],
        name: spec.name,
        natMap: { ...spec.natMap },
      })
  }
}

async function ofNodeRedis(spec: RedisSpec): Promise<RedisTemplate> {
  const [{ nodeRedis }, { createClient }] = await Promise.all([
    import('@holdfast/core/node-redis'),
    import('redis'),
  ])
  switch (spec.kind) {
    case 'server':
      return nodeRedis(createClient({ url: spec.url }))
    case 'cluster':
      return nodeRedis.cluster(createClient, {
        rootNodes: spec.nodes.map(({ host, port }) => ({ socket: { host, port } })),
        nodeAddressMap: spec.natMap,
      })
    case 'sentinel':
      return nodeRedis.sentinel(createClient, {
        sentinelRootNodes: spec.sentinels,
        name: spec.name,
        nodeAddressMap: spec.natMap,
      })
  }
}
