import type { EngineUnderTest, Link, LinkDirection, LinkedClient, OtherProcess } from '@holdfast/conformance'
import { Holdfast, type ClientOptions } from '@holdfast/core'
import type { LockEngine } from '@holdfast/core/engine'
import { etcd } from '@holdfast/etcd'
import { startEtcd, startProxy, type EtcdServer, type FaultProxy } from '@holdfast/testkit'

/** A server of its own: it is restarted and wiped. */
export class EtcdUnderTest implements EngineUnderTest {
  readonly name = 'etcd'
  readonly traits = etcd({ hosts: ['http://127.0.0.1:2379'] }).traits
  readonly otherProcess: OtherProcess = {
    module: new URL('../workers/etcd.mjs', import.meta.url),
    argument: () => ({ hosts: [this.#url] }),
  }
  #server: EtcdServer | undefined
  /** Of the processes before this one: each counts from 0. */
  #counted = 0

  async start(): Promise<void> {
    this.#server = await startEtcd()
  }

  async stop(): Promise<void> {
    await this.#server?.stop()
  }

  open(options: ClientOptions = {}): Holdfast {
    return new Holdfast({ ...options, engine: this.engine() })
  }

  engine(): LockEngine {
    return etcd({ hosts: [this.#url] })
  }

  async openLinked(options: ClientOptions = {}): Promise<LinkedClient> {
    const { hostname: host, port } = new URL(this.#url)
    const proxy = await startProxy({ host, port: Number(port) }, 'etcd')
    const engine = etcd({ hosts: [`http://${proxy.host}:${proxy.port}`] })
    return { holdfast: new Holdfast({ ...options, engine }), link: new EtcdLink(proxy) }
  }

  async restart({ keepData }: { readonly keepData: boolean }): Promise<void> {
    this.#counted = await this.commandCount()
    // What survives a fail-over survives a crash.
    void keepData
    await this.#server?.restart()
  }

  async wipe(): Promise<void> {
    const base64 = (text: string): string => Buffer.from(text).toString('base64')
    const body = JSON.stringify({ key: base64('holdfast/'), range_end: base64('holdfast0') })
    await fetch(`${this.#url}/v3/kv/deleterange`, { method: 'POST', body })
  }

  /** By the server's own metrics. */
  async commandCount(): Promise<number> {
    const metrics = await (await fetch(`${this.#url}/metrics`)).text()
    const counts = [...metrics.matchAll(aboutLocks)].map(([, count]) => Number(count))
    return counts.reduce((sum, count) => sum + count, this.#counted)
  }

  get #url(): string {
    if (!this.#server) throw new Error('etcd has not been started')
    return this.#server.url
  }
}

const aboutLocks =
  /^grpc_server_started_total\{grpc_method="(?:Txn|Range|DeleteRange|Put)".*\} (\d+)$/gm

/** A transaction about an entry: steps end with one. A range, which begins with its key, only looks. */
const isAboutEntry = (message: string): boolean =>
  message.includes('holdfast/queues/') && message.indexOf('holdfast/') > 8

class EtcdLink implements Link {
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
    return this.#proxy.loseReply(isAboutEntry)
  }

  close(): Promise<void> {
    return this.#proxy.close()
  }
}
