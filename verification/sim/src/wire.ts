import type { Network } from '@holdfast/conformance'
import { between, type Random } from './random.js'
import type { Realm } from './realm.js'

type Way = Parameters<Network['travel']>[0]
type Connection = Parameters<Network['travel']>[1]

/** What lies between a process and a store. Messages of one connection stay in order; each takes a time of its own. */
export class Wire implements Network {
  /** How many times as long messages take. */
  slowness = 1
  /** How many messages were sent. */
  sent = 0
  /** Whether this message is lost, counted from 1. */
  loses: (message: number, way: Way) => boolean = () => false
  readonly #random: Random
  readonly #client: Realm
  readonly #store: Realm
  readonly #lastAtMs = new Map<string, number>()

  constructor(client: Realm, store: Realm) {
    this.#random = client.world.random
    this.#client = client
    this.#store = store
  }

  travel(way: Way, connection: Connection): Promise<void> {
    this.sent += 1
    const to = this.#endOf(way)
    const { nowMs } = to.world
    const lane = `${way} ${connection}`
    const atMs = Math.max(nowMs + this.#latencyMs() * this.slowness, this.#lastAtMs.get(lane) ?? 0)
    this.#lastAtMs.set(lane, atMs)
    // That of a lost message: what waits for it learns nothing.
    return this.loses(this.sent, way) ? new Promise(() => undefined) : to.arrival(atMs - nowMs)
  }

  atOnce(way: Way, run: () => void): void {
    this.#endOf(way).post(run)
  }

  #endOf(way: Way): Realm {
    return way === 'toStore' ? this.#store : this.#client
  }

  /** Mostly a moment, now and then a while. */
  #latencyMs(): number {
    return this.#random() < 0.05 ? between(this.#random, 3, 25) : 0.2 + this.#random() * 2
  }
}
