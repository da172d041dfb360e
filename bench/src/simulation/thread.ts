import type { Simulator } from './simulator.js'

/** A thread that works in the order of arrival: a Redis server, or the main thread of a Node.js process. */
export class Thread {
  readonly #simulator: Simulator
  #freeAtUs = 0
  #busyUs = 0

  constructor(simulator: Simulator) {
    this.#simulator = simulator
  }

  /** Its working time so far, including accepted work. */
  get busyUs(): number {
    return this.#busyUs
  }

  /** Adds work, and a callback for its completion. */
  work(us: number, done: () => void): void {
    const { nowUs } = this.#simulator
    this.#freeAtUs = Math.max(this.#freeAtUs, nowUs) + us
    this.#busyUs += us
    this.#simulator.after(this.#freeAtUs - nowUs, done)
  }
}
