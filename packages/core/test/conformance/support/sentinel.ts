import { startSentinels, type RedisSentinels } from '@holdfast/testkit'
import type { Driver } from './drivers.js'
import { RedisUnderTest, type Topology } from './redis.js'

interface SentinelGroup extends Topology {
  readonly group: RedisSentinels
}

async function startGroup(): Promise<SentinelGroup> {
  const group = await startSentinels()
  return {
    group,
    servers: group.servers,
    reach: (links) => ({
      sentinels: group.sentinels,
      name: group.name,
      natMap: links?.natMap,
    }),
    stop: () => group.stop(),
  }
}

/** A master with a replica, watched by Sentinels. */
export class SentinelUnderTest extends RedisUnderTest<SentinelGroup> {
  constructor(name: string, driver?: Driver) {
    super(name, startGroup, driver)
  }

  async failOver(): Promise<void> {
    await this.topology.group.failover()
    await this.loadScripts()
  }
}
