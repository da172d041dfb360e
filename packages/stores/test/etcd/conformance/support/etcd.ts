import type { EngineUnderTest, Link, LinkDirection, LinkedClient, OtherProcess } from '@holdfast/conformance'
import { Holdfast, type ClientOptions } from '@holdfast/core'
import type { LockEngine } from '@holdfast/core/engine'
import { etcd } from '@holdfast/stores/etcd'
import { startEtcdCluster, startProxy, type EtcdServer, type FaultProxy } from '@holdfast/testkit'
import { findLeader } from '../../support/leader.js'

/** Servers of its own: they are killed and wiped. */
export class EtcdUnderTest implements EngineUnderTest {
  readonly name: string
  readonly traits = etcd({ hosts: ['http://127.0.0.1:2379'] }).traits
  readonly otherProcess: OtherProcess = {
    module: new URL('../workers/etcd.mjs', import.meta.url),
    argument: () => ({ hosts: this.#hosts }),
  }
  readonly failOver?: () => Promise<void>
  readonly #size: number
  #servers: readonly EtcdServer[] = []
  /** By processes before the present ones: each counts from 0. */
  #counted = 0

  constructor(size: 1 | 3) {
    this.#size = size
    this.name = size === 1 ? 'etcd' : 'etcd, three servers'
    if (size > 1) this.failOver = () => this.#killLeader()
  }

  async start(): Promise<void> {
    this.#servers = await startEtcdCluster(this.#size)
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()))
  }

  open(options: ClientOptions = {}): Holdfast {
    return new Holdfast({ ...options, engine: this.engine() })
  }

  engine(): LockEngine {
    return etcd({ hosts: this.#hosts })
  }

  async openLinked(options: ClientOptions = {}): Promise<LinkedClient> {
    const proxies = await Promise.all(this.#servers.map((server) => startProxy(server, 'etcd')))
    const engine = etcd({ hosts: proxies.map(({ host, port }) => `http://${host}:${port}`) })
    return { holdfast: new Holdfast({ ...options, engine }), link: new EtcdLink(proxies) }
  }

  /** What survives a failover survives a crash of all. */
  async restart(): Promise<void> {
    this.#counted = await this.commandCount()
    await Promise.all(this.#servers.map((server) => server.kill()))
    await Promise.all(this.#servers.map((server) => server.restart({ isAsync: true })))
    await findLeader(this.#servers)
  }

  async wipe(): Promise<void> {
    const base64 = (text: string): string => Buffer.from(text).toString('base64')
    const body = JSON.stringify({ key: base64('holdfast/'), range_end: base64('holdfast0') })
    await fetch(`${this.#hosts[0]}/v3/kv/deleterange`, { method: 'POST', body })
  }

  /** By the servers' own metrics. */
  async commandCount(): Promise<number> {
    const metrics = await Promise.all(
      this.#hosts.map(async (host) => (await fetch(`${host}/metrics`)).text()),
    )
    const counts = metrics.flatMap((text) => [...text.matchAll(aboutLocks)].map(([, count]) => Number(count)))
    return counts.reduce((sum, count) => sum + count, this.#counted)
  }

  async #killLeader(): Promise<void> {
    const leader = await findLeader(this.#servers)
    const others = this.#servers.filter((server) => server !== leader)
    await leader.kill()
    await findLeader(others)
    await leader.restart()
  }

  get #hosts(): string[] {
    return this.#servers.map(({ url }) => url)
  }
}

const aboutLocks = /^grpc_server_started_total\{grpc_method="(?:Txn|Range|DeleteRange|Put)".*\} (\d+)$/gm

/** A transaction about an entry: steps end with one. A range, which begins with its key, only looks. */
const isAboutEntry = (message: string): boolean =>
  message.includes('holdfast/queues/') && message.indexOf('holdfast/') > 8

/** To all servers: a client uses one at a time, and another when that fails. */
class EtcdLink implements Link {
  readonly #proxies: readonly FaultProxy[]

  constructor(proxies: readonly FaultProxy[]) {
    this.#proxies = proxies
  }

  blackHole(direction: LinkDirection): void {
    for (const proxy of this.#proxies) proxy.blackHole(direction === 'toStore' ? 'toServer' : direction)
  }

  heal(): void {
    for (const proxy of this.#proxies) proxy.heal()
  }

  cut(): void {
    for (const proxy of this.#proxies) proxy.cut()
  }

  async loseNextReply(): Promise<void> {
    let isLost = false
    const take = (message: string): boolean => {
      if (isLost || !isAboutEntry(message)) return false
      isLost = true
      return true
    }
    await Promise.race(this.#proxies.map((proxy) => proxy.loseReply(take)))
  }

  async close(): Promise<void> {
    await Promise.all(this.#proxies.map((proxy) => proxy.close()))
  }
}
