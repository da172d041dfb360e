import type { Simulator } from './simulator.js'

/** One thread that does what it is given in the order of arrival: a Redis, or the main thread of a Node process. */
export class Thread {
  readonly #simulator: Simulator
  #freeAtUs = 0
  #busyUs = 0

  constructor(simulator: Simulator) {
    this.#simulator = simulator
  }

  /** How much it worked so far, with what it has accepted. */
  get busyUs(): number {
    return this.#busyUs
  }

  /** Plans work, and what follows when it is done. */
  work(us: number, done: () => void): void {
    const { nowUs } = this.#simulator
    this.#freeAtUs = Math.max(this.#freeAtUs, nowUs) + us
    this.#busyUs += us
    this.#simulator.after(this.#freeAtUs - nowUs, done)
  }
}
