import { startRedis, type RedisServer } from '@holdfast/testkit'
import type { Driver } from './drivers.js'
import { RedisUnderTest, type Topology } from './redis.js'

interface StandAlone extends Topology {
  readonly server: RedisServer
}

async function startAlone(program?: string): Promise<StandAlone> {
  const server = await startRedis(program === undefined ? {} : { program })
  return {
    server,
    servers: [server],
    reach: (links) => {
      const { host, port } = links?.proxyOf(server) ?? server
      return { server: { host, port } }
    },
    stop: () => server.stop(),
  }
}

/** One server, which can be restarted. */
export class StandAloneUnderTest extends RedisUnderTest<StandAlone> {
  /** @param program - the path of the server program; the first one found by default */
  constructor(name: string, driver: Driver, program?: string) {
    super(name, () => startAlone(program), driver)
  }

  async restart({ keepData }: { readonly keepData: boolean }): Promise<void> {
    await this.topology.server.restart({ empty: !keepData })
    await this.loadScripts()
  }
}
