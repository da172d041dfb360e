import type { LockEngine } from '@holdfast/core/engine'
import { Cluster, Redis } from 'ioredis'

interface Address {
  readonly host: string
  readonly port: number
}

/** How a process reaches its store, as plain data. `natMap` maps each server's address to its fault proxy. */
export type TemplateSpec =
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
  | {
      readonly kind: 'postgres'
      readonly url: string
      readonly listenUrl: string
      readonly tables: 'unlogged' | 'logged'
    }
  | { readonly kind: 'zookeeper'; readonly connect: string; readonly tickMs: number }
  | { readonly kind: 'etcd'; readonly hosts: readonly string[] }
  | { readonly kind: 'memcached'; readonly url: string; readonly graceMs: number }
  | { readonly kind: 'mysql'; readonly url: string }

/** What Holdfast takes: an engine, or a client of Redis as its template, which never connects. */
export type Template = LockEngine | RedisTemplate
export type RedisTemplate = Redis | Cluster

export const isRedis = (template: Template): template is RedisTemplate =>
  template instanceof Redis || template instanceof Cluster

export function discard(template: Template): void {
  if (isRedis(template)) template.disconnect()
}

/** Loads only the engine that it needs: loading all of them takes longer than most schedules. */
export async function templateOf(spec: TemplateSpec): Promise<Template> {
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
    case 'postgres': {
      const { url, listenUrl, tables } = spec
      const { postgres } = await import('@holdfast/postgres')
      return postgres({ url, listenUrl, tables })
    }
    case 'zookeeper': {
      const { connect, tickMs } = spec
      const { zookeeper } = await import('@holdfast/zookeeper')
      return zookeeper({ connect, tickMs })
    }
    case 'etcd': {
      const { etcd } = await import('@holdfast/etcd')
      return etcd({ hosts: spec.hosts })
    }
    case 'memcached': {
      const { url, graceMs } = spec
      const { memcached } = await import('@holdfast/memcached')
      return memcached({ url, graceMs })
    }
    case 'mysql': {
      const { mysql } = await import('@holdfast/mysql')
      return mysql({ url: spec.url })
    }
  }
}
