import type { LockEngine } from '@holdfast/core/engine'
import {
  discardRedis,
  isRedis,
  redisTemplateOf,
  type RedisLibrary,
  type RedisSpec,
  type RedisTemplate,
} from './redis-template.js'

/** How a process reaches its store, as plain data. */
export type TemplateSpec =
  | RedisSpec
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

/** What Holdfast takes. */
export type Template = LockEngine | RedisTemplate

export function discard(template: Template): void {
  if (isRedis(template)) discardRedis(template)
}

/** Loads only the engine and the library that it needs: loading all of them takes longer than most schedules. */
export async function templateOf(spec: TemplateSpec, library: RedisLibrary = 'ioredis'): Promise<Template> {
  switch (spec.kind) {
    case 'server':
    case 'cluster':
    case 'sentinel':
      return redisTemplateOf(spec, library)
    case 'postgres': {
      const { url, listenUrl, tables } = spec
      const { postgres } = await import('@holdfast/stores/postgres')
      return postgres({ url, listenUrl, tables })
    }
    case 'zookeeper': {
      const { connect, tickMs } = spec
      const { zookeeper } = await import('@holdfast/stores/zookeeper')
      return zookeeper({ connect, tickMs })
    }
    case 'etcd': {
      const { etcd } = await import('@holdfast/stores/etcd')
      return etcd({ hosts: spec.hosts })
    }
    case 'memcached': {
      const { url, graceMs } = spec
      const { memcached } = await import('@holdfast/stores/memcached')
      return memcached({ url, graceMs })
    }
    case 'mysql': {
      const { mysql } = await import('@holdfast/stores/mysql')
      return mysql({ url: spec.url })
    }
  }
}
