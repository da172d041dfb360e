import { startZooKeeper, zooKeeperTickMs, type LocalZooKeeper } from '@holdfast/testkit'
import { zookeeper, type ZooKeeperOptions } from '@holdfast/stores/zookeeper'
import { firstOf, hostAndPort, StoreUnderTest, type Address } from '../../../support/store-under-test.js'
import { removeAll } from '../../support/nodes.js'
import { RequestCount } from '../../support/request-count.js'

const aboutLocks = /^(create|delete|setData|multi \w+) \/holdfast\/locks\//

export class ZooKeeperUnderTest extends StoreUnderTest<ZooKeeperOptions> {
  #servers: readonly LocalZooKeeper[] = []
  #requests: RequestCount | undefined

  constructor() {
    super('ZooKeeper', {
      store: 'zookeeper',
      engineOf: zookeeper,
      optionsAt: (addresses) => ({ connect: hostAndPort(firstOf(addresses)), tickMs: zooKeeperTickMs }),
      isStep: () => (request) => aboutLocks.test(request),
    })
  }

  async start(): Promise<void> {
    const server = await startZooKeeper()
    this.#servers = [server]
    this.#requests = await RequestCount.start(server)
  }

  async stop(): Promise<void> {
    await this.#requests?.stop()
    await this.#server.stop()
  }

  async restart(): Promise<void> {
    await this.#server.kill()
    await this.#server.start()
  }

  wipe(): Promise<void> {
    return removeAll(this.#server.connect)
  }

  commandCount(): Promise<number> {
    return Promise.resolve(this.#requests?.count ?? 0)
  }

  /** Past what counts requests. */
  protected get addresses(): readonly Address[] {
    return this.#requests ? [this.#requests.address] : []
  }

  protected override get servers(): readonly Address[] {
    return this.#servers
  }

  get #server(): LocalZooKeeper {
    return firstOf(this.#servers)
  }
}
