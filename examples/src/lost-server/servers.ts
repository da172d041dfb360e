import type { LockEngine } from '@holdfast/core/engine'
import { etcd } from '@holdfast/etcd'
import {
  startEtcdCluster,
  startZooKeeperEnsemble,
  until,
  zooKeeperTickMs,
  type EtcdServer,
} from '@holdfast/testkit'
import { zookeeper } from '@holdfast/zookeeper'

/** Three servers that keep everything together. */
export interface Servers {
  readonly name: string
  readonly addresses: readonly string[]
  /** An engine on all of them. */
  engine(): LockEngine
  killLeader(): Promise<void>
  stop(): Promise<void>
}

export async function startServers(engine: string): Promise<Servers> {
  switch (engine) {
    case 'etcd':
      return onEtcd(await startEtcdCluster(3))
    case 'zookeeper':
      return onZooKeeper()
    default:
      throw new Error(`--engine is etcd or zookeeper, not ${engine}`)
  }
}

function onEtcd(servers: readonly EtcdServer[]): Servers {
  const hosts = servers.map(({ url }) => url)
  return {
    name: 'etcd',
    addresses: hosts,
    engine: () => etcd({ hosts }),
    killLeader: async () => {
      const leader = await until(() => leaderOf(servers), { what: 'a leader' })
      await leader.kill()
    },
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop()))
    },
  }
}

async function onZooKeeper(): Promise<Servers> {
  const ensemble = await startZooKeeperEnsemble()
  return {
    name: 'ZooKeeper',
    addresses: ensemble.servers.map(({ connect }) => connect),
    engine: () => zookeeper({ connect: ensemble.connect, tickMs: zooKeeperTickMs }),
    killLeader: async () => {
      await (await ensemble.leader()).kill()
    },
    stop: () => ensemble.stop(),
  }
}

/** The server whose metrics say that it leads. */
async function leaderOf(servers: readonly EtcdServer[]): Promise<EtcdServer | undefined> {
  for (const server of servers) {
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    if (/^etcd_server_is_leader 1$/m.test(metrics)) return server
  }
  return undefined
}
