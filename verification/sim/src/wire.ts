import type { Network } from '@holdfast/conformance'
import { between, type Random } from './random.js'
import type { Realm } from './realm.js'

type Way = Parameters<Network['travel']>[0]

/** What lies between a process and a store. Messages of one connection stay in order; each takes a time of its own. */
export class Wire implements Network {
  /** How many times as long messages take. */
  slowness = 1
  readonly #random: Random
  readonly #client: Realm
  readonly #store: Realm
  readonly #lastAtMs = new Map<string, number>()
  #lost: { after: number; readonly onLost: () => void } | undefined

  constructor(client: Realm, store: Realm) {
    this.#random = client.world.random
    this.#client = client
    this.#store = store
  }

  travel(way: Way, connection: string): Promise<void> {
    if (this.#isLost()) return new Promise(() => undefined)
    const to = this.#endOf(way)
    const { nowMs } = to.world
    const lane = `${way} ${connection}`
    // A moment later than the one before: the instant is rounded when it is counted from another one.
    const afterLastMs = (this.#lastAtMs.get(lane) ?? 0) + 1e-6
    const atMs = Math.max(nowMs + this.#latencyMs() * this.slowness, afterLastMs)
    this.#lastAtMs.set(lane, atMs)
    return to.arrival(atMs - nowMs)
  }

  /** Has one message never arrive, whichever way it goes: the next one, after so many others. */
  loseMessage(after: number, onLost: () => void): void {
    this.#lost = { after, onLost }
  }

  atOnce(way: Way, run: () => void): void {
    this.#endOf(way).post(run)
  }

  #endOf(way: Way): Realm {
    return way === 'toStore' ? this.#store : this.#client
  }

  #isLost(): boolean {
    if (!this.#lost || this.#lost.after-- > 0) return false
    const { onLost } = this.#lost
    this.#lost = undefined
    onLost()
    return true
  }

  /** Mostly a moment, now and then a while. */
  #latencyMs(): number {
    return this.#random() < 0.05 ? between(this.#random, 3, 25) : 0.2 + this.#random() * 2
  }
}
