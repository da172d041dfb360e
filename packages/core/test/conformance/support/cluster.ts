import { startCluster, type RedisCluster } from '@holdfast/testkit'
import type { Driver } from './drivers.js'
import { RedisUnderTest, type Topology } from './redis.js'

interface ClusterNodes extends Topology {
  readonly cluster: RedisCluster
}

async function startNodes(): Promise<ClusterNodes> {
  const cluster = await startCluster({ replicas: 1 })
  return {
    cluster,
    servers: cluster.nodes,
    reach: (links) => ({
      nodes: links?.startupNodes ?? cluster.startupNodes,
      natMap: links?.natMap,
    }),
    stop: () => cluster.stop(),
  }
}

/** Three masters with a replica each. */
export class ClusterUnderTest extends RedisUnderTest<ClusterNodes> {
  constructor(name: string, driver?: Driver) {
    super(name, startNodes, driver)
  }

  /** Of every third of the slots: scenarios do not say which one they use. */
  async failOver(): Promise<void> {
    for (const slot of [0, 8_000, 16_000]) await this.topology.cluster.failover(slot)
    await this.topology.cluster.whenStable()
    await this.loadScripts()
  }
}
