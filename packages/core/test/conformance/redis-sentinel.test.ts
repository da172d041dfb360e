import { sampled, startSentinels, type RedisSentinels } from '@holdfast/testkit'
import { describeEngine, globalRunner } from '@holdfast/conformance'
import { RedisUnderTest, type Topology } from './support/redis.js'

interface SentinelGroup extends Topology {
  readonly group: RedisSentinels
}

async function startGroup(): Promise<SentinelGroup> {
  const group = await startSentinels()
  return {
    group,
    servers: group.servers,
    reach: (links) => ({
      options: {
        sentinels: [...group.sentinels],
        name: group.name,
        ...(links ? { natMap: { ...links.natMap } } : {}),
      },
    }),
    stop: () => group.stop(),
  }
}

class SentinelUnderTest extends RedisUnderTest<SentinelGroup> {
  async failOver(): Promise<void> {
    await this.topology.group.failover()
    await this.loadScripts()
  }
}

describeEngine(
  new SentinelUnderTest('Redis Sentinel', startGroup),
  sampled(globalRunner(), 'Redis Sentinel', /fail/),
)
