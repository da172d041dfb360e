import type { EngineUnderTest, Link, LinkDirection, LinkedClient, OtherProcess } from '@holdfast/conformance'
import { Holdfast, type ClientOptions } from '@holdfast/core'
import type { LockEngine, Traits } from '@holdfast/core/engine'
import {
  startProxy,
  startZooKeeper,
  zooKeeperTickMs,
  type FaultProxy,
  type LocalZooKeeper,
} from '@holdfast/testkit'
import { zookeeper } from '@holdfast/stores/zookeeper'
import { RequestCount } from '../../support/request-count.js'
import { removeAll } from '../../support/nodes.js'

/** A server of its own. */
export class ZooKeeperUnderTest implements EngineUnderTest {
  readonly name = 'ZooKeeper'
  readonly traits: Traits = engineAt('127.0.0.1:1').traits
  readonly otherProcess: OtherProcess
  #server: LocalZooKeeper | undefined
  #requests: RequestCount | undefined

  constructor() {
    this.otherProcess = {
      module: new URL('../workers/zookeeper.mjs', import.meta.url),
      argument: () => ({ connect: this.#connect, tickMs: zooKeeperTickMs }),
    }
  }

  get server(): LocalZooKeeper {
    if (!this.#server) throw new Error(`${this.name} has not been started`)
    return this.#server
  }

  async start(): Promise<void> {
    this.#server = await startZooKeeper()
    this.#requests = await RequestCount.start(this.#server)
  }

  async stop(): Promise<void> {
    await this.#requests?.stop()
    await this.#server?.stop()
  }

  engine(): LockEngine {
    return engineAt(this.#connect)
  }

  open(options: ClientOptions = {}): Holdfast {
    return new Holdfast({ ...options, engine: this.engine() })
  }

  async openLinked(options: ClientOptions = {}): Promise<LinkedClient> {
    const proxy = await startProxy(this.server, 'zookeeper')
    const engine = engineAt(`${proxy.host}:${proxy.port}`)
    return { holdfast: new Holdfast({ ...options, engine }), link: new ZooKeeperLink(proxy) }
  }

  async restart(): Promise<void> {
    await this.server.kill()
    await this.server.start()
  }

  wipe(): Promise<void> {
    return removeAll(this.server.connect)
  }

  commandCount(): Promise<number> {
    return Promise.resolve(this.#requests?.count ?? 0)
  }

  /** Past what counts requests. */
  get #connect(): string {
    return this.#requests?.connect ?? ''
  }
}

const engineAt = (connect: string): LockEngine => zookeeper({ connect, tickMs: zooKeeperTickMs })

const aboutLocks = /^(create|delete|setData|multi \w+) \/holdfast\/locks\//

class ZooKeeperLink implements Link {
  readonly #proxy: FaultProxy

  constructor(proxy: FaultProxy) {
    this.#proxy = proxy
  }

  blackHole(direction: LinkDirection): void {
    this.#proxy.blackHole(direction === 'toStore' ? 'toServer' : direction)
  }

  heal(): void {
    this.#proxy.heal()
  }

  cut(): void {
    this.#proxy.cut()
  }

  loseNextReply(): Promise<void> {
    return this.#proxy.loseReply((request) => aboutLocks.test(request))
  }

  close(): Promise<void> {
    return this.#proxy.close()
  }
}
