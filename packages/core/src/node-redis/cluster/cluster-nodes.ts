import type { RedisAddress } from '../../index.js'
import type { Connection } from '../connection/connection.js'
import { addressText } from '../link/address-map.js'

export interface ClusterNodesEvents {
  /** A node is ready. */
  onReady(node: Connection): void
  /** A node has left, or its connection has ended. */
  onGone(node: Connection, isBroken: boolean): void
  onError(error: Error, address: string): void
}

/** For how long a master that has been demoted may still reply to what it was sent. */
const drainMs = 500

/** One connection to each master. */
export class ClusterNodes {
  readonly #make: (address: RedisAddress) => Connection
  readonly #events: ClusterNodesEvents
  readonly #nodes = new Map<string, Connection>()
  readonly #leaving = new Set<Connection>()

  /** @param make - a connection that ends when it breaks */
  constructor(make: (address: RedisAddress) => Connection, events: ClusterNodesEvents) {
    this.#make = make
    this.#events = events
  }

  all(): Connection[] {
    return [...this.#nodes.values()]
  }

  at(name: string): Connection | undefined {
    return this.#nodes.get(name)
  }

  get areReady(): boolean {
    return this.all().every(({ status }) => status === 'ready')
  }

  /** The connection to that node, which is made if there is none. */
  reach(address: RedisAddress): Connection {
    const name = addressText(address)
    return this.#nodes.get(name) ?? this.#add(name, address)
  }

  /** Has exactly these. */
  adopt(masters: ReadonlyMap<string, RedisAddress>): void {
    for (const [name, node] of this.#nodes) if (!masters.has(name)) this.#retire(name, node)
    for (const address of masters.values()) this.reach(address)
  }

  disconnect(): void {
    const nodes = [...this.all(), ...this.#leaving]
    this.#nodes.clear()
    this.#leaving.clear()
    for (const node of nodes) node.disconnect()
  }

  #add(name: string, address: RedisAddress): Connection {
    const node = this.#make(address)
    this.#nodes.set(name, node)
    node.on('error', (error: Error) => this.#events.onError(error, name))
    node.on('ready', () => this.#events.onReady(node))
    node.on('close', () => {
      if (this.#nodes.get(name) !== node) return
      this.#nodes.delete(name)
      this.#events.onGone(node, true)
    })
    // Its failure is reported by the events.
    node.connect().catch(() => undefined)
    return node
  }

  /** What is under way still gets its reply, mostly a MOVED. Cut off, it would look like a lost one. */
  #retire(name: string, node: Connection): void {
    this.#nodes.delete(name)
    this.#leaving.add(node)
    const timer = setTimeout(() => {
      this.#leaving.delete(node)
      node.disconnect()
    }, drainMs)
    timer.unref()
    this.#events.onGone(node, false)
  }
}
