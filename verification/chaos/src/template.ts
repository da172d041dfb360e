import type { LockEngine } from '@holdfast/core/engine'
import { etcd } from '@holdfast/etcd'
import { memcached } from '@holdfast/memcached'
import { mysql } from '@holdfast/mysql'
import { postgres } from '@holdfast/postgres'
import { zookeeper } from '@holdfast/zookeeper'
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

export function templateOf(spec: TemplateSpec): Template {
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
      return postgres({ url, listenUrl, tables })
    }
    case 'zookeeper': {
      const { connect, tickMs } = spec
      return zookeeper({ connect, tickMs })
    }
    case 'etcd':
      return etcd({ hosts: spec.hosts })
    case 'memcached': {
      const { url, graceMs } = spec
      return memcached({ url, graceMs })
    }
    case 'mysql':
      return mysql({ url: spec.url })
  }
}
