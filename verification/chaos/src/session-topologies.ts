import {
  startEtcdCluster,
  startProxy,
  startZooKeeperEnsemble,
  zooKeeperTickMs,
  type FaultProxy,
  type LocalZooKeeper,
} from '@holdfast/testkit'
import type { TemplateSpec } from './template.js'
import type { AnyTopology, Route } from './topology.js'

/** One of the servers of a store in which what a client has lives as long as its session. */
export interface SessionServer {
  readonly host: string
  readonly port: number
  kill(): Promise<void>
  /** Resolves when its process runs: of several, a majority serves. `keepData`: with what it had written, as it does unless told. */
  launch(options?: { readonly keepData: boolean }): Promise<void>
  freeze(): Promise<void>
  thaw(): void
}

/** Servers of ZooKeeper or of etcd. Each process reaches all of them. */
export interface SessionTopology extends AnyTopology {
  readonly store: 'session'
  readonly servers: readonly SessionServer[]
}

export const sessionTopologies = {
  zookeeper: () => onZooKeeper(1),
  'zookeeper-ensemble': () => onZooKeeper(3),
  etcd: () => onEtcd(1),
  'etcd-cluster': () => onEtcd(3),
}

/** What differs between the two. */
interface Kind {
  readonly protocol: 'zookeeper' | 'etcd'
  readonly options: SessionTopology['options']
  readonly templateOf: (addresses: readonly string[]) => TemplateSpec
}

async function onZooKeeper(size: number): Promise<SessionTopology> {
  const ensemble = await startZooKeeperEnsemble(size)
  const kind: Kind = {
    protocol: 'zookeeper',
    options: { watchdogTimeoutMs: 1_200, commandTimeoutMs: 600 },
    templateOf: (addresses) => ({
      kind: 'zookeeper',
      connect: addresses.join(','),
      tickMs: zooKeeperTickMs,
    }),
  }
  return onServers(kind, ensemble.servers, {
    whenStable: async () => {
      await Promise.all(ensemble.servers.map((server: LocalZooKeeper) => server.untilServing()))
    },
    stop: () => ensemble.stop(),
  })
}

async function onEtcd(size: number): Promise<SessionTopology> {
  const servers = await startEtcdCluster(size)
  const kind: Kind = {
    protocol: 'etcd',
    // Longer than it takes to start a server again, so that holds outlast that.
    options: { watchdogTimeoutMs: 4_000, commandTimeoutMs: 600 },
    templateOf: (addresses) => ({
      kind: 'etcd',
      hosts: addresses.map((address) => `http://${address}`),
    }),
  }
  return onServers(kind, servers, {
    whenStable: async () => {
      await Promise.all(servers.map((server) => server.untilServing()))
    },
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop()))
    },
  })
}

function onServers(
  { protocol, options, templateOf }: Kind,
  servers: readonly SessionServer[],
  more: Pick<SessionTopology, 'whenStable' | 'stop'>,
): SessionTopology {
  return {
    store: 'session',
    options,
    servers,
    async route(): Promise<Route> {
      const proxies: FaultProxy[] = []
      for (const server of servers) proxies.push(await startProxy(server, protocol))
      const template = templateOf(proxies.map(({ host, port }) => `${host}:${port}`))
      return {
        proxies,
        listening: [],
        templates: [template],
        async close() {
          await Promise.all(proxies.map((proxy) => proxy.close()))
        },
      }
    },
    ...more,
  }
}
