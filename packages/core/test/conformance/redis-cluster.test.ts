import { sampled, startCluster, type RedisCluster } from '@holdfast/testkit'
import { describeEngine, globalRunner } from '@holdfast/conformance'
import { RedisUnderTest, type Topology } from './support/redis.js'

interface ClusterNodes extends Topology {
  readonly cluster: RedisCluster
}

async function startNodes(): Promise<ClusterNodes> {
  const cluster = await startCluster({ replicas: 1 })
  return {
    cluster,
    servers: cluster.nodes,
    reach: (links) => ({
      nodes: [...(links?.startupNodes ?? cluster.startupNodes)],
      options: links ? { natMap: { ...links.natMap } } : {},
    }),
    stop: () => cluster.stop(),
  }
}

class ClusterUnderTest extends RedisUnderTest<ClusterNodes> {
  /** Of every third of the slots: scenarios do not say which one they use. */
  async failOver(): Promise<void> {
    for (const slot of [0, 8_000, 16_000]) await this.topology.cluster.failover(slot)
    await this.topology.cluster.whenStable()
    await this.loadScripts()
  }
}

describeEngine(
  new ClusterUnderTest('Redis Cluster', startNodes),
  sampled(globalRunner(), 'Redis Cluster', /fail/),
)
