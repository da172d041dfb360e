import { startRedis, type RedisServer } from '@holdfast/testkit'
import { RedisUnderTest, type Topology } from './redis.js'

interface StandAlone extends Topology {
  readonly server: RedisServer
}

async function startAlone(): Promise<StandAlone> {
  const server = await startRedis()
  return {
    server,
    servers: [server],
    reach: (links) => {
      const { host, port } = links?.proxyOf(server) ?? server
      return { options: { host, port } }
    },
    stop: () => server.stop(),
  }
}

/** One server, which can be restarted. */
export class StandAloneUnderTest extends RedisUnderTest<StandAlone> {
  constructor(name: string, version: 5 | 6) {
    super(name, startAlone, version)
  }

  async restart({ keepData }: { readonly keepData: boolean }): Promise<void> {
    await this.topology.server.restart({ empty: !keepData })
    await this.loadScripts()
  }
}
