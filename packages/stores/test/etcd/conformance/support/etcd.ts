import { etcd, type EtcdOptions } from '@holdfast/stores/etcd'
import { startEtcdCluster, type EtcdServer } from '@holdfast/testkit'
import { hostAndPort, StoreUnderTest, type Address } from '../../../support/store-under-test.js'
import { findLeader } from '../../support/leader.js'

const aboutLocks = /^grpc_server_started_total\{grpc_method="(?:Txn|Range|DeleteRange|Put)".*\} (\d+)$/gm

/** A transaction about an entry: steps end with one. A range, which begins with its key, only looks. */
const isAboutEntry = (message: string): boolean =>
  message.includes('holdfast/queues/') && message.indexOf('holdfast/') > 8

export class EtcdUnderTest extends StoreUnderTest<EtcdOptions> {
  readonly failOver?: () => Promise<void>
  readonly #size: number
  #servers: readonly EtcdServer[] = []
  /** By processes before the present ones: each counts from 0. */
  #counted = 0

  constructor(size: 1 | 3) {
    super(size === 1 ? 'etcd' : 'etcd, three servers', {
      store: 'etcd',
      engineOf: etcd,
      optionsAt: (addresses) => ({ hosts: addresses.map((address) => `http://${hostAndPort(address)}`) }),
      isStep: () => isAboutEntry,
    })
    this.#size = size
    if (size > 1) this.failOver = () => this.#killLeader()
  }

  async start(): Promise<void> {
    this.#servers = await startEtcdCluster(this.#size)
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()))
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
    await fetch(`${this.#servers[0]?.url}/v3/kv/deleterange`, { method: 'POST', body })
  }

  /** By the servers' own metrics. */
  async commandCount(): Promise<number> {
    const metrics = await Promise.all(
      this.#servers.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()),
    )
    const counts = metrics.flatMap((text) => [...text.matchAll(aboutLocks)].map(([, count]) => Number(count)))
    return counts.reduce((sum, count) => sum + count, this.#counted)
  }

  protected get addresses(): readonly Address[] {
    return this.#servers
  }

  async #killLeader(): Promise<void> {
    const leader = await findLeader(this.#servers)
    const others = this.#servers.filter((server) => server !== leader)
    await leader.kill()
    await findLeader(others)
    await leader.restart()
  }
}
