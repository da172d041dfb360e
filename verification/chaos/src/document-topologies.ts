import {
  startMemcached,
  startMysql,
  startProxy,
  type MemcachedServer,
  type MysqlServer,
} from '@holdfast/testkit'
import type { AnyTopology, Route } from './topology.js'
import type { TemplateSpec } from './template.js'

/** A server that keeps a document for each object. Each process reaches it through a proxy of its own. */
export interface DocumentTopology extends AnyTopology {
  readonly store: 'document'
  readonly server: { readonly memcached: MemcachedServer } | { readonly mysql: MysqlServer }
}

export const documentTopologies = {
  memcached: () => onMemcached(),
  mysql: () => onMysql(),
}

/** As short as memcached's seconds allow. */
const memcachedOptions = { watchdogTimeoutMs: 3_000, commandTimeoutMs: 600 }
/** Its clients hold for 3 s at most by one renewal, so a frozen one is out by then, too. */
const graceMs = 3_000

async function onMemcached(): Promise<DocumentTopology> {
  const memcached = await startMemcached(['-M', '-m', '8'])
  return {
    store: 'document',
    server: { memcached },
    options: memcachedOptions,
    route: () =>
      routeTo(memcached, 'memcached', (host, port) => ({
        kind: 'memcached',
        url: `memcached://${host}:${port}`,
        graceMs,
      })),
    whenStable: () => Promise.resolve(),
    stop: () => memcached.stop(),
  }
}

async function onMysql(): Promise<DocumentTopology> {
  const mysql = await startMysql()
  return {
    store: 'document',
    server: { mysql },
    options: { watchdogTimeoutMs: 1_200, commandTimeoutMs: 600 },
    route: () =>
      routeTo(mysql, 'mysql', (host, port) => {
        const url = new URL(mysql.url)
        url.host = `${host}:${port}`
        return { kind: 'mysql', url: url.href }
      }),
    whenStable: () => Promise.resolve(),
    stop: () => mysql.stop(),
  }
}

async function routeTo(
  server: { readonly host: string; readonly port: number },
  protocol: 'memcached' | 'mysql',
  templateOf: (host: string, port: number) => TemplateSpec,
): Promise<Route> {
  const proxy = await startProxy(server, protocol)
  return {
    proxies: [proxy],
    listening: [],
    templates: [templateOf(proxy.host, proxy.port)],
    close: () => proxy.close(),
  }
}
